package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/destination"
	"s2g/cmd/s2g/internal/plan"
	"s2g/cmd/s2g/internal/progress"
	"s2g/cmd/s2g/internal/terminal"
	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
	"s2g/schema/manifest"
)

const buildHelp = `Runs every stage that is out of date, verifies the result and writes report.html. The same command resumes a build that
was stopped, and makes again what is damaged. New outputs are made beside the old ones and replace them when they are
verified. If nothing has changed, by the sizes and times of all files, it does nothing.

With --graphdb and --qdrant it loads the verified build into these servers, compares their contents with the files, and
then moves Qdrant's aliases to it in one step. After a failure the servers serve the previous build.

    s2g build --dump bioinformatics.stackexchange.com --out build
    s2g build --dump stackoverflow.com.7z --out build --languages python,r --db-memory 8GiB`

func (a *app) build() *cobra.Command {
	o := &options{}
	to := &destination.Destinations{}
	var stages []string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "build --dump PATH --out DIR",
		Short: "every stage that is out of date, then verify and report",
		Long:  buildHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, s := range stages {
				if !slices.Contains(build.Stages, s) {
					return schema.Faultf(schema.FaultUsage, "it takes "+strings.Join(build.Stages, ","), "--stages names %q", s)
				}
			}
			if dryRun {
				if err := a.printPlan(cmd, o, stages); err != nil {
					return err
				}
				return a.checkDestinations(cmd.Context(), to, stages)
			}
			return a.inOut(cmd, o, func(b *build.Build) error {
				ctx := cmd.Context()
				a.log.Info("build begins", "dump", o.Dump, "out", o.Out)
				defer a.prepare("examining dump and machine")()
				if err := b.Check(ctx, stages); err != nil {
					return err
				}
				if err := a.checkDestinations(ctx, to, stages); err != nil {
					return err
				}
				var err error
				if a.clock, err = progress.ClockOf(ctx, b, stages); err != nil {
					return err
				}
				return b.Run(ctx, stages, a.buildSteps(b, to, cmd.Flags().Changed("stages")))
			})
		},
	}
	f := cmd.Flags()
	o.buildFlags(f)
	o.workerFlag(f)
	destinationFlags(f, to)
	f.StringSliceVar(&stages, "stages", build.Stages, "the `stages` to run")
	dryRunFlag(f, &dryRun)
	groupFlags(cmd)
	return cmd
}

// buildSteps returns what a build does beside its stages. named: the command line names the stages.
func (a *app) buildSteps(b *build.Build, to *destination.Destinations, named bool) build.Steps {
	var found *verify.Contents
	do := build.Steps{
		Verify: func(ctx context.Context) (differ map[string]bool, err error) {
			found, differ, err = a.verifyBuilt(ctx, b)
			return differ, err
		},
		Always: named || !to.None(),
		Report: func(ctx context.Context) error { return a.reportBuilt(ctx, b) },
	}
	if !to.None() {
		do.Load = func(ctx context.Context) error {
			found.MovedTo(b.Dir.Out())
			return a.loadBuilt(ctx, to, b, found)
		}
	}
	return do
}

// inOut runs work in OUT under its lock and prints the summary at its end, even if work fails.
func (a *app) inOut(cmd *cobra.Command, o *options, work func(*build.Build) error) (err error) {
	return a.inFolder(cmd, o, build.Resume, work)
}

func (a *app) inFolder(cmd *cobra.Command, o *options, open func(*build.Options) (*build.Build, error), work func(*build.Build) error) (err error) {
	if err := o.needOut(); err != nil {
		return err
	}
	b, err := open(&o.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := a.resolve(cmd, o, b.Dir.Manifest()); err != nil {
		return err
	}
	started := time.Now()
	err = work(b)
	a.outcomes = append(a.outcomes, b.Outcomes...)
	if len(b.Outcomes) > 0 {
		if site, unknown := b.Dir.Manifest().BuildSite(); unknown == nil && !a.json && !a.quiet {
			a.printf("site: %s\n", site)
		}
		err = errors.Join(err, a.printSummary(o.Out, b.Outcomes, time.Since(started), err))
	}
	if err == nil {
		err = a.printLooked(b)
	}
	return err
}

// printLooked prints what a command has looked at that found nothing to do.
func (a *app) printLooked(b *build.Build) error {
	if b.Looked.Files == 0 || slices.ContainsFunc(b.Outcomes, func(o build.Outcome) bool { return !o.Fresh }) {
		return nil
	}
	if a.json {
		return printJSON(a, map[string]any{"looked": b.Looked})
	}
	if !a.quiet {
		a.printf("\nnothing has changed: the sizes and times of %s files are those of the manifest\n(%d hashed, %.2f s); s2g verify --out %s compares their content\n",
			humanize.Comma(int64(b.Looked.Files)), b.Looked.Hashed, b.Looked.Seconds, terminal.ShellQuoted(b.Options.Out))
	}
	return nil
}

// inBuild is inOut for the build in service.
func (a *app) inBuild(cmd *cobra.Command, o *options, work func(*build.Build) error) error {
	if err := o.needBuild(); err != nil {
		return err
	}
	return a.inFolder(cmd, o, build.Open, work)
}

func dryRunFlag(f *pflag.FlagSet, dryRun *bool) {
	f.BoolVar(dryRun, "dry-run", false, "print the stages to run, with the disk and memory that they take, and change nothing")
}

// printPlan prints what the given stages would take. Too little disk or memory is an error.
func (a *app) printPlan(cmd *cobra.Command, o *options, stages []string) error {
	if err := o.needOut(); err != nil {
		return err
	}
	m, err := manifestOf(o.Out)
	if err != nil {
		return err
	}
	if err := a.resolve(cmd, o, m); err != nil {
		return err
	}
	p, err := plan.New(cmd.Context(), &o.Options, m, stages)
	if err != nil {
		return err
	}
	return a.printPlanned(p, p.Write, p.Ready(cmd.Context(), &o.Options))
}

// manifestOf returns the manifest in OUT, or an empty one if there is none.
func manifestOf(out string) (*manifest.Manifest, error) {
	if out == "" || !manifest.Exists(out) {
		return &manifest.Manifest{}, nil
	}
	return manifest.ReadLatest(out)
}
