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

// Version counts the changes of what this package writes for the same tables
// and options; it is part of the stage's key.
const Version = 2

// BatchSize is the number of quads in every file but the last.
const BatchSize = 50_000

// maxWorkers bounds the workers. Each has four connections, of which the private
// server takes 64; and eight render more than a server can send.
const maxWorkers = 8

// What the stage holds, in bytes: the program itself takes some 25 MiB more, which
// makes 128 MiB and 24 bytes a post.
const (
	heap        = 100 << 20 // fragments on the shelf, four compressors, connections, and as much garbage
	heapPerPost = 24        // the index of threads
)

// Options says what to write. The zero value is Stack Overflow's graph of the
// default languages, as TriG with gzip.
type Options struct {
	Site      vocab.Site        // empty: vocab.DefaultSite
	Languages []schema.Language // nil: schema.DefaultLanguages
	Other     bool              // questions of no language go into the remainder graph
	Format    string            // "trig" or "nquads"; empty: trig
	Compress  string            // "gzip", "zstd" or "none"; empty: gzip

	// Materialize writes out what follows from the ontology's hierarchy:
	// superclasses, superproperties, and the terms of others that they are
	// aligned with.
	Materialize bool

	Workers  int                                  // 0: GOMAXPROCS; never more than maxWorkers
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // posts; nil: nothing is reported

	batch          int // quads in a file; 0: BatchSize
	fragment, room int // bytes of a fragment, and of all; 0: fragmentSize, shelfSize
}

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
		o.fragment, o.room = fragmentSize, shelfSize
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

// Key is the key of the stage: it changes with whatever changes the files.
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
// manifest. A run of the same key that was interrupted is gone on with.
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
	b := &build{Options: o, db: db, run: run, out: dir.Out(), dump: dir.Manifest().Dump, tool: dir.Manifest().Tool}
	if err := b.write(ctx); err != nil {
		return fmt.Errorf("writing the graph: %w", err)
	}
	return run.Finish(b.summary())
}

// build is one run of the stage.
type build struct {
	Options
	db   *tables.DB
	run  *manifest.Run
	out  string // the folder that file names are relative to
	dump manifest.Dump
	tool string

	has     map[string]bool // the tables that the dump has
	threads *threads.Index
	terms   *terms
	graphs  []string // IRIs: the languages', then the remainder
	list    *tagList // when the posts are done
	asm     *assembler
	files   []manifest.File // the batches
	shelf   *shelf
}

func (b *build) write(ctx context.Context) error {
	var err error
	if b.has, err = present(ctx, b.db); err != nil {
		return err
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
	if err := b.batches(ctx, syntax); err != nil {
		return err
	}
	if err := b.commit("graph/ontology.ttl", schema.Ontology); err != nil {
		return err
	}
	return b.commit("graph/void.ttl", b.void())
}

// formats are the values of Options.Format.
var formats = map[string]trig.Format{"trig": trig.TriG, "nquads": trig.NQuads}

// commit writes a small file, unless an interrupted run has.
func (b *build) commit(name string, content []byte) error {
	for _, f := range b.run.Committed() {
		if f.Name == name {
			return nil
		}
	}
	out, err := b.run.Create(name)
	if err != nil {
		return err
	}
	if _, err := out.Write(content); err != nil {
		return errors.Join(err, out.Abort())
	}
	triples, err := count(content)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", name, err), out.Abort())
	}
	_, err = out.Commit(triples, "")
	return err
}

// count reads a file of Turtle and returns its triples.
func count(turtle []byte) (n int64, err error) {
	r := trig.NewReader(bytes.NewReader(turtle), trig.TriG)
	for r.Scan() {
		n++
	}
	return n, r.Err()
}

// present returns the names of the tables in service.
func present(ctx context.Context, db *tables.DB) (map[string]bool, error) {
	rows, err := db.Query(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for rows.Scan() {
		names[string(rows.Record()[0])] = true
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	if !names["Posts"] {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g ingest first", "there is no table Posts")
	}
	return names, nil
}

func (b *build) summary() manifest.Summary {
	s := manifest.Summary{Rows: b.asm.quads(), Counts: b.asm.done.byName(), UnusedTags: b.threads.UnusedTags(b.Languages)}
	for _, f := range b.files {
		s.BytesOut += f.Size
	}
	s.Counts["triples"] = s.Rows
	s.Counts["files"] = int64(b.asm.files)
	return s
}
