// Package verify proves the files of a build equal to its tables. It trusts
// nothing that the build wrote about itself: it reads every file back, with
// readers that share no code with the writers, and has SQL say what they must
// hold (package expect).
//
// In order, each a [Check] of the report:
//
//	files      what the manifest lists is there, with its size and SHA-256, and nothing else is
//	batches    each file of the graph parses, has its 50,000 quads, and holds only what the design names
//	graph      for each graph and term, the number of quads and their checksum are those of the tables
//	shards     each point's ids, chunks, text, hash and vectors are right in themselves
//	questions  the posts in a language's shards are those of its graph, and of the tables
//	parents    each embedded post has one row of its own
//
// and then the checks of the servers that the build was loaded into (server.go).
//
// A checksum that differs says only which graph and term; two more passes over
// these alone find the subject (search.go).
package verify

import (
	"context"
	"errors"
	"log/slog"
	"runtime"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// Options of Run and Sample. What the build is of, its site and languages, comes
// from the manifest.
type Options struct {
	Servers []Server // compared last, in order

	// of Sample
	Sample int    // how many posts
	Seed   uint64 // which
	Hash   bool   // check the SHA-256 of all files, too

	Workers  int                                  // files read side by side; 0: GOMAXPROCS
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // told the bytes of files read; nil: nobody
}

// Run verifies the build in out against the tables, or, where db is nil, as far
// as that goes without tables. A difference gives a verification fault that
// names the first; the report is whole then too. Other errors leave the report
// unfinished: with what was compared before a server failed, else empty.
func Run(ctx context.Context, out string, db *tables.DB, o Options) (Report, error) {
	m, err := readManifest(out)
	if err != nil {
		return Report{}, err
	}
	b, err := open(out, m, o)
	if err != nil {
		return Report{}, err
	}
	var view *oracle.Expected
	work, workCtx := errgroup.WithContext(ctx)
	if db != nil {
		work.Go(func() (err error) {
			view, err = oracle.Compute(workCtx, db, oracle.Options{
				Languages: m.Options.Languages, Other: m.Options.Other, Materialize: m.Options.Materialize, Connections: connections(b.workers),
				Fields: b.has(manifest.Vectors), Answers: b.embedsAnswers(),
			})
			return err
		})
	}
	work.Go(func() error { return b.read(workCtx) })
	if err := work.Wait(); err != nil {
		return Report{}, err
	}
	return b.judge(ctx, view)
}

func readManifest(out string) (*manifest.Manifest, error) {
	m, err := manifest.Read(out)
	if err == nil && m.Stages[manifest.Graph] == nil && m.Stages[manifest.Vectors] == nil {
		err = schema.Faultf(schema.FaultUsage, "run s2g build first", "%s has neither a graph nor vectors to verify", out)
	}
	return m, err
}

// connections is how many connections read the tables side by side: the files keep as
// many processors busy.
func connections(workers int) int { return min(max(workers/2, 1), 8) }

// build is a build on disk, and what was found in it.
type build struct {
	out      string
	manifest *manifest.Manifest
	site     vocab.Site
	terms    oracle.Term // how many there are: with --materialize, those that follow too
	graphs   []graph
	workers  int
	servers  []Server
	log      *slog.Logger
	progress *progress

	files     []file // what lies in graph/, vectors/ and parents/, by name
	inventory Check
	documents Check // what was published with them

	census  *census // of all batches
	batches Check
	shards  shardSet
	parents parentSet
}

// graph is a named graph and the shards of its questions.
type graph struct {
	tag, iri, slug string
}

func open(out string, m *manifest.Manifest, o Options) (*build, error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, err
	}
	b := &build{out: out, manifest: m, site: site, workers: o.Workers, servers: o.Servers, log: o.Log}
	if b.workers <= 0 {
		b.workers = runtime.GOMAXPROCS(0)
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	for _, l := range m.Options.Graphs() {
		iri := site.Graph(l.Tag)
		if l.Tag == "" {
			iri = site.OtherGraph()
		}
		b.graphs = append(b.graphs, graph{l.Tag, iri, l.Slug})
	}
	b.terms = oracle.Terms
	if m.Options.Materialize {
		b.terms = oracle.AllTerms
	}
	b.census = newCensus(b)
	b.shards.graphs = make([]shardTally, len(b.graphs))
	b.files, err = list(out)
	b.progress = newProgress(o.Progress, b.files)
	return b, err
}

// judge puts the report together. view is nil where there are no tables.
func (b *build) judge(ctx context.Context, view *oracle.Expected) (Report, error) {
	checks := []Check{b.inventory}
	if b.has(manifest.Graph) {
		checks = append(checks, b.batches)
		if view != nil {
			c, err := b.compareGraphs(ctx, view)
			if err != nil {
				return Report{}, err
			}
			checks = append(checks, c)
		}
	}
	if b.has(manifest.Vectors) {
		questions, err := b.compareShards(ctx, view)
		if err != nil {
			return Report{}, err
		}
		parents, err := b.compareParents(ctx)
		if err != nil {
			return Report{}, err
		}
		checks = append(checks, b.shards.check, questions, parents)
		if view != nil {
			fields, err := b.compareFields(ctx, view)
			if err != nil {
				return Report{}, err
			}
			checks = append(checks, fields)
		}
	}
	if len(b.manifest.Published) > 0 {
		checks = append(checks, b.documents) // last: what differs in a file is better named by what is in it
	}
	return b.withServers(ctx, Report{Checks: checks, Contents: b.found(view)})
}

// withServers compares the servers, whatever the files were found to be, and
// names the first difference of all. What was compared before a server failed is
// in the report.
func (b *build) withServers(ctx context.Context, r Report) (Report, error) {
	after, err := r.Contents.CompareServers(ctx, b.servers...)
	r.Checks = append(r.Checks, after.Checks...)
	if fault, _ := schema.FaultOf(err); err != nil && fault != schema.FaultVerification {
		return r, errors.Join(r.fault(b.out), err)
	}
	return r, r.fault(b.out)
}

// embedsAnswers tells what the build was asked for.
func (b *build) embedsAnswers() bool { return b.manifest.Options.Units == "question,answer" }

func (b *build) has(stage string) bool { return b.manifest.Stages[stage] != nil }
