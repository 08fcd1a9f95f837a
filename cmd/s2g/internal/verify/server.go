package verify

import (
	"context"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// Server is a service that a build was loaded into. It is compared with what the
// build holds, never with what the load reported.
type Server interface {
	// Compare returns a check for each kind of thing that it compared, in order,
	// differences included. An error means that the server could not be queried,
	// and ends the verification.
	Compare(ctx context.Context, build *Contents) ([]Check, error)
}

// Contents is what a build holds: its files as they were read back and, where there
// are tables, compared with these.
type Contents struct {
	Out      string
	Site     vocab.Site
	Manifest *manifest.Manifest
	Graphs   []GraphContents // in the order of the languages, the remainder graph last

	verifier *verifier
}

// GraphContents is a named graph and the shards of its posts.
type GraphContents struct {
	Tag  string // empty: the remainder
	IRI  string
	Slug string // the folder of its shards, the name of its collection

	// Quads is by the tables, where there are any, else by the files. It is zero
	// in a build without a graph.
	Quads oracle.Tallies
	// Points and Posts, questions and answers, are by the shards. They are zero in
	// a build without vectors.
	Points, Posts int64
}

// Terms returns the number of terms that quads are counted by in this build: with
// option materialize, the implied ones too.
func (c *Contents) Terms() oracle.Term { return c.verifier.terms }

// CompareServers compares servers with a build that was verified before. It does not
// read the files again. The error is as Run's.
func (c *Contents) CompareServers(ctx context.Context, servers ...Server) (Report, error) {
	r := Report{Contents: c}
	for _, s := range servers {
		checks, err := s.Compare(ctx, c)
		if err != nil {
			return r, err
		}
		r.Checks = append(r.Checks, checks...)
	}
	return r, r.fault(c.Out)
}

// contents returns what was read. want is nil where there are no tables.
func (v *verifier) contents(want *oracle.Expected) *Contents {
	c := &Contents{Out: v.out, Site: v.site, Manifest: v.manifest, verifier: v, Graphs: make([]GraphContents, len(v.graphs))}
	for i, g := range v.graphs {
		t := v.shardTallies[i]
		c.Graphs[i] = GraphContents{
			Tag: g.tag, IRI: g.iri, Slug: g.slug, Quads: v.quads.graphs[i],
			Points: t.points, Posts: t.posts[question].Count + t.posts[answer].Count,
		}
		if want != nil && v.has(manifest.Graph) {
			c.Graphs[i].Quads = want.Graphs[i]
		}
	}
	return c
}
