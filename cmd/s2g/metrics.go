package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/metrics"
	"s2g/schema/manifest"
)

// checkMetrics checks, before hours of work, that the file of --metrics can be written.
func (a *app) checkMetrics(cmd *cobra.Command) error {
	if a.metrics == "" {
		return nil
	}
	if out := cmd.Flags().Lookup("out"); out != nil {
		if err := build.CheckOutside("metrics", a.metrics, out.Value.String()); err != nil {
			return err
		}
	}
	if !strings.HasSuffix(a.metrics, ".prom") {
		a.log.Warn("node_exporter reads files whose names end in .prom alone", "metrics", a.metrics)
	}
	return metrics.Check(a.metrics)
}

// writeMetrics writes the file of --metrics, if there is one.
func (a *app) writeMetrics(cmd *cobra.Command, started time.Time, code int) error {
	out := cmd.Flags().Lookup("out")
	if out == nil {
		return nil // the command has no build
	}
	if a.metrics == "" { // a command line that could not be parsed has set no flags
		a.metrics = a.settings.Getenv(commandline.Variable("metrics"))
	}
	if a.metrics == "" {
		return nil
	}
	r := metrics.Run{
		Command: strings.TrimPrefix(cmd.CommandPath(), "s2g "), Tool: toolVersion(), Started: started, Finished: time.Now(), ExitCode: code,
		UpToDate: map[string]bool{}, DatabaseMemory: map[string]int64{}, Checks: a.checks,
	}
	for _, o := range a.outcomes {
		r.UpToDate[o.Stage] = o.Fresh
		if !o.Fresh {
			r.DatabaseMemory[o.Stage] = o.ServerPeakRSS
		}
	}
	if m, err := manifest.Read(out.Value.String()); err == nil { // the run has reported any error
		r.Manifest = m
	}
	return metrics.Write(a.metrics, r)
}
