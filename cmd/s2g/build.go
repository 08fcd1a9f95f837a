package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"s2g/schema"
)

// allStages are the stages of a build, in their order.
var allStages = []string{"ingest", "graph", "vectors", "verify", "report"}

const buildHelp = `Runs every stage that is out of date, verifies the result and writes report.html. A build that was stopped goes on
where it was when the same command is given again; one that is up to date does nothing.

With --graphdb and --qdrant the verified build is loaded into these servers, what they hold is compared with the
files, and then Qdrant's aliases move to it in one step: a failure anywhere leaves in service what was.

    s2g build --dump bioinformatics.stackexchange.com --out build
    s2g build --dump stackoverflow.com.7z --out build --languages python,r --db-memory 8GiB`

func (a *app) build() *cobra.Command {
	o := &options{}
	to := &destinations{}
	var stages []string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "build --dump PATH --out DIR",
		Short: "every stage that is out of date, then verify and report",
		Long:  buildHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := knownStages(stages); err != nil {
				return err
			}
			if dryRun {
				return a.planStages(cmd, o, stages, false)
			}
			return a.inOut(o, func(p *pipeline) error {
				p.to = to
				return p.build(cmd, stages)
			})
		},
	}
	f := cmd.Flags()
	o.buildFlags(f)
	o.workerFlag(f)
	to.flags(f)
	f.StringSliceVar(&stages, "stages", allStages, "which `stages` to run")
	dryRunFlag(f, &dryRun)
	return cmd
}

func knownStages(stages []string) error {
	for _, s := range stages {
		if !slices.Contains(allStages, s) {
			return schema.Faultf(schema.FaultUsage, "it takes "+strings.Join(allStages, ","), "--stages names %q", s)
		}
	}
	return nil
}

func (p *pipeline) build(cmd *cobra.Command, stages []string) error {
	ctx := cmd.Context()
	if err := p.app.resolve(cmd, p.opts, p.dir.Manifest(), false); err != nil {
		return err
	}
	if err := p.app.readSumsFor(ctx, p.opts, p.dir.Manifest(), stages, p.dir.Tmp()); err != nil {
		return err
	}
	// what a machine lacks is better said before hours of work than after them
	plan, _, err := p.opts.plan(ctx, p.dir.Manifest(), stages)
	if err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return err
	}
	if err := p.to.check(ctx, p.app, stages); err != nil {
		return err
	}
	p.planned = true
	runs := map[string]func(context.Context) error{"ingest": p.ingest, "graph": p.graph, "vectors": p.vectors, "verify": p.verify, "report": p.report}
	for _, s := range allStages {
		if !slices.Contains(stages, s) {
			continue
		}
		if s == "verify" { // where all stages are up to date, too: a document may be gone
			if err := p.publish(); err != nil {
				return err
			}
		}
		if err := runs[s](ctx); err != nil {
			return err
		}
		if s == "verify" {
			if err := p.load(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
