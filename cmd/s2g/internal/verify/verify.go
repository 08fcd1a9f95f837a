// Package verify proves the files of a build equal to its tables. It relies on
// nothing that the build recorded about itself: it reads every file back, with
// readers that share no code with the writers, and compares it with what package
// oracle computes from the tables.
//
// In order, each a [Check] of the report:
//
//	files      the files that the manifest lists exist, with its sizes and SHA-256, and no others
//	batches    each file of the graph parses, has its 50,000 quads, and holds only terms of the ontology
//	graph      for each graph and term, the number of quads and their checksum are those of the tables
//	shards     each point's ids, chunks, text, hash and vectors are consistent in themselves
//	questions  the posts in a language's shards are those of its graph, and of the tables
//	parents    each embedded post has one row of its own
//	payload    for each language and column, the checksum of the posts' values is that of the tables
//	documents  the documents of the build and the lines of SHA256SUMS are those of the files
//
// and then the checks of the servers that the build was loaded into (server.go).
//
// A checksum that differs names only a graph and a term. Two more passes over
// these alone find the subject (search.go).
package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// Options of Run and Sample. The site and the languages of the build come from
// the manifest.
type Options struct {
	Servers []Server // Run compares them last, in order

	// of Sample
	Sample int    // the number of posts
	Seed   uint64 // another seed draws other posts
	Hash   bool   // check the SHA-256 of all files too

	Workers  int                                  // how many files are read side by side; 0: GOMAXPROCS
	Progress func(what string, done, total int64) // receives the bytes of files read; nil: none
}

// Run verifies the build in out against the tables or, where db is nil, as far as
// that is possible without tables. A difference is a verification fault that names
// the first; the report is complete then too. After another error the report holds
// what was compared before a server failed, else nothing.
func Run(ctx context.Context, out string, db *tables.DB, o Options) (Report, error) {
	v, err := newVerifier(out, o)
	if err != nil {
		return Report{}, err
	}
	var want *oracle.Expected
	work, workCtx := errgroup.WithContext(ctx)
	if db != nil {
		work.Go(func() (err error) {
			want, err = oracle.Compute(workCtx, db, v.oracleOptions())
			return err
		})
	}
	work.Go(func() error { return v.readFiles(workCtx) })
	if err := work.Wait(); err != nil {
		return Report{}, err
	}
	checks, err := v.compare(ctx, want)
	if err != nil {
		return Report{}, err
	}
	report := Report{Checks: checks, Contents: v.contents(want)}
	ofServers, err := report.Contents.CompareServers(ctx, o.Servers...) // whatever the files are
	report.Checks = append(report.Checks, ofServers.Checks...)
	if fault, _ := schema.FaultOf(err); err != nil && fault != schema.FaultVerification {
		return report, errors.Join(report.fault(out), err)
	}
	return report, report.fault(out)
}

// verifier is a build on disk and what its files were found to hold.
type verifier struct {
	out      string
	manifest *manifest.Manifest
	site     vocab.Site
	graphs   []namedGraph // in the order of the languages, the remainder graph last
	terms    oracle.Term  // how many there are: with option materialize, the implied ones too
	workers  int
	progress *byteProgress

	files []file // in graph/, vectors/ and parents/, by name

	// what readFiles found
	inventory, batches, shards, parents, documents Check
	quads                                          *quadCounter // of all batches
	shardTallies                                   []shardTally // by graph
	parentPosts                                    oracle.Tally
}

// namedGraph is a graph of the build and the folder of its posts' shards.
type namedGraph struct {
	tag, iri, slug string // tag is empty for the remainder
}

func newVerifier(out string, o Options) (*verifier, error) {
	m, err := manifest.Read(out)
	if err != nil {
		return nil, err
	}
	if m.Stages[manifest.Graph] == nil && m.Stages[manifest.Vectors] == nil {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g build first", "%s has neither a graph nor vectors to verify", out)
	}
	site, err := m.BuildSite()
	if err != nil {
		return nil, err
	}
	v := &verifier{out: out, manifest: m, site: site, terms: oracle.Terms, workers: o.Workers}
	for _, l := range m.Options.Graphs() {
		iri := site.Graph(l.Tag)
		if l.Tag == "" {
			iri = site.OtherGraph()
		}
		v.graphs = append(v.graphs, namedGraph{l.Tag, iri, l.Slug})
	}
	if m.Options.Materialize {
		v.terms = oracle.AllTerms
	}
	if v.workers <= 0 {
		v.workers = runtime.GOMAXPROCS(0)
	}
	v.quads, v.shardTallies = newQuadCounter(v), make([]shardTally, len(v.graphs))
	if v.files, err = listFiles(out); err != nil {
		return nil, err
	}
	v.progress = newByteProgress(o.Progress, v.files)
	return v, nil
}

// oracleOptions returns what to compute from the tables. Half of the workers' number
// of connections, up to 8, leaves the processors to the files.
func (v *verifier) oracleOptions() oracle.Options {
	o := v.manifest.Options
	return oracle.Options{
		Languages: o.Languages, Other: o.Other, Materialize: o.Materialize, Connections: min(max(v.workers/2, 1), 8),
		Fields: v.has(manifest.Vectors), Answers: v.embedsAnswers(),
	}
}

// embedsAnswers reports whether the build was requested to embed answers.
func (v *verifier) embedsAnswers() bool { return v.manifest.Options.Units == "question,answer" }

// has reports whether the build has a stage.
func (v *verifier) has(stage string) bool { return v.manifest.Stages[stage] != nil }

// compare returns the checks of what readFiles has read. want is nil where there
// are no tables.
func (v *verifier) compare(ctx context.Context, want *oracle.Expected) ([]Check, error) {
	checks := []Check{v.inventory}
	if v.has(manifest.Graph) {
		checks = append(checks, v.batches)
		if want != nil {
			c, err := v.compareGraphs(ctx, want)
			if err != nil {
				return nil, err
			}
			checks = append(checks, c)
		}
	}
	if v.has(manifest.Vectors) {
		posts, err := v.comparePosts(ctx, want)
		if err != nil {
			return nil, err
		}
		parents, err := v.compareParents(ctx)
		if err != nil {
			return nil, err
		}
		checks = append(checks, v.shards, posts, parents)
		if want != nil {
			payload, err := v.comparePayload(ctx, want)
			if err != nil {
				return nil, err
			}
			checks = append(checks, payload)
		}
	}
	if len(v.manifest.Published) > 0 {
		checks = append(checks, v.documents) // last: another check names better what differs in a file
	}
	return checks, nil
}

// Report is what was verified, in order.
type Report struct {
	Checks   []Check   `json:"checks"`
	Contents *Contents `json:"-"` // what the build holds, to compare servers with later
}

// Check is the comparison of one kind of thing.
type Check struct {
	Name       string `json:"name"`
	What       string `json:"what"` // what Count counts, as "quads"
	Count      int64  `json:"count"`
	OK         bool   `json:"ok"`
	Difference string `json:"difference,omitempty"` // the first

	remedy string // of a difference; empty: that of files
}

func newCheck(name, what string) Check { return Check{Name: name, What: what, OK: true} }

// differ records a difference. The first is kept.
func (c *Check) differ(format string, args ...any) {
	if c.OK {
		c.OK, c.Difference = false, fmt.Sprintf(format, args...)
	}
}

// fault returns the error that names the report's first difference, nil where
// there is none.
func (r Report) fault(out string) error {
	for _, c := range r.Checks {
		if !c.OK {
			remedy := "build into another folder, or remove the damaged file and the stage's entry of manifest.json"
			if c.remedy != "" {
				remedy = c.remedy
			}
			return schema.Faultf(schema.FaultVerification, remedy, "%s differs: %s: %s", out, c.Name, c.Difference)
		}
	}
	return nil
}
