package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/destination"
	"s2g/cmd/s2g/internal/verify"
	"s2g/graph/graphdb"
	"s2g/schema"
	"s2g/vectors/qdrant"
)

const loadHelp = `Loads a build into a server. The server stores the progress of the load, so the same command resumes it after the
command or the server was stopped.`

// load is the parent of the commands that load a build into a server.
func (a *app) load() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "load",
		Short: "put a build into a server",
		Long:  loadHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return schema.Faultf(schema.FaultUsage, "see s2g load --help", "no server named")
		},
	}
	cmd.AddCommand(a.loadGraphDB(), a.loadQdrant())
	return cmd
}

// destinationFlags adds the flags of the servers into which s2g build loads a verified build.
func destinationFlags(f *pflag.FlagSet, d *destination.Destinations) {
	graphDBFlags(f, &d.GraphDB, "graphdb")
	qdrantFlags(f, &d.Qdrant, "qdrant")
	ofQdrant := pflag.NewFlagSet("qdrant", pflag.ContinueOnError)
	serviceFlags(ofQdrant, &d.Qdrant)
	layoutFlags(ofQdrant, &d.Qdrant.Loading)
	ofQdrant.VisitAll(func(l *pflag.Flag) { l.Usage = "Qdrant: " + l.Usage }) // load qdrant shares the text
	f.AddFlagSet(ofQdrant)
	f.StringVar(&d.Qdrant.Prefix, "prefix", "", "beginning of the names of the repository and the collections (default so for stackoverflow.com, else the site's name)")
	retryFlag(f, &d.Qdrant.RetryFor, qdrant.DefaultRetryFor)
}

// environment is what clients of servers get from the command.
func (a *app) environment() destination.Environment {
	return destination.Environment{Getenv: a.settings.Getenv, Log: a.log, Progress: func(stage string) (func(string, int64, int64), func()) {
		p := a.progress(stage)
		return p.Report, p.End
	}}
}

// checkDestinations checks, before hours of work, that the servers answer and accept the options.
func (a *app) checkDestinations(ctx context.Context, d *destination.Destinations, stages []string) error {
	if d.None() {
		return nil
	}
	if !slices.Contains(stages, build.Verify) {
		return schema.Faultf(schema.FaultUsage, "leave --stages out, or load with s2g load", "a build that is not verified is not loaded")
	}
	d.GraphDB.Prefix, d.GraphDB.RetryFor = d.Qdrant.Prefix, d.Qdrant.RetryFor // both servers share these flags
	return d.Check(ctx, a.environment())
}

// loadBuilt loads a verified build.
func (a *app) loadBuilt(ctx context.Context, d *destination.Destinations, b *build.Build, found *verify.Contents) error {
	return d.Load(ctx, a.environment(), b, found, destination.Results{
		Graph:    a.printLoadedGraph,
		Compared: func(report verify.Report, took time.Duration) error { return a.printReport(report, took) },
		Points:   a.printLoadedPoints,
	})
}

// printLoadedGraph prints the result of a load as a table, or as a line of JSON with --json.
func (a *app) printLoadedGraph(l graphdb.LoadResult) error {
	return a.printResult(map[string]any{"graphdb": l}, func(w io.Writer) error { return destination.WriteLoadedGraph(w, l) })
}

// printLoadedPoints prints the result of a load as a table, or as a line of JSON with --json.
func (a *app) printLoadedPoints(points qdrant.Build, loaded []qdrant.Loaded, dropped []string) error {
	return a.printResult(map[string]any{"qdrant": loaded, "dropped": slices.Concat([]string{}, dropped)}, func(w io.Writer) error {
		return destination.WriteLoadedPoints(w, points, loaded, dropped)
	})
}
