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

// shrinkTo is the share of the points in service that a build must have to follow it.
const shrinkTo = 0.9

// directory is what a server has: its collections, and where aliases lead to.
type directory struct {
	collections map[string]bool
	aliases     map[string]string
}

func (s *Server) directory(ctx context.Context) (d directory, err error) {
	return call(ctx, s, "listing collections and aliases", s.list)
}

func (s *Server) list(ctx context.Context) (directory, error) {
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

// Aliases returns which collection each alias of a server leads to.
func (s *Server) Aliases(ctx context.Context) (map[string]string, error) {
	d, err := s.directory(ctx)
	return d.aliases, err
}

// serving returns the aliases that the build is to have, and those of other builds
// with the same prefix that serve languages which this one does not have. Of part of
// a build the latter stay as they are, and none is returned.
func (b Build) serving(d directory) (ours, others []string) {
	for _, l := range b.Languages {
		ours = append(ours, b.Alias(l.Slug))
	}
	if b.Part {
		return ours, nil
	}
	for alias, collection := range d.aliases {
		if slug, _, ok := b.parse(collection); ok && alias == b.Alias(slug) && !slices.Contains(ours, alias) {
			others = append(others, alias)
		}
	}
	slices.Sort(others)
	return ours, others
}

// Check asks, before anything is loaded, whether the build could be put in service: no
// collection may have the name of an alias, and unless that is allowed the build may
// not be much smaller than what is in service now. A usage fault says why not.
func (s *Server) Check(ctx context.Context, b Build, allowShrink bool) error {
	if err := b.Check(); err != nil {
		return err
	}
	d, err := s.directory(ctx)
	if err != nil {
		return err
	}
	ours, others := b.serving(d)
	for _, alias := range ours {
		if d.collections[alias] {
			return schema.Faultf(schema.FaultUsage, "give another --prefix, or delete that collection",
				"%s: a collection has the name %s, which is to be an alias", s.Address, alias)
		}
	}
	if allowShrink {
		return nil
	}
	var before int64
	var gone []string
	for _, alias := range slices.Concat(ours, others) {
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
	if float64(after) >= shrinkTo*float64(before) {
		return nil
	}
	lacking := ""
	if len(gone) > 0 {
		lacking = "; it has nothing for " + strings.Join(gone, ", ")
	}
	return schema.Faultf(schema.FaultUsage, "give --allow-shrink if it is to be so, another --prefix to keep both, or --languages to load only some",
		"%s: the build has %d points, what is in service has %d%s", s.Address, after, before, lacking)
}

// complete makes sure that a build's collections hold all its points, whoever says that
// they were loaded.
func (s *Server) complete(ctx context.Context, b Build) error {
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

// Serve puts a build that was loaded in service: all its aliases move in one request,
// which the server carries out as one. Then it drops collections of other builds with
// the same prefix but for the newest of each language, as many as keep says, or all
// where that is negative; those that were in service before count as the newest. What
// any alias leads to stays. It returns what was dropped.
func (s *Server) Serve(ctx context.Context, b Build, keep int, allowShrink bool) (dropped []string, err error) {
	if err := s.Check(ctx, b, allowShrink); err != nil {
		return nil, err
	}
	if err := s.complete(ctx, b); err != nil {
		return nil, err
	}
	var before directory
	err = do(ctx, s, "moving the aliases", func(ctx context.Context) error {
		d, err := s.list(ctx) // asked again for each try: an answer that was lost may have been yes
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
			return nil, schema.Faultf(schema.FaultService, "see whether something else sets aliases there, then give the same command again",
				"%s: the alias %s leads to %q, not %s", s.Address, alias, got, want)
		}
		s.Log.Debug("in service", "alias", alias, "collection", want, "before", before.aliases[alias])
	}
	s.Log.Info("in service", "build", b.Prefix+" "+b.Edition, "aliases", len(b.Languages))
	if keep < 0 {
		return nil, nil
	}
	return s.drop(ctx, b.earlier(before, after, keep))
}

// moves are the changes of aliases that put the build in service.
func (b Build) moves(d directory) (actions []*qdrant.AliasOperations) {
	_, others := b.serving(d)
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

// earlier returns which collections are to go: of each language the build has (of all
// with its prefix, if it is whole) those of other builds beyond the number to keep.
func (b Build) earlier(before, after directory, keep int) (drop []string) {
	ours, others := map[string]bool{}, map[string][]string{} // collections; by slug
	for _, l := range b.Languages {
		ours[b.Collection(l.Slug)], others[l.Slug] = true, nil
	}
	for _, name := range slices.Sorted(maps.Keys(after.collections)) {
		slug, _, ok := b.parse(name)
		if _, wanted := others[slug]; ok && !ours[name] && (wanted || !b.Part) {
			others[slug] = append(others[slug], name)
		}
	}
	served := func(name string) int {
		if slug, _, _ := b.parse(name); before.aliases[b.Alias(slug)] == name {
			return 0
		}
		return 1
	}
	for _, names := range others {
		slices.SortFunc(names, func(x, y string) int { // the date is what differs first
			return cmp.Or(cmp.Compare(served(x), served(y)), cmp.Compare(y, x))
		})
		for _, name := range names[min(keep, len(names)):] {
			if !slices.Contains(slices.Collect(maps.Values(after.aliases)), name) {
				drop = append(drop, name)
			}
		}
	}
	slices.Sort(drop)
	return drop
}

func (s *Server) drop(ctx context.Context, names []string) (dropped []string, err error) {
	for _, name := range names {
		err := do(ctx, s, "deleting "+name, func(ctx context.Context) error {
			err := s.client.DeleteCollection(ctx, name)
			if err == nil || passes(err) {
				return err
			}
			if there, asked := s.client.CollectionExists(ctx, name); asked == nil && !there {
				return nil // an earlier try has done it
			}
			return err
		})
		if err != nil {
			return dropped, err
		}
		s.Log.Info("deleted", "collection", name)
		dropped = append(dropped, name)
	}
	return dropped, nil
}
