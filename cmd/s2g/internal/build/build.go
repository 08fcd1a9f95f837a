// Package build runs the stages of a build in one folder: ingest, graph, vectors, verify, report.
//
// A [Build] holds the lock of the folder. It runs each stage that is stale, in their order, and enters it in the
// manifest; a stage that is up to date does nothing. The tables are opened at their first use. The documents of the
// build are written anew after each stage that changes files.
//
// The package parses no flags and prints nothing: it takes [Options], logs to their logger, and reports progress to
// their callback. Whether the machine has what a stage takes is a callback, too, because package plan computes it from
// [Options.State].
package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/publish"
	"s2g/graph"
	"s2g/ingest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors"
)

// The names of the stages that are not in the manifest.
const (
	Verify = "verify"
	Report = "report"
)

// Stages are the stages of a build, in their order.
var Stages = []string{manifest.Ingest, manifest.Graph, manifest.Vectors, Verify, Report}

// Build is a build in Out, whose lock it holds.
type Build struct {
	Options  *Options
	Dir      *manifest.Dir
	Outcomes []Outcome // of the stages that have ended

	db     *tables.DB
	warned bool // of languages without questions
	fits   bool // the machine was found to have what the dump takes
}

// Outcome is what a stage did.
type Outcome struct {
	Stage string `json:"stage"`
	Fresh bool   `json:"fresh"` // the stage was up to date
	manifest.Summary
	XMLBytes      int64 `json:"xml_bytes"`                 // of the dump, decoded: what every stage's speed is measured by
	ServerPeakRSS int64 `json:"server_peak_rss,omitempty"` // of the private mariadbd, bytes

	Warning string `json:"warning,omitempty"` // no error, but perhaps a mistake
}

// Open takes the lock of Out, which it creates where it is missing.
func Open(o *Options) (*Build, error) {
	dir, err := manifest.Open(o.Out)
	if err != nil {
		return nil, err
	}
	o.tmp = dir.Tmp()
	return &Build{Options: o, Dir: dir}, nil
}

// Close closes the tables and returns the lock.
func (b *Build) Close() (err error) {
	if b.db != nil {
		err = b.db.Close()
	}
	return errors.Join(err, b.Dir.Close())
}

// Check returns an error where the machine lacks what the given stages take: before hours of work, not after them.
func (b *Build) Check(ctx context.Context, stages []string) error {
	b.fits = true
	return b.checkFits(ctx, b.Options, stages)
}

func (b *Build) checkFits(ctx context.Context, o *Options, stages []string) error {
	if o.Fits == nil {
		return nil
	}
	return o.Fits(ctx, o, b.Dir.Manifest(), stages)
}

// checkStage checks the machine again before a stage: what was free before the build may be gone.
func (b *Build) checkStage(ctx context.Context, stage string) error {
	o := *b.Options
	if stage != manifest.Ingest {
		o.Dump = "" // it is in the tables, whose size the manifest has
	} else if b.fits {
		return nil
	}
	return b.checkFits(ctx, &o, []string{stage})
}

// Run runs the given stages in their order. verify and report are the stages of these names.
func (b *Build) Run(ctx context.Context, stages []string, verify, report func(context.Context) error) error {
	steps := map[string]func(context.Context) error{
		manifest.Ingest: b.Ingest, manifest.Graph: b.Graph, manifest.Vectors: b.Vectors, Verify: verify, Report: report,
	}
	for _, stage := range Stages {
		if !slices.Contains(stages, stage) {
			continue
		}
		if stage == Verify { // a document may be gone where all stages are up to date
			if err := b.Publish(); err != nil {
				return err
			}
		}
		if err := steps[stage](ctx); err != nil {
			return err
		}
	}
	return nil
}

// Ingest reads the dump into the tables.
func (b *Build) Ingest(ctx context.Context) error {
	if err := b.Options.readSums(ctx); err != nil {
		return err
	}
	o, err := b.Options.ingestOptions()
	if err != nil {
		return err
	}
	plan, err := b.Options.ingestPlan(b.Dir.Manifest())
	if err != nil {
		return err
	}
	if err := b.forgetLostTables(ctx, plan.Key); err != nil {
		return err
	}
	if err := b.checkStage(ctx, manifest.Ingest); err != nil {
		return err
	}
	return b.stage(ctx, manifest.Ingest, plan.Key, func(db *tables.DB, progress func(string, int64, int64)) error {
		o.Log, o.Progress = b.Options.Log, progress
		return ingest.Run(ctx, b.Dir, db, o)
	})
}

// forgetLostTables removes an ingest from the manifest whose tables the server does not hold: the database was
// removed, or the option dsn names another.
func (b *Build) forgetLostTables(ctx context.Context, key string) error {
	if !b.Dir.Manifest().Fresh(manifest.Ingest, key) {
		return nil
	}
	db, err := b.openTables(ctx)
	if err != nil {
		return err
	}
	held, err := db.DumpKey(ctx)
	if err != nil || held == key {
		return err
	}
	b.Options.Log.Warn("the tables of this dump are gone; reading it again")
	b.fits = false // the plan counted on them
	return b.Dir.Update(func(m *manifest.Manifest) { delete(m.Stages, manifest.Ingest) })
}

// Graph writes the tables as TriG.
func (b *Build) Graph(ctx context.Context) error {
	if err := b.checkStage(ctx, manifest.Graph); err != nil {
		return err
	}
	_, tablesKey, err := checkedTables(ctx, b.Dir.Manifest(), b.openTables)
	if err != nil {
		return err
	}
	o, key, err := b.Options.graphOptions(b.Dir.Manifest(), tablesKey)
	if err != nil {
		return err
	}
	return b.stage(ctx, manifest.Graph, key, func(db *tables.DB, progress func(string, int64, int64)) error {
		o.Progress = progress
		if b.Options.LimitMemory != nil {
			defer b.Options.LimitMemory(graph.MemoryLimit(b.Dir.Manifest().Dump.Tables["Posts"].Rows))()
		}
		return graph.Run(ctx, b.Dir, db, o)
	})
}

// Vectors writes the tables as shards.
func (b *Build) Vectors(ctx context.Context) error {
	if err := b.checkStage(ctx, manifest.Vectors); err != nil {
		return err
	}
	return b.vectorsBy(ctx, vectors.Run)
}

// MergeVectors enters the shards that ranks have made; see [RunRank]. It takes no disk.
func (b *Build) MergeVectors(ctx context.Context) error {
	return b.vectorsBy(ctx, vectors.Merge)
}

func (b *Build) vectorsBy(ctx context.Context, work func(context.Context, *manifest.Dir, *tables.DB, vectors.Options) error) error {
	_, tablesKey, err := checkedTables(ctx, b.Dir.Manifest(), b.openTables)
	if err != nil {
		return err
	}
	o, key, err := b.Options.vectorsOptions(b.Dir.Manifest(), tablesKey)
	if err != nil {
		return err
	}
	return b.stage(ctx, manifest.Vectors, key, func(db *tables.DB, progress func(string, int64, int64)) error {
		o.Progress = progress
		return work(ctx, b.Dir, db, o)
	})
}

// RunRank makes the units of one rank of the vectors. It holds the lock of Out together with the other ranks, and does
// not change the manifest. The disk must have what all ranks have still to write: ranks share it, and none knows which
// of the others run.
func RunRank(ctx context.Context, o *Options, m *manifest.Manifest, r vectors.Ranks) error {
	if o.Fits != nil {
		if err := o.Fits(ctx, o, m, []string{manifest.Vectors}); err != nil {
			return err
		}
	}
	return o.WithTables(ctx, m, func(db *tables.DB) (err error) {
		opts, key, err := o.vectorsOptions(m, m.Stages[manifest.Ingest].Key)
		if err != nil {
			return err
		}
		if m.Fresh(manifest.Vectors, key) {
			o.Log.Info("vectors are up to date")
			return nil
		}
		share, err := manifest.OpenShare(o.Out, manifest.Vectors, key)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, share.Close()) }()
		var end func()
		opts.Progress, end = o.Progress(manifest.Vectors)
		done, err := vectors.RunRank(ctx, share, db, opts, r)
		end()
		if err == nil {
			o.Log.Info("rank is done", "rank", r.Rank, "world", r.World, "points", done.Rows)
		}
		return err
	})
}

// stage runs one stage unless it is up to date.
func (b *Build) stage(ctx context.Context, name, key string, work func(db *tables.DB, progress func(string, int64, int64)) error) error {
	log := b.Options.Log
	if b.Dir.Manifest().Fresh(name, key) {
		log.Info(name + " is up to date")
		b.Outcomes = append(b.Outcomes, Outcome{Stage: name, Fresh: true, Warning: b.warnUnasked(b.Dir.Manifest().Stages[name].UnusedTags)})
		return nil
	}
	db, err := b.openTables(ctx)
	if err != nil {
		return err
	}
	if err := b.Dir.CheckOverwrite(publish.Names()...); err != nil { // before hours of work, not after them
		return err
	}
	if err := b.Dir.Update(func(m *manifest.Manifest) { m.Tool, m.Options = b.Options.Tool, b.Options.Shape }); err != nil {
		return err
	}
	log.Info(name + " begins")
	progress, end := b.Options.Progress(name)
	err = work(db, progress)
	end()
	if err != nil {
		return err
	}
	m := b.Dir.Manifest()
	done := m.Stages[name]
	log.Info(name+" is done", "rows", done.Rows, "seconds", done.Seconds)
	b.Outcomes = append(b.Outcomes, Outcome{
		Stage: name, Summary: done.Summary, XMLBytes: m.Dump.Bytes(), ServerPeakRSS: db.PeakRSS(), Warning: b.warnUnasked(done.UnusedTags),
	})
	return b.Publish()
}

// warnUnasked logs, once a run, which languages no question of the dump has. A chosen language without a question is a
// mistake, perhaps of spelling. Most sites lack many of the default ones, so only all of them are worth a warning.
func (b *Build) warnUnasked(unasked []string) (warning string) {
	if len(unasked) == 0 || b.warned {
		return ""
	}
	b.warned = true
	all := b.Options.Shape.Languages
	switch isDefault := slices.Equal(all, schema.DefaultLanguages()); {
	case isDefault && len(unasked) < len(all):
		b.Options.Log.Info("languages without a question in the dump", "tags", strings.Join(unasked, ","))
		return ""
	case isDefault:
		warning = fmt.Sprintf("no question of the dump is in any of the %d default languages; choose tags of the dump with option languages", len(all))
	default:
		warning = "no question of the dump has the tag " + strings.Join(unasked, ", ") + "; option languages takes tags as the dump spells them"
	}
	b.Options.Log.Warn(warning)
	return warning
}

// Publish writes the documents of the build as it is now: data card, licence, checksums.
func (b *Build) Publish() error {
	documents, err := publish.Documents(b.Dir.Manifest())
	if err != nil || len(documents) == 0 {
		return err
	}
	if err := b.Dir.CheckOverwrite(publish.Names()...); err != nil {
		return err
	}
	changed, err := b.Dir.Publish(documents)
	if changed {
		b.Options.Log.Info("wrote README.md, croissant.json, LICENSE, ATTRIBUTION.md and SHA256SUMS")
	}
	return err
}

// openTables opens the tables at their first use.
func (b *Build) openTables(ctx context.Context) (db *tables.DB, err error) {
	if b.db == nil {
		b.db, err = b.Options.OpenTables(ctx)
	}
	return b.db, err
}

// Tables returns the tables that the manifest names. It returns a usage fault where the server has others.
func (b *Build) Tables(ctx context.Context) (*tables.DB, error) {
	db, _, err := checkedTables(ctx, b.Dir.Manifest(), b.openTables)
	return db, err
}
