// Package verify proves that the files of a build hold what its tables require. It
// trusts no count that the build recorded: it reads every file back, with readers that
// share no code with the writers, and compares it with what package oracle computes
// from the tables.
//
// The checks, in the order of the report:
//
//	tables     the rows of the tables are those that the ingest sent
//	files      the files that the manifest lists exist, with its sizes and SHA-256, and no others
//	batches    each file of the graph parses, has its 50,000 quads, and holds only terms of the ontology
//	graph      for each graph and term, the number of quads and their checksum are those of the tables
//	shards     each point's chunk is that of the whole text, its vectors are those of its text; see remade.go
//	questions  the posts in a language's shards are those of its graph, and of the tables
//	parents    each embedded post has one row of its own, whose text is the tables', cleaned again
//	model      the builtin embedder, fitted again on the same texts, is that of the build
//	payload    for each language and column, the checksum of the posts' values is that of the tables
//	description  ontology.ttl is that of s2g, void.ttl that of the graph
//	manifest   its counts, options and names of models are those of files and tables
//	documents  the documents are those that the contents of the build require
//	report     report.html is the page that counts, tables and files make
//
// The checks of servers that hold the build follow (server.go).
//
// A checksum that differs names only a graph and a term. Two more passes over
// these alone find the subject (difference.go).
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// Options of Run and Sample. The site and the languages of the build come from
// the manifest.
type Options struct {
	Servers []Server // of Run: compared last, in order

	Sample int                 // of Sample: the number of posts
	Seed   uint64              // of Sample: another seed draws other posts
	Hash   bool                // of Sample: check the SHA-256 of all files too
	Remote embed.RemoteOptions // of Sample: the requests to the build's endpoints

	Keys      map[string]string // of Run: the keys of stages, by the options in the manifest; nil: not compared
	OutOfDate []string          // stages of other tables or options than those of the manifest; their files are not compared
	Building  bool              // of Run: the build goes on: its report is not compared, and foreign files at the top are only mentioned
	Full      bool              // of Run: make the dense vectors of all posts again, not of a sample

	Workers  int                                  // how many files are read side by side; 0: GOMAXPROCS
	Progress func(what string, done, total int64) // receives the bytes of files read; nil: none
}

// Run verifies the build in out. Where db is nil it makes only the checks that need no
// tables.
//
// A difference is a verification fault that names the first; the report is complete
// nevertheless. Where a server fails, the report has the checks made until then. After
// any other error it is empty.
func Run(ctx context.Context, out string, db *tables.DB, o Options) (Report, error) {
	v, err := newVerifier(out, db != nil, o)
	if err != nil {
		return Report{}, err
	}
	if v.has(manifest.Vectors) {
		if err := v.openRemaker(ctx, o); err != nil {
			return Report{}, err
		}
	}
	if err := v.compareReportSum(); err != nil {
		return Report{}, err
	}
	if db != nil {
		if c, err := v.lookAtTables(ctx, db); err != nil || !c.OK {
			r := Report{Checks: []Check{c}}
			return r, cmp.Or(err, r.fault(out))
		}
	}
	var want *oracle.Expected
	work, workCtx := errgroup.WithContext(ctx)
	if db != nil {
		work.Go(func() (err error) {
			if want, err = oracle.Compute(workCtx, db, v.oracleOptions()); err != nil {
				return err
			}
			v.sumTexts()
			if v.compareTables(want); o.Building {
				return nil
			}
			return v.compareReport(workCtx, db, want)
		})
	}
	work.Go(func() error { return v.readFiles(workCtx) })
	work.Go(func() error {
		select {
		case <-v.partsRead:
			return v.checkModel(workCtx)
		case <-workCtx.Done():
			return workCtx.Err()
		}
	})
	if err := work.Wait(); err != nil {
		return Report{}, err
	}
	if want != nil && v.has(manifest.Vectors) {
		if err := v.compareTexts(ctx, db); err != nil {
			return Report{}, err
		}
	}
	checks, err := v.compare(ctx, want)
	if err != nil {
		return Report{}, err
	}
	report := Report{Checks: checks, Contents: v.contents(want)}
	ofServers, err := report.Contents.CompareServers(ctx, o.Servers...) // even where files differ
	report.Checks = append(report.Checks, ofServers.Checks...)
	if fault, _ := schema.FaultOf(err); err != nil && fault != schema.FaultVerification {
		return report, errors.Join(report.fault(out), err)
	}
	return report, report.fault(out)
}

// Report is the result of Run or Sample.
type Report struct {
	Checks   []Check   `json:"checks"` // in the order in which they were made
	Contents *Contents `json:"-"`      // of Run: what the build holds, to compare servers with later
}

// Check is the result of comparing one kind of thing.
type Check struct {
	Name       string `json:"name"`
	What       string `json:"what"` // what Count counts, as "quads"
	Count      int64  `json:"count"`
	OK         bool   `json:"ok"`
	Difference string `json:"difference,omitempty"` // the first

	remedy string // of a difference; empty: the remedy of damaged files
}

func newCheck(name, what string) Check { return Check{Name: name, What: what, OK: true} }

// differ records a difference, unless the check has one already.
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
			remedy := "run s2g build with the same options, which makes again what differs"
			if c.remedy != "" {
				remedy = c.remedy
			}
			return schema.Faultf(schema.FaultVerification, remedy, "%s differs: %s: %s", out, c.Name, c.Difference)
		}
	}
	return nil
}

// verifier is a build on disk, and what readFiles finds in it.
type verifier struct {
	out       string
	hasTables bool
	keys      map[string]string
	outOfDate []string // stages
	building  bool
	manifest  *manifest.Manifest
	site      vocab.Site
	graphs    []namedGraph // in the order of the languages, the remainder graph last
	terms     oracle.Term  // number of terms: with option materialize, it includes the implied ones
	workers   int
	progress  *byteProgress

	files        []file   // in graph/, vectors/ and parents/, by name
	emptyFolders []string // there

	encoding *shard.Encoding
	remaker  *remaker  // nil: the build has no vectors
	fitted   fitSample // the texts that the model was fitted on

	receivers sync.Mutex
	received  []*tableTexts // the texts of the tables

	partsRead chan struct{} // closed when readFiles has read all shards and parents

	// results of readFiles
	results                                    []fileResult
	inventory, batches, shards, parents, model Check
	tables                                     *Check     // nil: the manifest has no fingerprints
	report                                     *Check     // nil: there is no report, or there are no tables
	texts                                      textCounts // of the tables
	tableTexts, parentTexts                    textSums
	otherTexts                                 int64              // the first post of those whose sums differ; -1: none
	proven                                     *manifest.Manifest // the manifest as it must be
	quads                                      *quadCounter       // sums over all batches
	shardTallies                               []shardTally       // by graph
	parentPosts                                oracle.Tally
}

// namedGraph is a graph of the build and the folder of its posts' shards.
type namedGraph struct {
	tag, iri, slug string // tag is empty for the remainder, schema.SiteTag for the whole site
}

func newVerifier(out string, hasTables bool, o Options) (*verifier, error) {
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
	v := &verifier{hasTables: hasTables, keys: o.Keys, outOfDate: o.OutOfDate, building: o.Building, otherTexts: -1, parentTexts: textSums{}, partsRead: make(chan struct{}), out: out, manifest: m, site: site, terms: oracle.Terms, workers: o.Workers, encoding: shard.NewEncoding()}
	for _, l := range m.Options.Graphs() {
		v.graphs = append(v.graphs, namedGraph{l.Tag, site.Graph(l.Tag), l.Slug})
	}
	if m.Options.Materialize {
		v.terms = oracle.AllTerms
	}
	if v.workers <= 0 {
		v.workers = runtime.GOMAXPROCS(0)
	}
	v.model = newCheck("model", "posts on which the dense embedder was fitted again")
	v.quads, v.shardTallies = newQuadCounter(v), make([]shardTally, len(v.graphs))
	if v.files, v.emptyFolders, err = listFiles(out, v.outOfDate); err != nil {
		return nil, err
	}
	v.progress = newByteProgress(o.Progress, v.files)
	return v, nil
}

// oracleOptions returns what to compute from the tables. The connections are half as
// many as the workers, at most 8: the rest of the processors reads files.
func (v *verifier) oracleOptions() oracle.Options {
	o := v.manifest.Options
	return oracle.Options{
		Languages: o.Table(), Other: o.Other, Materialize: o.Materialize, Connections: min(max(v.workers/2, 1), 8),
		Fields: v.has(manifest.Vectors), Answers: v.embedsAnswers(), Texts: v.receiveTexts,
	}
}

// embedsAnswers reports whether the build embeds answers beside questions.
func (v *verifier) embedsAnswers() bool { return v.manifest.Options.Units == "question,answer" }

// has reports whether the build has a stage, and its files are compared.
func (v *verifier) has(stage string) bool {
	return v.manifest.Stages[stage] != nil && !slices.Contains(v.outOfDate, stage)
}

// compare completes the checks of the files with those against the tables. want is nil
// where there are no tables.
func (v *verifier) compare(ctx context.Context, want *oracle.Expected) ([]Check, error) {
	var checks []Check
	if v.tables != nil {
		checks = append(checks, *v.tables)
	}
	checks = append(checks, v.inventory)
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
		if v.isBuiltin() {
			checks = append(checks, v.model)
		}
		if want != nil {
			payload, err := v.comparePayload(ctx, want)
			if err != nil {
				return nil, err
			}
			checks = append(checks, payload)
		}
	}
	// these are last, because the other checks describe a damaged file better
	if err := v.prove(want); err != nil {
		return nil, err
	}
	for _, compare := range []func(*oracle.Expected) (Check, error){v.compareDescription, v.compareManifest, v.compareDocuments} {
		c, err := compare(want)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
	}
	if v.report != nil {
		checks = append(checks, *v.report)
	}
	return checks, nil
}
