// Package ingest loads a dump into the tables of MariaDB.
//
// For each table, as one pipeline in which no step waits for the whole table:
//
//  1. the dump's stream is decoded and hashed, and cut into blocks of rows,
//  2. workers scan the blocks and write each row as a line of TSV, values
//     checked against the schema,
//  3. rows are put in the order of their Ids, and duplicates dropped: rows that
//     come in order pass through, the others are sorted in runs on disk,
//  4. LOAD DATA reads the lines into a staging table.
//
// Then the staging table gets its indexes, and a note in the run's journal, so
// that a run that was killed goes on with the tables that are not loaded. Tables
// go side by side; when all are complete one RENAME puts them in service
// together. Until then, and if anything fails, the tables of the dump before
// stay as they were, and the manifest names them; see serve.go.
//
// The server reads 85 to 105 MB of XML a second, so it is what the time goes to;
// the steps before it must only keep out of its way.
//
// A bad row is data. It is left out, or kept without the value that is bad or
// with it repaired, as its class says (class.go), counted by class, and the
// first few of each class are written to OUT/rejects.jsonl, one JSON object a
// line:
//
//	{"table":"Posts","file":"Posts.xml","class":"bad_date","id":"17","offset":4711,"column":"LastEditDate","value":"yesterday","kept":true}
//
// offset is that of the row in the decoded XML; kept says that the row is in
// the table.
package ingest

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Options are those of an ingest. The zero value, but for Dump, is the default.
type Options struct {
	Dump       string   // the path of the dump; see dump.Find
	DumpSite   string   // which site, where the path holds several
	Without    []string // tables to leave out: "comments", "votes", "links", "tags"
	Strict     bool     // any bad row is an error
	MaxRejects float64  // fraction of bad rows in a table that is an error; 0 is 0.01, negative is none
	Workers    int      // scanners of a table; 0 is GOMAXPROCS

	Log      *slog.Logger                         // nil is none
	Progress func(what string, done, total int64) // called by one goroutine at a time; nil is none

	// TableHashes are what [TableHashes] says of the dump. Where they are given the key is of the
	// dump's bytes, not of its files' names, sizes and times.
	TableHashes map[string]string

	tmp string // where archives within archives are spooled
}

func (o Options) withDefaults() Options {
	if o.MaxRejects == 0 {
		o.MaxRejects = 0.01
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	return o
}

// Run loads the dump into db and puts its tables in service. Tables that are
// left out are not there: a table that is empty would say that nobody has voted,
// where nothing is known. A run that was killed is gone on with: tables
// that it has loaded stay. Else Run loads the dump whether or not the tables are
// those of the dump already: the caller asks NewPlan and manifest.Fresh.
func Run(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) error {
	o = o.withDefaults()
	o.tmp = dir.Tmp()
	plan, err := NewPlan(o)
	if err != nil {
		return err
	}
	if err := db.CheckRights(ctx); err != nil {
		return err
	}
	run, err := dir.Begin(manifest.Ingest, plan.Key)
	if err != nil {
		return resources(err)
	}
	defer run.Close()
	in := &ingest{o: o, db: db, dir: dir, run: run, plan: plan, size: plan.Size(), done: make(map[string]*loaded)}
	if err := in.resume(ctx); err != nil {
		return resources(err)
	}
	if !in.served {
		if err := in.all(ctx); err != nil {
			return resources(err)
		}
	}
	return resources(in.serve(ctx))
}

// An ingest is one run.
type ingest struct {
	o    Options
	db   *tables.DB
	dir  *manifest.Dir
	run  *manifest.Run
	plan *Plan
	size int64 // compressed bytes to be read

	served bool // an earlier run has put the tables in service, and was killed then

	mu      sync.Mutex
	done    map[string]*loaded // by table
	skipped int64              // compressed bytes that need not be read
}

// all loads the tables that are not loaded yet, the streams of the dump side by
// side.
func (in *ingest) all(ctx context.Context) error {
	var streams []*dump.Stream
	for _, s := range in.plan.Dump.Streams {
		whole := true
		for _, m := range s.Members {
			whole = whole && in.done[m.Table] != nil
		}
		if whole {
			in.skipped += s.Size
		} else {
			streams = append(streams, s)
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range streams {
		g.Go(func() error { return in.stream(ctx, s, g) })
	}
	return g.Wait()
}

// stream loads the tables of a stream one after the other. Each is indexed, in
// g, while the next is read.
func (in *ingest) stream(ctx context.Context, s *dump.Stream, g *errgroup.Group) error {
	r, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for range s.Members {
		m, err := r.Next()
		if err != nil {
			return err
		}
		t, _ := schema.TableByName(m.Table)
		if in.has(t) { // what comes behind it in the archive is missing
			if _, err := io.Copy(io.Discard, r); err != nil {
				return err
			}
			continue
		}
		if err := in.db.Stage(ctx, t); err != nil {
			return err
		}
		l, err := in.load(ctx, t, m, r)
		if err != nil {
			return err
		}
		l.of(s.File)
		g.Go(func() error { return in.index(ctx, t, l) })
	}
	return nil
}

// index ends the loading of a table.
func (in *ingest) index(ctx context.Context, t schema.Table, l *loaded) error {
	in.o.Log.Info("indexing", "table", t.Name)
	if err := in.db.Index(ctx, t); err != nil {
		return err
	}
	if err := l.note(in.run, t); err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.done[t.Name] = l
	return nil
}

// has reports whether a table is loaded.
func (in *ingest) has(t schema.Table) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.done[t.Name] != nil
}

// progress reports what has been read of all streams.
func (in *ingest) progress(what string) {
	done := in.skipped
	for _, s := range in.plan.Dump.Streams {
		done += s.Done()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.o.Progress(what, done, in.size)
}
