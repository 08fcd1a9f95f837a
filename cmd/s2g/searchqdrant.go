package main

import (
	"cmp"
	"context"

	"s2g/schema/manifest"
	"s2g/vectors/qdrant"
	"s2g/vectors/search"
)

// qdrantFinder connects to a server, and finds questions in the collection that serves a
// language there. The models of the query and the edges are those of the build in OUT: a
// payload has only the edges that begin at a post, and a server may hold a part of a build.
func (a *app) qdrantFinder(ctx context.Context, m *manifest.Manifest, slug string, q *qdrantFlags) (*qdrant.Server, search.Finder, error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, nil, err
	}
	server, err := q.connect(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	return server, server.Finder(cmp.Or(q.prefix, site.Prefix()) + "_" + slug), nil
}
