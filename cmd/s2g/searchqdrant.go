package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"s2g/schema/manifest"
	"s2g/vectors"
	"s2g/vectors/qdrant"
)

// searchQdrant finds questions in the collection that serves a language. The build in
// OUT says by which models the query is embedded, and its shards hold the edges: a
// payload has those that begin at a post, and not all of a build need be in the server.
func (a *app) searchQdrant(ctx context.Context, o *options, m *manifest.Manifest, of vectors.SearchOptions, q *qdrantFlags) (hits []vectors.Hit, err error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, err
	}
	m.Options.Dense, m.Options.Sparse = cmp.Or(of.Dense, m.Options.Dense), cmp.Or(of.Sparse, m.Options.Sparse)
	embedders, err := vectors.OpenEmbedders(ctx, o.Out, m, of.Remote)
	if err != nil {
		return nil, err
	}
	query := qdrant.Query{Top: of.Top, Accepted: of.Accepted, Weight: embedders.Weight}
	if of.Hops > 0 { // a question without an accepted answer may lead to one that has
		query.Top, query.Accepted = of.Fetch(), false
	}
	if query.Dense, err = embedders.DenseQuery(ctx, of.Query); err != nil {
		return nil, err
	}
	terms, err := embedders.Sparse.Query(ctx, of.Query)
	if err != nil {
		return nil, fmt.Errorf("sparse vector of the query: %w", err)
	}
	query.Indices, query.Values = terms.Indices, terms.Values
	server, err := q.connect(ctx, a)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	alias := cmp.Or(q.prefix, site.Prefix()) + "_" + of.Slug
	found, err := server.Search(ctx, alias, query)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		h, err := vectors.HitOf(ctx, of.Query, f.Question, f.Match, f.Score)
		if err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	if of.Hops > 0 {
		return vectors.Follow(ctx, o.Out, of, hits)
	}
	return hits, nil
}
