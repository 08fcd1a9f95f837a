package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qdrant/go-client/qdrant"

	"s2g/schema"
)

// shrinkLimit is the least share of the points in service that a build must have to
// replace them.
const shrinkLimit = 0.9

// directory lists a server's collections, and the collection of each alias.
type directory struct {
	collections map[string]bool
	aliases     map[string]string
}

func (s *Server) directory(ctx context.Context) (d directory, err error) {
	return call(ctx, s, "listing collections and aliases", s.listOnce)
}

// listOnce lists collections and aliases, without a retry.
func (s *Server) listOnce(ctx context.Context) (directory, error) {
	d := directory{map[string]bool{}, map[string]string{}}
	names, err := s.client.ListCollections(ctx)
	if err != nil {
		return d, err
	}
	aliases, err := s.client.ListAliases(ctx)
	if err != nil {
		return d, err
	}
	for _, n := range names {
		d.collections[n] = true
	}
	for _, a := range aliases {
		d.aliases[a.GetAliasName()] = a.GetCollectionName()
	}
	return d, nil
}

// Aliases returns the collection of each alias of a server.
func (s *Server) Aliases(ctx context.Context) (map[string]string, error) {
	d, err := s.directory(ctx)
	return d.aliases, err
}

// aliasNames returns the aliases that the build must have, and the aliases of other
// builds with its prefix for languages that it lacks. Of part of a build, others is
// empty, because those aliases stay.
func (b Build) aliasNames(d directory) (own, others []string) {
	for _, l := range b.Languages {
		own = append(own, b.Alias(l.Slug))
	}
	if b.Part {
		return own, nil
	}
	for alias, collection := range d.aliases {
		if slug, _, ok := b.parseCollection(collection); ok && alias == b.Alias(slug) && !slices.Contains(own, alias) {
			others = append(others, alias)
		}
	}
	slices.Sort(others)
	return own, others
}

// CheckService returns, before a load, a usage fault where the build could not be put
// in service: a collection has the name of an alias, or, without allowShrink, the build
// has less than shrinkLimit of the points in service.
func (s *Server) CheckService(ctx context.Context, b Build, allowShrink bool) error {
	if err := b.Check(); err != nil {
		return err
	}
	d, err := s.directory(ctx)
	if err != nil {
		return err
	}
	own, others := b.aliasNames(d)
	for _, alias := range own {
		if d.collections[alias] {
			return schema.Faultf(schema.FaultUsage, "give another option prefix, or delete that collection",
				"%s: a collection has the name %s, which must be an alias", s.Address, alias)
		}
	}
	if allowShrink {
		return nil
	}
	var before int64
	var gone []string
	for _, alias := range slices.Concat(own, others) {
		collection, ok := d.aliases[alias]
		if !ok {
			continue
		}
		n, err := s.Count(ctx, collection)
		if err != nil {
			return err
		}
		before += n
		if slices.Contains(others, alias) {
			gone = append(gone, fmt.Sprintf("%s (%d points)", alias, n))
		}
	}
	after := b.Points()
	if float64(after) >= shrinkLimit*float64(before) {
		return nil
	}
	lacking := ""
	if len(gone) > 0 {
		lacking = "; it has nothing for " + strings.Join(gone, ", ")
	}
	return schema.Faultf(schema.FaultUsage, "give option allow-shrink if that is right, another option prefix to keep both, or option languages to load only some",
		"%s: the build has %d points, the points in service are %d%s", s.Address, after, before, lacking)
}

// PutInService moves all aliases of a loaded build in one request, which the server
// applies atomically. It then deletes collections of other builds with the same prefix,
// except the keep newest of each language, and returns the deleted ones. Collections
// that were in service count as the newest. It deletes none where keep is negative, and
// never one that an alias leads to. See CheckService for allowShrink.
func (s *Server) PutInService(ctx context.Context, b Build, keep int, allowShrink bool) (deleted []string, err error) {
	if err := s.CheckService(ctx, b, allowShrink); err != nil {
		return nil, err
	}
	if err := s.checkComplete(ctx, b); err != nil {
		return nil, err
	}
	var before directory
	err = do(ctx, s, "moving the aliases", func(ctx context.Context) error {
		d, err := s.listOnce(ctx) // for each try, because an earlier one may have succeeded without an answer
		if err != nil {
			return err
		}
		if before.aliases == nil {
			before = d
		}
		if actions := b.moves(d); len(actions) > 0 {
			return s.client.UpdateAliases(ctx, actions)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	after, err := s.directory(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range b.Languages {
		alias, want := b.Alias(l.Slug), b.Collection(l.Slug)
		if got := after.aliases[alias]; got != want {
			return nil, schema.Faultf(schema.FaultService, "check whether another program sets aliases there, then give the same command again",
				"%s: the alias %s leads to %q, not %s", s.Address, alias, got, want)
		}
		s.Log.Debug("in service", "alias", alias, "collection", want, "before", before.aliases[alias])
	}
	s.Log.Info("in service", "build", b.Prefix+" "+b.Edition, "aliases", len(b.Languages))
	if keep < 0 {
		return nil, nil
	}
	return s.deleteCollections(ctx, b.obsolete(before, after, keep))
}

// checkComplete returns a verification fault where a collection of the build lacks
// points.
func (s *Server) checkComplete(ctx context.Context, b Build) error {
	for _, l := range b.Languages {
		have, err := s.Count(ctx, b.Collection(l.Slug))
		if err != nil {
			return err
		}
		if want := l.Points(); have != want {
			return schema.Faultf(schema.FaultVerification, "load the build again",
				"%s: %s has %d points, the shards %d: nothing was put in service", s.Address, b.Collection(l.Slug), have, want)
		}
	}
	return nil
}

// moves returns the changes of aliases that put the build in service.
func (b Build) moves(d directory) (actions []*qdrant.AliasOperations) {
	_, others := b.aliasNames(d)
	for _, alias := range others {
		actions = append(actions, qdrant.NewAliasDelete(alias))
	}
	for _, l := range b.Languages {
		alias, collection := b.Alias(l.Slug), b.Collection(l.Slug)
		now, ok := d.aliases[alias]
		if now == collection {
			continue
		}
		if ok {
			actions = append(actions, qdrant.NewAliasDelete(alias))
		}
		actions = append(actions, qdrant.NewAliasCreate(alias, collection))
	}
	return actions
}

// obsolete returns the collections to delete: of other builds, beyond the keep newest
// of each language. Of a whole build it covers all languages of its prefix, of part of
// one only its own. Collections with an alias in after are left out.
func (b Build) obsolete(before, after directory, keep int) (names []string) {
	own, others := map[string]bool{}, map[string][]string{} // collections; collections by slug
	for _, l := range b.Languages {
		own[b.Collection(l.Slug)], others[l.Slug] = true, nil
	}
	for _, name := range slices.Sorted(maps.Keys(after.collections)) {
		slug, _, ok := b.parseCollection(name)
		if _, wanted := others[slug]; ok && !own[name] && (wanted || !b.Part) {
			others[slug] = append(others[slug], name)
		}
	}
	rank := func(name string) int { // 0: it was in service before
		if slug, _, _ := b.parseCollection(name); before.aliases[b.Alias(slug)] == name {
			return 0
		}
		return 1
	}
	for _, list := range others {
		slices.SortFunc(list, func(x, y string) int { // names of a language differ first in the date
			return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y, x))
		})
		for _, name := range list[min(keep, len(list)):] {
			if !slices.Contains(slices.Collect(maps.Values(after.aliases)), name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// deleteCollections returns the names of those that it has deleted.
func (s *Server) deleteCollections(ctx context.Context, names []string) (deleted []string, err error) {
	for _, name := range names {
		err := do(ctx, s, "deleting "+name, func(ctx context.Context) error {
			err := s.client.DeleteCollection(ctx, name)
			if err == nil || isTemporary(err) {
				return err
			}
			if exists, failed := s.client.CollectionExists(ctx, name); failed == nil && !exists {
				return nil // an earlier try has deleted it
			}
			return err
		})
		if err != nil {
			return deleted, err
		}
		s.Log.Info("deleted", "collection", name)
		deleted = append(deleted, name)
	}
	return deleted, nil
}

// Plan lists the changes that a load would make.
type Plan struct {
	Languages []Planned `json:"languages"`
	Withdrawn []string  `json:"withdrawn,omitempty"` // aliases of languages that the build lacks
	Dropped   []string  `json:"dropped,omitempty"`   // collections
}

// Planned compares a language of the build with the server before a load.
type Planned struct {
	Language   string `json:"language"`
	Collection string `json:"collection"`
	Points     int64  `json:"points"`
	There      int64  `json:"there"`             // number of points in the collection now
	Alias      string `json:"alias"`             // that will lead to it
	Serves     string `json:"serves,omitempty"`  // the collection of the alias now
	Serving    int64  `json:"serving,omitempty"` // number of points of that collection
}

// Plan returns the changes that Load and PutInService would make. It makes none itself.
func (s *Server) Plan(ctx context.Context, b Build, keep int) (Plan, error) {
	var p Plan
	if err := b.Check(); err != nil {
		return p, err
	}
	now, err := s.directory(ctx)
	if err != nil {
		return p, err
	}
	then := directory{now.collections, maps.Clone(now.aliases)}
	_, p.Withdrawn = b.aliasNames(now)
	for _, alias := range p.Withdrawn {
		delete(then.aliases, alias)
	}
	for _, l := range b.Languages {
		planned := Planned{Language: l.Slug, Collection: b.Collection(l.Slug), Points: l.Points(), Alias: b.Alias(l.Slug), Serves: now.aliases[b.Alias(l.Slug)]}
		if now.collections[planned.Collection] {
			if planned.There, err = s.Count(ctx, planned.Collection); err != nil {
				return p, err
			}
		}
		if planned.Serves != "" {
			if planned.Serving, err = s.Count(ctx, planned.Serves); err != nil {
				return p, err
			}
		}
		then.aliases[planned.Alias] = planned.Collection
		p.Languages = append(p.Languages, planned)
	}
	if keep >= 0 {
		p.Dropped = b.obsolete(now, then, keep)
	}
	return p, nil
}
