// Package ingest loads a dump into the tables of MariaDB.
//
// Each table passes through one pipeline, in which no step waits for the whole
// table:
//
//  1. The dump's stream is decoded, hashed and cut into blocks of rows.
//  2. Workers scan the blocks, check the values against the schema and write each
//     row as a line of TSV.
//  3. Rows are put in the order of their Ids and duplicates are dropped. Rows that
//     come in order pass through; late rows are sorted on disk.
//  4. LOAD DATA reads the lines into a staging table, on machines of more than two
//     cores in several statements side by side, which divide the batches of rows.
//
// Then the staging table gets its indexes and a checkpoint in the run's journal.
// Tables are loaded side by side. When all are complete, one RENAME puts them in
// service together. Until then, and after any failure, the tables of the earlier
// dump stay in service and the manifest names them; see swap.go.
//
// MariaDB limits the speed, because it parses the rows of a statement in one thread.
// The steps before it must stay faster.
//
// A bad row is data. Its class decides whether the row is dropped, loses the bad
// value, or is loaded as it is (class.go). Bad rows are counted by class, and the
// first of each class are written to OUT/rejects.jsonl, one JSON object a line:
//
//	{"table":"Posts","file":"Posts.xml","class":"bad_date","id":"17","offset":4711,"column":"LastEditDate","value":"yesterday","kept":true}
//
// offset is the row's position in the decoded XML; kept is true if the row is in
// the table.
package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Options configure an ingest. All but Dump may be zero.
type Options struct {
	Dump       string   // path of the dump; see dump.Find
	DumpSite   string   // site to read, where the path holds several
	Without    []string // tables to leave out: "comments", "votes", "links", "tags"
	Strict     bool     // any bad row is an error
	MaxRejects *float64 // share of bad rows in a table above which the run fails; nil is 0.01
	Workers    int      // scanners of a table; 0 is GOMAXPROCS

	// Connections is how many LOAD DATA statements divide the rows of each table; 0 is [Connections] of Workers.
	Connections int

	// TableHashes is the result of [TableHashes]. Where it is set, the plan's key
	// depends on the dump's bytes, else on the names, sizes and times of its files.
	TableHashes map[string]string

	Log      *slog.Logger                         // nil discards
	Progress func(what string, done, total int64) // called by one goroutine at a time; nil does nothing

	tmp string // folder for archives inside archives
}

func (o Options) withDefaults() Options {
	if o.MaxRejects == nil {
		o.MaxRejects = new(0.01)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Connections <= 0 {
		o.Connections = Connections(o.Workers)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	return o
}

// Connections returns the LOAD DATA statements of a table for a number of cores.
// A statement keeps a core of the server busy, and the tables are loaded side by
// side, so two cores have no use for a second one.
func Connections(cores int) int { return min(max(cores/2, 1), 4) }

// Run loads the dump into db and puts its tables in service. It drops the tables
// that Options.Without names: an empty Votes would mean that nobody has voted. Run
// resumes an interrupted run that has the same key, and keeps the tables that are
// loaded. Otherwise it loads the dump even if its tables are in service; the caller
// checks that with NewPlan and manifest.Manifest.Fresh.
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
	journal, err := dir.Begin(manifest.Ingest, plan.Key)
	if err != nil {
		return diskFault(err)
	}
	defer journal.Close()
	in := &ingestRun{o: o, db: db, dir: dir, journal: journal, plan: plan, loaded: make(map[string]*loadedTable)}
	err = in.resume(ctx)
	if err == nil && !in.inService {
		err = in.loadMissing(ctx)
	}
	if err == nil {
		err = in.finish(ctx)
	}
	return diskFault(err)
}

// An ingestRun is the state of one Run.
type ingestRun struct {
	o       Options
	db      *tables.DB
	dir     *manifest.Dir
	journal *manifest.Run
	plan    *Plan

	inService bool // the interrupted run has put the tables in service

	mu      sync.Mutex
	loaded  map[string]*loadedTable // by table
	void    []string                // tables whose rows the next run must not resume with: it finds them empty
	skipped int64                   // compressed bytes of the streams whose tables are loaded
}

// resume restores the state of an interrupted run that has the same key: its
// staging tables, or its tables in service if the manifest does not name them yet.
// A checkpoint reaches the disk at once; a MariaDB that was killed may have lost
// its last writes. So resume checks each table.
func (in *ingestRun) resume(ctx context.Context) error {
	checkpoints := make(map[string]*loadedTable)
	for _, f := range in.journal.Committed() {
		l := &loadedTable{}
		if _, ok := schema.TableByName(f.Name); ok && json.Unmarshal([]byte(f.At), l) == nil {
			checkpoints[f.Name] = l
		}
	}
	if len(checkpoints) == 0 {
		return nil
	}
	key, err := in.db.DumpKey(ctx)
	if err != nil {
		return err
	}
	in.inService = key == in.plan.Key
	for _, m := range in.plan.Dump.Tables() {
		in.inService = in.inService && checkpoints[m.Table] != nil
	}
	for _, t := range schema.Tables() {
		l := checkpoints[t.Name]
		if l == nil {
			continue
		}
		intact, err := in.db.TableIntact(ctx, t, in.inService, l.Rows, l.Last)
		if err != nil {
			return err
		}
		if !intact {
			in.o.Log.Warn("a table of the interrupted run is incomplete; loading it again", "table", t.Name)
			if in.inService { // the other tables are no longer staged: load all
				in.inService = false
				clear(in.loaded)
				return nil
			}
			continue
		}
		if err := in.o.checkRejects(l.Member, &l.Rejects); err != nil { // the limits may have changed
			return err
		}
		in.o.Log.Info("loaded by the interrupted run", "table", t.Name, "rows", l.Rows)
		in.loaded[t.Name] = l
	}
	return nil
}

// loadMissing loads the tables that are not loaded yet, the streams of the dump
// side by side. The tables of one stream follow each other; each is indexed while
// the next is loaded.
func (in *ingestRun) loadMissing(ctx context.Context) error {
	var streams []*dump.Stream
	for _, s := range in.plan.Dump.Streams {
		missing := false
		for _, m := range s.Members {
			missing = missing || in.loaded[m.Table] == nil
		}
		if missing {
			streams = append(streams, s)
		} else {
			in.skipped += s.Size
		}
	}
	g, loading := errgroup.WithContext(ctx)
	for _, s := range streams {
		g.Go(func() error { return in.loadStream(loading, s, g) })
	}
	err := g.Wait()
	for _, name := range in.void {
		t, _ := schema.TableByName(name)
		_ = in.db.Stage(context.WithoutCancel(ctx), t) // fails where the server is the one at fault
	}
	return err
}

// loadStream loads the tables of a stream and indexes them in g. Where the file
// changed meanwhile, it adds them to in.void.
func (in *ingestRun) loadStream(ctx context.Context, s *dump.Stream, g *errgroup.Group) error {
	hashes := make(map[string]string) // of the loaded tables
	err := in.loadTables(ctx, s, g, hashes)
	if err == nil && s.Suspect() {
		err = in.compareHashes(ctx, s, hashes)
	}
	if fault, _ := schema.FaultOf(err); err != nil && fault == schema.FaultService {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.void = slices.AppendSeq(in.void, maps.Keys(hashes))
	}
	return err
}

func (in *ingestRun) loadTables(ctx context.Context, s *dump.Stream, g *errgroup.Group, hashes map[string]string) error {
	return s.Each(ctx, func(m dump.Member, r io.Reader) error {
		t, _ := schema.TableByName(m.Table)
		if in.isLoaded(t.Name) { // another table of the archive is missing
			_, err := io.Copy(io.Discard, r)
			return err
		}
		if err := in.db.Stage(ctx, t); err != nil {
			return err
		}
		l, err := in.loadTable(ctx, t, m, r)
		if err != nil {
			return err
		}
		l.File, l.Size, l.Time = s.File.Name, s.File.Size, s.File.ModTime.UTC()
		hashes[t.Name] = l.SHA256
		g.Go(func() error {
			if err := in.index(ctx, t, l); err != nil {
				return err
			}
			if err := l.record(in.journal, t); err != nil {
				return err
			}
			in.mu.Lock()
			defer in.mu.Unlock()
			in.loaded[t.Name] = l
			return nil
		})
		return nil
	})
}

// compareHashes reads a stream again and compares its tables with those that were
// loaded.
func (in *ingestRun) compareHashes(ctx context.Context, s *dump.Stream, hashes map[string]string) error {
	in.o.Log.Info("reading a file again, because something has changed it or its attributes", "file", s.File.Name)
	return s.Each(ctx, func(m dump.Member, r io.Reader) error {
		sum := sha256.New()
		if _, err := io.Copy(sum, r); err != nil {
			return err
		}
		if want := hashes[m.Table]; want != "" && want != hex.EncodeToString(sum.Sum(nil)) {
			return schema.Faultf(schema.FaultService, "wait until nothing writes to the dump, and run again", "%s changed while it was read", m.Name)
		}
		return nil
	})
}

func (in *ingestRun) isLoaded(table string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.loaded[table] != nil
}

// reportProgress reports the compressed bytes that have been read of all streams.
func (in *ingestRun) reportProgress(what string) {
	done, total := in.skipped, int64(0)
	for _, s := range in.plan.Dump.Streams {
		done += s.Done()
		total += s.Size
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.o.Progress(what, done, total)
}

// diskFault makes a full disk a fault of resources, unless err has a fault.
func diskFault(err error) error {
	var fault *schema.Error
	if err == nil || errors.As(err, &fault) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return schema.Faultf(schema.FaultResources, "free disk space and run again: the run is resumed", "%w", err)
	}
	return err
}
