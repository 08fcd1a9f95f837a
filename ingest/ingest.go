package ingest

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
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

// RejectsFile is the name in OUT of the first bad rows of each class.
const RejectsFile = "rejects.jsonl"

// Run loads the dump into db and puts its tables in service. Tables that are
// left out are there, and empty. It does so whether or not the tables are those
// of the dump already: the caller asks NewPlan and manifest.Fresh.
func Run(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) (err error) {
	o = o.withDefaults()
	plan, err := NewPlan(o)
	if err != nil {
		return err
	}
	run, err := dir.Begin(manifest.Ingest, plan.Key)
	if err != nil {
		return err
	}
	defer run.Close()
	in := &ingest{o: o, db: db, tmp: dir.Tmp(), plan: plan, size: plan.Size(), done: make(map[string]*loaded)}
	if err := in.all(ctx); err != nil {
		return err
	}
	if err := in.writeRejects(run); err != nil {
		return err
	}
	if err := db.Swap(ctx, plan.Key, schema.Tables()); err != nil {
		return err
	}
	if err := dir.Update(func(m *manifest.Manifest) { m.Dump = in.describe() }); err != nil {
		return err
	}
	return run.Finish(in.summary())
}

// An ingest is one run.
type ingest struct {
	o    Options
	db   *tables.DB
	tmp  string
	plan *Plan
	size int64 // compressed bytes to be read

	mu   sync.Mutex
	done map[string]*loaded // by table
}

// all loads every table, the streams of the dump side by side.
func (in *ingest) all(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	index := func(t schema.Table) {
		g.Go(func() error {
			in.o.Log.Info("indexing", "table", t.Name)
			return in.db.Index(ctx, t)
		})
	}
	read := make(map[string]bool)
	for _, s := range in.plan.Dump.Streams {
		for _, m := range s.Members {
			read[m.Table] = true
		}
		g.Go(func() error { return in.stream(ctx, s, index) })
	}
	for _, t := range schema.Tables() {
		if !read[t.Name] {
			g.Go(func() error {
				if err := in.db.Stage(ctx, t); err != nil {
					return err
				}
				return in.db.Index(ctx, t)
			})
		}
	}
	return g.Wait()
}

// stream loads the tables of a stream one after the other. Each is indexed while
// the next is read.
func (in *ingest) stream(ctx context.Context, s *dump.Stream, index func(schema.Table)) error {
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
		if err := in.db.Stage(ctx, t); err != nil {
			return err
		}
		got, err := in.load(ctx, t, m, r)
		if err != nil {
			return err
		}
		got.file = s.File
		in.mu.Lock()
		in.done[t.Name] = got
		in.mu.Unlock()
		index(t)
	}
	return nil
}

// progress reports what has been read of all streams.
func (in *ingest) progress(what string) {
	var done int64
	for _, s := range in.plan.Dump.Streams {
		done += s.Done()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.o.Progress(what, done, in.size)
}

// describe is the dump as the manifest names it.
func (in *ingest) describe() manifest.Dump {
	d := manifest.Dump{Name: filepath.Base(in.o.Dump), Site: in.plan.Dump.Site, Tables: make(map[string]manifest.DumpTable)}
	for name, l := range in.done {
		d.Tables[name] = manifest.DumpTable{
			File: l.file.Name, Size: l.file.Size, Time: l.file.ModTime.UTC(),
			Bytes: l.bytes, SHA256: l.sha256, Rows: l.rows,
		}
		if name == "Posts" && len(l.newest) == dateLength {
			d.Newest = l.newest[:10] + "T" + l.newest[11:] + "Z"
		}
	}
	return d
}

func (in *ingest) summary() manifest.Summary {
	s := manifest.Summary{Counts: make(map[string]int64), Errors: make(map[string]int64)}
	for name, l := range in.done {
		s.Rows += l.rows
		s.BytesIn += l.bytes
		s.BytesOut += l.sent
		s.Counts[name] = l.rows
		for c, n := range l.tally.counts {
			s.Errors[string(c)] += n
		}
	}
	return s
}

// tablesDone are the tables that were loaded, by name.
func (in *ingest) tablesDone() []string { return slices.Sorted(maps.Keys(in.done)) }
