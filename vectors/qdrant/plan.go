package qdrant

import "context"

// Plan is what a load would do.
type Plan struct {
	Languages []Planned `json:"languages"`
	Withdrawn []string  `json:"withdrawn,omitempty"` // aliases of languages that the build does not have
	Dropped   []string  `json:"dropped,omitempty"`   // collections
}

// Planned is what a load would do for a language.
type Planned struct {
	Language   string `json:"language"`
	Collection string `json:"collection"`
	Points     int64  `json:"points"`
	There      int64  `json:"there"`             // of these, in the collection now
	Alias      string `json:"alias"`             // that is to lead to it
	Serves     string `json:"serves,omitempty"`  // the collection to which it leads now
	Serving    int64  `json:"serving,omitempty"` // points of that
}

// Plan says what loading a build and putting it in service would do. It changes nothing.
func (s *Server) Plan(ctx context.Context, b Build, keep int) (Plan, error) {
	var p Plan
	if err := b.Check(); err != nil {
		return p, err
	}
	d, err := s.directory(ctx)
	if err != nil {
		return p, err
	}
	then := directory{d.collections, map[string]string{}}
	_, p.Withdrawn = b.serving(d)
	for _, l := range b.Languages {
		one := Planned{Language: l.Slug, Collection: b.Collection(l.Slug), Points: l.Points(), Alias: b.Alias(l.Slug), Serves: d.aliases[b.Alias(l.Slug)]}
		if d.collections[one.Collection] {
			if one.There, err = s.Count(ctx, one.Collection); err != nil {
				return p, err
			}
		}
		if one.Serves != "" {
			if one.Serving, err = s.Count(ctx, one.Serves); err != nil {
				return p, err
			}
		}
		then.aliases[one.Alias] = one.Collection
		p.Languages = append(p.Languages, one)
	}
	for alias, collection := range d.aliases {
		if _, moved := then.aliases[alias]; !moved {
			then.aliases[alias] = collection
		}
	}
	for _, alias := range p.Withdrawn {
		delete(then.aliases, alias)
	}
	if keep >= 0 {
		p.Dropped = b.earlier(d, then, keep)
	}
	return p, nil
}
