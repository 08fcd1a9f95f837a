package main

import (
	"bytes"
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/report"
	"s2g/cmd/s2g/internal/summary"
	"s2g/schema/manifest"
)

const reportHelp = `Writes report.html into the folder of the build: the figures of the build (those of all of Stack Overflow beside the
paper's), graphs, tags, questions, years or months, scores, answers, links, an example thread as a graph, omissions with
their reasons, stages with their times, and commands and a query that find something in the build. It is one file without
scripts, which opens offline and prints. The command reads the counts that the graph stage has left, some rows of the
tables and a few files of the graph. Of a build without a graph it counts the rows.
s2g build also writes the report, at its end.

    s2g report --out build && xdg-open build/report.html`

func (a *app) report() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "report --out DIR",
		Short: "report.html: figures and plots of a build, one self-contained file",
		Long:  reportHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.inBuild(cmd, o, func(b *build.Build) error { return a.writeReport(cmd.Context(), b) })
		},
	}
	o.outFlag(cmd.Flags())
	o.databaseFlags(cmd.Flags())
	return cmd
}

// reportBuilt is the stage report of a build. It writes the report unless that is up to date.
func (a *app) reportBuilt(ctx context.Context, b *build.Build) error {
	o, err := reportOptions(b)
	if err != nil || o.Manifest.Stages[manifest.Ingest] == nil {
		return err
	}
	fresh, err := isFreshReport(o)
	recorded := o.Manifest.Report != "" || o.Manifest.Stages[manifest.Ingest].Tool == "" // an older s2g records none
	if err != nil || fresh && recorded {
		return err
	}
	defer stopwatch(b, build.Report)()
	return a.writeReport(ctx, b)
}

// isFreshReport reports whether the report of a build is up to date. A file of the report's name that s2g has not written is a
// usage fault.
func isFreshReport(o report.Options) (bool, error) {
	fresh, err := report.Fresh(o)
	if err != nil || !fresh {
		return false, err
	}
	altered, err := report.Altered(o)
	return !altered, err
}

// reportOptions returns the options of the report of a build.
func reportOptions(b *build.Build) (report.Options, error) {
	m := b.Dir.Manifest()
	site, err := m.BuildSite()
	s := b.Options.Shape
	return report.Options{Out: b.Dir.Out(), Manifest: m, Site: site, Languages: s.Table(), Other: s.Other}, err
}

// writeReport writes the report and prints its name.
func (a *app) writeReport(ctx context.Context, b *build.Build) error {
	o, err := reportOptions(b)
	if err != nil {
		return err
	}
	if _, err := isFreshReport(o); err != nil { // refuses to replace a file that s2g has not written
		return err
	}
	db, err := b.Tables(ctx)
	if err != nil {
		return err
	}
	started := time.Now()
	if o.Stats, o.Figures, err = counted(o.Out, o.Manifest, o.Site); err != nil {
		return err
	}
	reads := "manifest, graph/void.ttl, some rows and files of the graph"
	if o.Stats == nil || o.Figures == nil {
		reads = "all rows of the tables, because the build has no counts of its graph"
	}
	a.log.Info("report begins", "reads", reads)
	shown := a.progress("report")
	o.Progress = shown.Report
	r, err := report.Gather(ctx, db, o)
	shown.End()
	if err != nil {
		return err
	}
	a.found = r.SearchText()
	var text bytes.Buffer
	if err := r.WriteHTML(&text); err != nil {
		return err
	}
	if err := b.Dir.ReplaceReport(text.Bytes()); err != nil {
		return err
	}
	a.log.Info("report is done", "bytes", text.Len(), "seconds", time.Since(started).Seconds())
	file := filepath.Join(b.Options.Out, report.FileName)
	switch {
	case a.json:
		return printJSON(a, map[string]any{"report": map[string]any{"file": file, "bytes": text.Len()}})
	case !a.quiet:
		a.printf("%s, %s\n", file, summary.Size(int64(text.Len())))
	}
	return nil
}
