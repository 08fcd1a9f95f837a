package verify

import (
	"context"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// Server is a service that a build was loaded into. It is held against what a
// build was found to hold, never against what the load says that it sent.
type Server interface {
	// Compare returns a check for each kind of thing that it compared, in
	// order, differences among them. An error says that the server could not be
	// asked, and ends the verification.
	Compare(ctx context.Context, found *Contents) ([]Check, error)
}

// Contents is what a build holds: its files as they were read back and, where
// there were tables, as they were compared with these.
type Contents struct {
	Out      string
	Site     vocab.Site
	Manifest *manifest.Manifest
	Graphs   []GraphContents // in the order of the languages, the remainder graph last

	build *build
}

// GraphContents is a named graph and the shards of its posts.
type GraphContents struct {
	Tag  string // empty: the remainder
	IRI  string
	Slug string // the folder of its shards, the name of its collection

	// Quads is by the tables, where there are any, else by the files. It is zero
	// in a build without a graph.
	Quads oracle.Tallies
	// Points and Posts, questions and answers, are by the shards; zero in a
	// build without vectors.
	Points, Posts int64
}

// Terms returns what quads are counted by in this build: with --materialize,
// the terms that follow from others too.
func (f *Contents) Terms() oracle.Term { return f.build.terms }

// CompareServers compares servers with a build that was verified before. It does not
// read the files again. The error is as Run's.
func (f *Contents) CompareServers(ctx context.Context, servers ...Server) (Report, error) {
	r := Report{Contents: f}
	for _, s := range servers {
		checks, err := s.Compare(ctx, f)
		if err != nil {
			return r, err
		}
		r.Checks = append(r.Checks, checks...)
	}
	return r, r.fault(f.Out)
}

// found sums up what was read. view is nil where there are no tables.
func (b *build) found(view *oracle.Expected) *Contents {
	f := &Contents{Out: b.out, Site: b.site, Manifest: b.manifest, build: b, Graphs: make([]GraphContents, len(b.graphs))}
	for i, g := range b.graphs {
		t := b.shards.graphs[i]
		f.Graphs[i] = GraphContents{Tag: g.tag, IRI: g.iri, Slug: g.slug, Quads: b.census.graphs[i], Points: t.points, Posts: t.questions.Count + t.answers.Count}
		if view != nil && b.has(manifest.Graph) {
			f.Graphs[i].Quads = view.Graphs[i]
		}
	}
	return f
}
