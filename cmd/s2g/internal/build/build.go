// Package build runs the stages of a build in one folder: ingest, graph, vectors, verify, report.
//
// A [Build] holds the lock of the folder. It runs the stale stages in their order and enters each in the manifest. It
// opens the tables at their first use, and rewrites the documents of the build after each stage that changes files.
//
// The package parses no flags and prints nothing: it takes [Options], logs to their logger, and reports progress to
// their callback. The check of disk and memory before a stage is a callback, too: package plan, which implements it,
// imports this package for [Options.State].
package build

import (
	"cmp"
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

// The stages that are not in the manifest.
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

	// Looked has the files that the stages have compared with the manifest.
	Looked struct {
		Files   int     `json:"files"`
		Hashed  int     `json:"hashed"` // of them, because their times had changed
		Seconds float64 `json:"seconds"`
	}

	db      *tables.DB
	warned  bool  // of languages without questions
	asked   bool  // checkQuestions has found a question
	checked bool  // Check has covered ingest
	changed bool  // a stage or a document
	xml     int64 // bytes of the dump's tables as XML, once Ingest has found it

	damagedTables bool // a table of the private database cannot be read
}

// Outcome is what a stage did.
type Outcome struct {
	Stage string `json:"stage"`
	Fresh bool   `json:"fresh"` // the stage was up to date
	manifest.Summary
	XMLBytes      int64 `json:"xml_bytes"`                 // of the dump, decoded: the measure of every stage's speed
	ServerPeakRSS int64 `json:"server_peak_rss,omitempty"` // of the private mariadbd, bytes

	Warning string `json:"warning,omitempty"` // a probable mistake in the options
}

// Open takes the lock of Out, which it creates where it is missing. The build is the one in service.
func Open(o *Options) (*Build, error) {
	dir, err := manifest.Open(o.Out)
	if err != nil {
		return nil, err
	}
	o.tmp = dir.Tmp()
	return &Build{Options: o, Dir: dir}, nil
}

// Resume is Open for stages. An interrupted build that has read another dump than the one in service is continued.
func Resume(o *Options) (*Build, error) {
	b, err := Open(o)
	if err == nil && !o.InPlace {
		b.Dir.EnterNewer()
	}
	return b, err
}

// Close closes the tables and releases the lock.
func (b *Build) Close() error {
	return errors.Join(b.closeTables(), b.Dir.Close())
}

// Check returns an error if the machine lacks the disk or memory for all of the given stages. A build calls it once,
// before its first stage.
func (b *Build) Check(ctx context.Context, stages []string) error {
	b.checked = true
	warnings, err := b.Options.CheckTags(ctx, b.Dir.Manifest(), stages)
	for _, warning := range warnings {
		b.Options.Log.Warn(warning)
	}
	if err != nil {
		return err
	}
	return b.checkFits(ctx, b.Options, stages)
}

func (b *Build) checkFits(ctx context.Context, o *Options, stages []string) error {
	if o.Fits == nil {
		return nil
	}
	return o.Fits(ctx, o, b.Dir.Manifest(), stages)
}

// checkStage checks the machine again before stages that begin together, because free disk may have shrunk since Check.
func (b *Build) checkStage(ctx context.Context, together ...string) error {
	o := *b.Options
	if !slices.Contains(together, manifest.Ingest) {
		o.Dump = "" // the manifest has its size
	} else if b.checked {
		return nil
	}
	return b.checkFits(ctx, &o, together)
}

// Ingest reads the dump into the tables. Without the option dump, those of an earlier ingest stay.
func (b *Build) Ingest(ctx context.Context) error {
	if done := b.Dir.Manifest().Stages[manifest.Ingest]; done != nil && b.Options.Dump == "" {
		b.Options.Log.Info("no dump is given: the tables of the last one stay", "dump", b.Dir.Manifest().Dump.Name)
		b.Outcomes = append(b.Outcomes, Outcome{Stage: manifest.Ingest, Fresh: true})
		return nil
	}
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
	b.xml = plan.Dump.XMLBytes()
	site, err := b.Options.buildSite(b.Dir.Manifest(), plan.Dump)
	if err != nil {
		site = "" // ingest needs none
	}
	keys := b.Options.keys(b.Dir.Manifest(), site, plan.Key)
	lost, err := b.tablesAltered(ctx, plan.Key)
	if err != nil {
		return err
	}
	if lost {
		b.checked = false // that check assumed no ingest
	}
	return b.stage(ctx, manifest.Ingest, keys, lost, func(db *tables.DB, progress func(string, int64, int64)) error {
		o.Log, o.Progress = b.Options.Log, progress
		return ingest.Run(ctx, b.Dir, db, o)
	})
}

// Graph writes the tables as TriG.
func (b *Build) Graph(ctx context.Context) error {
	o, keys, err := b.graphRun()
	if err != nil {
		return err
	}
	run, err := b.begin(ctx, manifest.Graph, keys, false, manifest.Graph)
	if run == nil || err != nil {
		return err
	}
	if err := b.checkQuestions(ctx, run.db); err != nil {
		return err
	}
	return b.runGraph(ctx, run, o)
}

// runGraph makes the graph.
func (b *Build) runGraph(ctx context.Context, run *stageRun, o graph.Options) error {
	defer b.limitMemory(graph.MemoryLimit(b.posts()))()
	var end func()
	o.Progress, end = b.show(run)
	err := graph.Run(ctx, b.Dir, run.db, o)
	end()
	return b.finish(run, err)
}

// graphRun returns the options of the graph, and the keys of all stages.
func (b *Build) graphRun() (o graph.Options, keys map[string]string, err error) {
	tablesKey, err := tablesKey(b.Dir.Manifest())
	if err != nil {
		return o, nil, err
	}
	site, err := b.Options.buildSite(b.Dir.Manifest(), nil)
	if err != nil {
		return o, nil, err
	}
	o, key, err := b.Options.graphOptions(site, tablesKey)
	if err != nil {
		return o, nil, err
	}
	keys = b.Options.keys(b.Dir.Manifest(), site, tablesKey)
	keys[manifest.Graph] = key
	return o, keys, nil
}

// posts returns the number of posts in the tables.
func (b *Build) posts() int64 { return b.Dir.Manifest().Dump.Tables["Posts"].Rows }

func (b *Build) limitMemory(bytes int64) (release func()) {
	if b.Options.LimitMemory == nil {
		return func() {}
	}
	return b.Options.LimitMemory(bytes)
}

// Vectors writes the tables as shards.
func (b *Build) Vectors(ctx context.Context) error {
	return b.runVectors(ctx, func(ctx context.Context, dir *manifest.Dir, db *tables.DB, o vectors.Options, key string) error {
		if err := b.adoptVectors(&o, key); err != nil {
			return err
		}
		return vectors.Run(ctx, dir, db, o)
	})
}

// adoptVectors prepares the copies of vectors that exist.
func (b *Build) adoptVectors(o *vectors.Options, key string) (err error) {
	from, damaged := b.damaged(manifest.Vectors, key)
	if from != nil {
		if from.Root() == b.Dir.Out() {
			if from, err = b.Dir.PutAside(key); err != nil {
				return err
			}
		}
		if err := vectors.AdoptIntact(b.Dir, from, damaged); err != nil {
			return err
		}
		o.Adopted = key
	}
	o.Sources, err = b.sources(key)
	return err
}

// MergeVectors enters the shards of all ranks into the manifest; see [RunRank]. It takes no disk.
func (b *Build) MergeVectors(ctx context.Context) error {
	return b.runVectors(ctx, func(ctx context.Context, dir *manifest.Dir, db *tables.DB, o vectors.Options, _ string) error {
		return vectors.Merge(ctx, dir, db, o)
	})
}

func (b *Build) runVectors(ctx context.Context, work func(context.Context, *manifest.Dir, *tables.DB, vectors.Options, string) error) error {
	o, keys, err := b.vectorsRun()
	if err != nil {
		return err
	}
	return b.stage(ctx, manifest.Vectors, keys, false, func(db *tables.DB, progress func(string, int64, int64)) error {
		if err := b.checkQuestions(ctx, db); err != nil {
			return err
		}
		o.Progress = progress
		return work(ctx, b.Dir, db, o, keys[manifest.Vectors])
	})
}

// vectorsRun returns the options of the vectors, and the keys of all stages.
func (b *Build) vectorsRun() (o vectors.Options, keys map[string]string, err error) {
	tablesKey, err := tablesKey(b.Dir.Manifest())
	if err != nil {
		return o, nil, err
	}
	site, err := b.Options.buildSite(b.Dir.Manifest(), nil)
	if err != nil {
		return o, nil, err
	}
	o, key, err := b.Options.vectorsOptions(b.Dir.Manifest(), site, tablesKey)
	if err != nil {
		return o, nil, err
	}
	b.Options.Shape.TextLanguage = o.TextLanguage // the manifest stores it, and later runs keep it
	keys = b.Options.keys(b.Dir.Manifest(), site, tablesKey)
	keys[manifest.Vectors] = key
	return o, keys, nil
}

// RunRank makes the units of one rank of the vectors. It shares the lock of Out with the other ranks and does not change
// the manifest. It requires disk for the missing shards of all ranks, because the others may not have started yet.
func RunRank(ctx context.Context, o *Options, m *manifest.Manifest, r vectors.Ranks) error {
	if o.Fits != nil {
		if err := o.Fits(ctx, o, m, []string{manifest.Vectors}); err != nil {
			return err
		}
	}
	return o.WithTables(ctx, m, func(db *tables.DB) (err error) {
		site, err := o.buildSite(m, nil)
		if err != nil {
			return err
		}
		opts, key, err := o.vectorsOptions(m, site, m.Stages[manifest.Ingest].Key)
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
		if opts.Sources, err = sourcesIn(o.Out, share.Out()); err != nil {
			return err
		}
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

// stage runs one stage unless it is up to date, appends its outcome, and rewrites the documents. keys has the keys of all
// stages. lost makes a stage stale whose key is that of the manifest.
func (b *Build) stage(ctx context.Context, name string, keys map[string]string, lost bool, work func(db *tables.DB, progress func(string, int64, int64)) error) error {
	run, err := b.begin(ctx, name, keys, lost, name)
	if run == nil || err != nil {
		return err
	}
	progress, end := b.show(run)
	err = work(run.db, progress)
	end()
	return b.finish(run, err)
}

// stageRun is a run of a stage that is not up to date.
type stageRun struct {
	name    string
	db      *tables.DB
	warning string // of languages without questions, where they are known before the run
}

// begin prepares a run of a stage, which returns nil if that is up to date. The machine must have room for the stages of
// together.
func (b *Build) begin(ctx context.Context, name string, keys map[string]string, lost bool, together ...string) (*stageRun, error) {
	b.logRestored()
	fresh, err := b.isFresh(ctx, name, keys[name])
	if err == nil && !(fresh && !lost) {
		if err = b.checkStage(ctx, together...); err == nil {
			fresh, err = b.makeRoom(ctx, name, keys, lost)
		}
	}
	if err != nil {
		return nil, err
	}
	if fresh && !lost {
		b.Options.Log.Info(name + " is up to date")
		b.Outcomes = append(b.Outcomes, Outcome{Stage: name, Fresh: true, Warning: b.warnUnasked(b.Dir.Manifest().Stages[name].UnusedTags)})
		return nil, nil
	}
	b.changed = true
	run := &stageRun{name: name}
	if name == manifest.Ingest {
		run.db, err = b.openForLoad(ctx)
	} else {
		run.db, err = b.Tables(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := b.Dir.CheckOverwrite(publish.Names()...); err != nil { // Publish fails likewise, after hours of work
		return nil, err
	}
	return run, b.Dir.Update(func(m *manifest.Manifest) { m.Tool, m.Options = b.Options.Tool, b.Options.Shape })
}

// show begins to show the run of a stage, until end is called.
func (b *Build) show(run *stageRun) (progress func(string, int64, int64), end func()) {
	b.Options.Log.Info(run.name + " begins")
	return b.Options.Progress(run.name)
}

// finish appends the outcome of a run whose work has ended with the given error, and rewrites the documents.
func (b *Build) finish(run *stageRun, err error) error {
	b.Options.looks = nil
	if err != nil {
		return err
	}
	m := b.Dir.Manifest()
	done := m.Stages[run.name]
	b.Options.Log.Info(run.name+" is done", "rows", done.Rows, "seconds", done.Seconds)
	measured := done.Summary
	measured.Figures = nil // not of the run: the manifest has them
	b.Outcomes = append(b.Outcomes, Outcome{
		Stage: run.name, Summary: measured, XMLBytes: m.Dump.Bytes(), ServerPeakRSS: run.db.PeakRSS(),
		Warning: cmp.Or(run.warning, b.warnUnasked(done.UnusedTags)),
	})
	return b.Publish()
}

// warnUnasked logs the languages without a question, once a run, and returns the warning. A chosen language without a
// question is probably misspelt. Most sites have questions in few of the default languages, so these are a warning only
// if all of them have none.
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
		b.changed = true
		b.Options.Log.Info("wrote README.md, croissant.json, LICENSE, ATTRIBUTION.md and SHA256SUMS")
	}
	return err
}
