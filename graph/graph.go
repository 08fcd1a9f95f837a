package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// Version is part of the stage's key. It changes whenever this package writes other
// files for the same tables and options.
const Version = 2

// BatchSize is the number of quads in every file but the last.
const BatchSize = 50_000

// maxWorkers limits the workers. Each has four connections, and the private server
// accepts 64; eight workers render more than a server sends.
const maxWorkers = 8

// What the stage holds, in bytes. With some 25 MiB of the program itself, this makes
// 128 MiB and 24 bytes a post.
const (
	heap        = 100 << 20 // fragments, four compressors, connections, and as much garbage
	heapPerPost = 24        // the index of threads
)

// Options selects what to write. The zero value is Stack Overflow's graph of the
// default languages, as TriG with gzip.
type Options struct {
	Site      vocab.Site        // empty: vocab.DefaultSite
	Languages []schema.Language // nil: schema.DefaultLanguages
	Other     bool              // questions of no language go into the remainder graph
	Format    string            // "trig" or "nquads"; empty: trig
	Compress  string            // "gzip", "zstd" or "none"; empty: gzip

	// Materialize adds what follows from the ontology's hierarchy: superclasses,
	// superproperties, and the terms of other vocabularies that it aligns with.
	Materialize bool

	Workers  int                                  // 0: GOMAXPROCS; at most maxWorkers
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // receives written posts; nil: nobody does

	batch              int // quads in a file; 0: BatchSize
	fragment, poolSize int // bytes of a fragment, and of all; 0: fragmentSize, poolSize
}

// formats are the values of Options.Format.
var formats = map[string]trig.Format{"trig": trig.TriG, "nquads": trig.NQuads}

// withDefaults fills in the zero values and checks the rest.
func (o Options) withDefaults() (Options, error) {
	if o.Site == "" {
		o.Site = vocab.DefaultSite
	}
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	if o.Format == "" {
		o.Format = "trig"
	}
	if o.Compress == "" {
		o.Compress = "gzip"
	}
	if o.batch == 0 {
		o.batch = BatchSize
	}
	if o.fragment == 0 {
		o.fragment, o.poolSize = fragmentSize, poolSize
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, maxWorkers)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if _, ok := formats[o.Format]; !ok {
		return o, schema.Faultf(schema.FaultUsage, "use trig or nquads", "unknown graph format %q", o.Format)
	}
	if _, ok := compressions[o.Compress]; !ok {
		return o, schema.Faultf(schema.FaultUsage, "use gzip, zstd or none", "unknown compression %q", o.Compress)
	}
	return o, nil
}

// Key returns the stage's key, which changes with everything that changes the files.
func Key(ingestKey string, o Options) (string, error) {
	o, err := o.withDefaults()
	if err != nil {
		return "", err
	}
	return manifest.Key(manifest.Graph, Version, ingestKey, o.Site, o.Languages, o.Other, o.Format, o.Compress, o.Materialize)
}

// MemoryLimit returns the limit of the garbage collector, in bytes, under which the
// graph of so many posts is as fast as without one.
func MemoryLimit(posts int64) int64 { return heap + heapPerPost*posts }

// Run writes graph/ of a build whose tables are in db, and its entry in the
// manifest. It resumes an interrupted run that has the same key.
func Run(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) (err error) {
	o, err = o.withDefaults()
	if err != nil {
		return err
	}
	ingest := dir.Manifest().Stages[manifest.Ingest]
	if ingest == nil {
		return schema.Faultf(schema.FaultUsage, "run s2g ingest first", "%s has no tables", dir.Out())
	}
	key, err := Key(ingest.Key, o)
	if err != nil {
		return err
	}
	run, err := dir.Begin(manifest.Graph, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	b := &builder{Options: o, db: db, run: run, out: dir.Out(), dump: dir.Manifest().Dump, tool: dir.Manifest().Tool}
	if err := b.build(ctx); err != nil {
		return fmt.Errorf("writing the graph: %w", err)
	}
	return run.Finish(b.summary())
}

// builder is the state of one run of the stage.
type builder struct {
	Options
	db   *tables.DB
	run  *manifest.Run
	out  string // the folder that file names are relative to
	dump manifest.Dump
	tool string

	tables    map[string]bool // those that the dump has
	threads   *threads.Index
	terms     *terms
	graphs    []string // IRIs: the languages', then the remainder
	pool      *fragmentPool
	assembler *assembler
	tagList   *tagList        // set after the phase of posts
	files     []manifest.File // the batches
}

// build writes all files of the graph.
func (b *builder) build(ctx context.Context) error {
	var err error
	if b.tables, err = b.db.Names(ctx); err != nil {
		return err
	}
	if !b.tables["Posts"] {
		return schema.Faultf(schema.FaultUsage, "run s2g ingest first", "there is no table Posts")
	}
	if b.threads, err = threads.Build(ctx, b.db, b.Languages, b.Other); err != nil {
		return err
	}
	b.Log.Info("found the threads", "languages", len(b.Languages), "posts", b.threads.Len(), "bytes", b.threads.Bytes())
	for _, l := range b.Languages {
		b.graphs = append(b.graphs, b.Site.Graph(l.Tag))
	}
	if b.Other {
		b.graphs = append(b.graphs, b.Site.OtherGraph())
	}
	var above hierarchy
	if b.Materialize {
		if above, err = readHierarchy(schema.Ontology); err != nil {
			return err
		}
	}
	syntax := newSyntax(formats[b.Format], b.Site, b.Materialize)
	b.terms = newTerms(syntax, b.Site, above)
	if err := b.writeBatches(ctx, syntax); err != nil {
		return err
	}
	if err := b.commitTurtle("graph/ontology.ttl", schema.Ontology); err != nil {
		return err
	}
	return b.commitTurtle("graph/void.ttl", b.void())
}

// commitTurtle writes a small file of Turtle, unless an interrupted run has.
func (b *builder) commitTurtle(name string, content []byte) error {
	for _, f := range b.run.Committed() {
		if f.Name == name {
			return nil
		}
	}
	var triples int64
	r := trig.NewReader(bytes.NewReader(content), trig.TriG) // Turtle is a part of it
	for r.Scan() {
		triples++
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out, err := b.run.Create(name)
	if err != nil {
		return err
	}
	if _, err := out.Write(content); err != nil {
		return errors.Join(err, out.Abort())
	}
	_, err = out.Commit(triples, "")
	return err
}

// summary returns the manifest's entry of the stage.
func (b *builder) summary() manifest.Summary {
	s := manifest.Summary{Rows: b.assembler.quads(), Counts: b.assembler.done.byName(), UnusedTags: b.threads.UnusedTags(b.Languages)}
	for _, f := range b.files {
		s.BytesOut += f.Size
	}
	s.Counts["triples"] = s.Rows
	s.Counts["files"] = int64(b.assembler.files)
	return s
}
