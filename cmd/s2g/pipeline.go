package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"s2g/cmd/s2g/internal/publish"
	"s2g/cmd/s2g/internal/verify"
	"s2g/graph"
	"s2g/ingest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors"
)

// pipeline is a build at work in OUT: it holds the lock, and the tables once
// they are needed.
type pipeline struct {
	app      *app
	opts     *options
	dir      *manifest.Dir
	db       *tables.DB
	outcomes []outcome
	warned   bool             // of languages without questions
	planned  bool             // the machine was found to have what the dump takes
	found    *verify.Contents // what verify read back
	to       *destinations    // of a build, else nil
}

// privateFolder is where the tables of OUT lie; see [manifest.Dir.Private].
func privateFolder(out string) (string, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", out, err)
	}
	return filepath.Join(abs, ".s2g"), nil
}

// inOut runs work in OUT under the lock and prints the summary at its end, also
// of a build that failed half-way.
func (a *app) inOut(o *options, work func(*pipeline) error) (err error) {
	if err := o.needOut(); err != nil {
		return err
	}
	dir, err := manifest.Open(o.out)
	if err != nil {
		return err
	}
	p := &pipeline{app: a, opts: o, dir: dir}
	defer func() {
		if p.db != nil {
			err = errors.Join(err, p.db.Close())
		}
		err = errors.Join(err, dir.Close())
	}()
	err = work(p)
	a.outcomes = append(a.outcomes, p.outcomes...)
	if len(p.outcomes) > 0 {
		err = errors.Join(err, a.printSummary(p.outcomes))
	}
	return err
}

// tables opens the tables at their first use.
func (p *pipeline) tables(ctx context.Context) (*tables.DB, error) {
	if p.db != nil {
		return p.db, nil
	}
	db, err := p.app.openTables(ctx, p.opts)
	p.db = db
	return db, err
}

// stage runs one stage unless it is up to date.
func (p *pipeline) stage(ctx context.Context, name, key string, u unit, work func(db *tables.DB, report func(string, int64, int64)) error) error {
	if p.dir.Manifest().Fresh(name, key) {
		p.app.log.Info(name + " is up to date")
		done := p.dir.Manifest().Stages[name]
		p.outcomes = append(p.outcomes, outcome{Stage: name, Fresh: true, Warning: p.unasked(done.UnusedTags)})
		return nil
	}
	db, err := p.tables(ctx)
	if err != nil {
		return err
	}
	if err := p.dir.CheckOverwrite(publish.Names()...); err != nil { // better said before hours of work than after them
		return err
	}
	shape := p.opts.shape
	if err := p.dir.Update(func(m *manifest.Manifest) { m.Tool, m.Options = toolVersion(), shape }); err != nil {
		return err
	}
	p.app.log.Info(name + " begins")
	shown := p.app.progress(name, u)
	err = work(db, shown.report)
	shown.end()
	if err != nil {
		return err
	}
	m := p.dir.Manifest()
	done := m.Stages[name]
	p.app.log.Info(name+" is done", "rows", done.Rows, "seconds", done.Seconds)
	p.outcomes = append(p.outcomes, outcome{Stage: name, Summary: done.Summary, XMLBytes: m.Dump.Bytes(), ServerPeakRSS: db.PeakRSS(), Warning: p.unasked(done.UnusedTags)})
	return p.publish()
}

// unasked says, once a run, which languages no question of the dump has. Of those that
// a user has chosen each is a mistake, perhaps of spelling; of the default ones many
// are missing in most sites, and only all of them are worth a warning.
func (p *pipeline) unasked(list []string) (warning string) {
	if len(list) == 0 || p.warned {
		return ""
	}
	p.warned = true
	all := p.opts.shape.Languages
	switch usual := tags(all) == ""; {
	case usual && len(list) < len(all):
		p.app.log.Info("languages without a question in the dump", "tags", strings.Join(list, ","))
		return ""
	case usual:
		warning = fmt.Sprintf("no question of the dump is in any of the %d default languages; choose tags of the dump with --languages", len(all))
	default:
		warning = "no question of the dump has the tag " + strings.Join(list, ", ") + "; --languages takes tags as the dump spells them"
	}
	p.app.log.Warn(warning)
	return warning
}

// fits makes sure, before a stage begins, that the machine has what it takes: a
// build was looked at as a whole, but what was free then may be gone.
func (p *pipeline) fits(ctx context.Context, stage string) error {
	o := *p.opts
	if stage != manifest.Ingest {
		o.dump = "" // it is in the tables, whose size the manifest knows
	} else if p.planned {
		return nil
	}
	plan, _, err := o.plan(ctx, p.dir.Manifest(), []string{stage})
	if err != nil {
		return err
	}
	return plan.Err()
}

func (p *pipeline) ingest(ctx context.Context) error {
	if err := p.app.readSums(ctx, p.opts, p.dir.Tmp()); err != nil {
		return err
	}
	o, err := p.opts.ingestOptions()
	if err != nil {
		return err
	}
	plan, err := p.opts.ingestPlan(p.dir.Manifest())
	if err != nil {
		return err
	}
	if err := p.forgetLostTables(ctx, plan.Key); err != nil {
		return err
	}
	if err := p.fits(ctx, manifest.Ingest); err != nil {
		return err
	}
	return p.stage(ctx, manifest.Ingest, plan.Key, inBytes, func(db *tables.DB, report func(string, int64, int64)) error {
		o.Log, o.Progress = p.app.log, report
		return ingest.Run(ctx, p.dir, db, o)
	})
}

// forgetLostTables takes an ingest out of the manifest whose tables the server
// does not hold: the database was removed, or --dsn names another.
func (p *pipeline) forgetLostTables(ctx context.Context, key string) error {
	if !p.dir.Manifest().Fresh(manifest.Ingest, key) {
		return nil
	}
	db, err := p.tables(ctx)
	if err != nil {
		return err
	}
	held, err := db.DumpKey(ctx)
	if err != nil || held == key {
		return err
	}
	p.app.log.Warn("the tables of this dump are gone; reading it again")
	p.planned = false // the plan counted on them
	return p.dir.Update(func(m *manifest.Manifest) { delete(m.Stages, manifest.Ingest) })
}

func (p *pipeline) graph(ctx context.Context) error {
	if err := p.fits(ctx, manifest.Graph); err != nil {
		return err
	}
	tablesKey, err := p.ingested(ctx)
	if err != nil {
		return err
	}
	o, key, err := p.opts.graphOptions(p.dir.Manifest(), tablesKey)
	if err != nil {
		return err
	}
	return p.stage(ctx, manifest.Graph, key, inRows, func(db *tables.DB, report func(string, int64, int64)) error {
		o.Log, o.Progress = p.app.log, report
		return graph.Run(ctx, p.dir, db, o)
	})
}

func (p *pipeline) vectors(ctx context.Context) error {
	if err := p.fits(ctx, manifest.Vectors); err != nil {
		return err
	}
	return p.vectorsBy(ctx, vectors.Run)
}

// vectorsBy runs the stage by one of the ways to it: vectors.Run, or vectors.Merge,
// which finds the shards there and needs no disk.
func (p *pipeline) vectorsBy(ctx context.Context, work func(context.Context, *manifest.Dir, *tables.DB, vectors.Options) error) error {
	tablesKey, err := p.ingested(ctx)
	if err != nil {
		return err
	}
	o, key, err := p.opts.vectorsOptions(p.dir.Manifest(), tablesKey)
	if err != nil {
		return err
	}
	return p.stage(ctx, manifest.Vectors, key, inRows, func(db *tables.DB, report func(string, int64, int64)) error {
		o.Log, o.Progress, o.Remote = p.app.log, report, p.app.remote()
		return work(ctx, p.dir, db, o)
	})
}

// ingested returns the key of the tables that the manifest names, and makes sure
// that the server holds those and no others.
func (p *pipeline) ingested(ctx context.Context) (string, error) {
	return tablesKey(ctx, p.dir.Manifest(), p.tables)
}

// noTables is what to do where a build's tables are elsewhere or nowhere.
const noTables = "run s2g ingest (or s2g build) with this --out and --dump, and the --dsn of that run if it had one; s2g verify --files-only needs no tables"

func tablesKey(ctx context.Context, m *manifest.Manifest, open func(context.Context) (*tables.DB, error)) (string, error) {
	done := m.Stages[manifest.Ingest]
	if done == nil {
		return "", schema.Faultf(schema.FaultUsage, noTables, "no dump has been read into this folder yet")
	}
	db, err := open(ctx)
	if err != nil {
		return "", err
	}
	held, err := db.DumpKey(ctx)
	if err != nil {
		return "", err
	}
	if held != done.Key {
		return "", schema.Faultf(schema.FaultUsage, noTables, "the tables are not those of the manifest: they hold dump %q, it names %q", held, done.Key)
	}
	return done.Key, nil
}

// hasTables says whether there is a database to read: the user's, or one that an
// ingest has left in OUT. A build that was copied elsewhere has none.
func (o *options) hasTables() (bool, error) {
	private, err := privateFolder(o.out)
	if err != nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(private, "db"))
	return err == nil || o.dsn != "", nil
}

// withTables runs work on the tables of the build in OUT, without its lock. It
// makes no database where there is none: an empty one would tell nobody anything.
func (a *app) withTables(ctx context.Context, o *options, m *manifest.Manifest, work func(*tables.DB) error) (err error) {
	if held, err := o.hasTables(); err != nil {
		return err
	} else if !held {
		return schema.Faultf(schema.FaultUsage, noTables, "%s has no tables", o.out)
	}
	var db *tables.DB
	defer func() {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	_, err = tablesKey(ctx, m, func(ctx context.Context) (*tables.DB, error) {
		var err error
		db, err = a.openTables(ctx, o)
		return db, err
	})
	if err != nil {
		return err
	}
	return work(db)
}
