package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/postscan"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// The memory of the stage, in bytes. Together with some 25 MiB of the program itself
// it is 128 MiB and 24 bytes a post.
const (
	heap        = 100 << 20 // fragments, four compressors, connections, and as much garbage
	heapPerPost = 24        // the index of threads
)

// MemoryLimit returns the garbage collector's limit, in bytes, for a graph of so many
// posts. The stage is as fast under it as without a limit.
func MemoryLimit(posts int64) int64 { return heap + heapPerPost*posts }

// Run writes graph/ of the build in dir from the tables in db, and then its entry in
// the manifest. It resumes an interrupted run that has the same key.
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
	summary, err := writeGraph(ctx, dir, run, db, o)
	if err != nil {
		return fmt.Errorf("writing the graph: %w", err)
	}
	return run.Finish(summary)
}

// writeGraph writes all files of the graph.
func writeGraph(ctx context.Context, dir *manifest.Dir, run *manifest.Run, db *tables.DB, o Options) (summary manifest.Summary, err error) {
	src, err := openSource(ctx, db, o)
	if err != nil {
		return summary, err
	}
	var above hierarchy
	if o.Materialize {
		if above, err = readHierarchy(schema.Ontology); err != nil {
			return summary, err
		}
	}
	terms := newTerms(newSyntax(formats[o.Format], o.Site, o.Materialize), o.Site, above)
	p := &pipeline{Options: o, source: src, terms: terms, pool: newFragmentPool(o.poolSize)}
	files, err := p.writeBatches(ctx, run, dir.Out())
	if err != nil {
		return summary, err
	}
	if err := commitTurtle(run, "graph/ontology.ttl", schema.Ontology); err != nil {
		return summary, err
	}
	d := &description{
		Options: o, graphs: src.graphs, kinds: terms.kinds, perGraph: p.assembler.perGraph, union: p.assembler.kinds, files: files,
		dump: dir.Manifest().Dump, tool: dir.Manifest().Tool,
	}
	if err := commitTurtle(run, "graph/void.ttl", d.turtle()); err != nil {
		return summary, err
	}
	summary = manifest.Summary{Rows: p.assembler.quads(), Counts: p.assembler.done.byName(), UnusedTags: src.threads.UnusedTags(o.Languages), Figures: src.figures.result()}
	for _, f := range files {
		summary.BytesOut += f.Size
	}
	summary.Counts["triples"] = summary.Rows
	summary.Counts["files"] = int64(p.assembler.files)
	return summary, nil
}

// source is the input of a run: the tables and the index of threads.
type source struct {
	db      *tables.DB
	tables  map[string]bool // names of the tables that the dump has
	posts   postscan.Source
	threads *threads.Index
	graphs  []string // IRIs: the languages', then the remainder's
	figures *figures
}

// openSource builds the index of threads unless the options have it. A database without
// Posts is a usage fault.
func openSource(ctx context.Context, db *tables.DB, o Options) (*source, error) {
	s := &source{db: db, posts: o.Posts, threads: o.Threads}
	if s.posts == nil {
		s.posts = postscan.Table{DB: db}
	}
	var err error
	if s.tables, err = db.TableNames(ctx); err != nil {
		return nil, err
	}
	if !s.tables["Posts"] {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g ingest first", "there is no table Posts")
	}
	if s.threads == nil {
		if s.threads, err = threads.Build(ctx, db, o.Languages, o.Other); err != nil {
			return nil, err
		}
	}
	o.Log.Info("found the threads", "languages", len(o.Languages), "posts", s.threads.Len(), "bytes", s.threads.Bytes())
	s.graphs, s.figures = graphIRIs(o), newFigures(s.threads, o)
	return s, nil
}

// commitTurtle writes and commits a small Turtle file, unless an interrupted run has
// committed it.
func commitTurtle(run *manifest.Run, name string, content []byte) error {
	if slices.ContainsFunc(run.Committed(), func(f manifest.File) bool { return f.Name == name }) {
		return nil
	}
	var triples int64
	r := trig.NewReader(bytes.NewReader(content), trig.TriG) // Turtle is a part of TriG
	for r.Scan() {
		triples++
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out, err := run.Create(name)
	if err != nil {
		return err
	}
	if _, err := out.Write(content); err != nil {
		return errors.Join(err, out.Abort())
	}
	_, err = out.Commit(triples, "")
	return err
}
