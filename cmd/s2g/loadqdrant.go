package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/summary"
	"s2g/schema"
	"s2g/vectors/qdrant"
)

const loadQdrantHelp = `Loads the points of a build into Qdrant: a collection for each language, PREFIX_LANGUAGE_DATE_HASH, behind an alias
PREFIX_LANGUAGE. The collections are new. The aliases lead to the old ones until the new ones are complete, indexed
and compared with the shards; then one request moves all aliases. The same command resumes a load that was stopped: it
sends the points that the server lacks.

    s2g load qdrant --out build --url 127.0.0.1
    S2G_QDRANT_API_KEY=… s2g load qdrant --out build --url https://qdrant.example.org:6334 --on-disk --quantization scalar`

// loadQdrant is the command's options.
type loadQdrant struct {
	options
	qdrantFlags
	loading     qdrant.Options
	only        string // list of languages; empty: all
	keep        int
	allowShrink bool
	dryRun      bool
}

func (a *app) loadQdrant() *cobra.Command {
	l := &loadQdrant{}
	cmd := &cobra.Command{
		Use:   "qdrant --out DIR --url ADDRESS",
		Short: "put the vectors into Qdrant",
		Long:  loadQdrantHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.url == "" {
				return schema.Faultf(schema.FaultUsage, "give --url host:port", "no Qdrant to load into")
			}
			return a.runLoadQdrant(cmd, l)
		},
	}
	f := cmd.Flags()
	l.outFlag(f)
	l.qdrantFlags.flags(f, "url")
	retryFlag(f, &l.retryFor, qdrant.DefaultRetryFor)
	l.prefixFlag(f)
	l.layoutFlags(f)
	f.StringVar(&l.only, "languages", "", "load only these languages, by `tags` or slugs: a,b,c or @file; the others keep their collections")
	l.serviceFlags(f)
	f.BoolVar(&l.dryRun, "dry-run", false, "print what would be done, and change nothing")
	return cmd
}

func (l *loadQdrant) serviceFlags(f *pflag.FlagSet) {
	f.IntVar(&l.keep, "keep", 1, "number of earlier collections to keep for each language; -1: all")
	f.BoolVar(&l.allowShrink, "allow-shrink", false, "put a build in service that has less than 90 % of the points in service now")
}

func (l *loadQdrant) layoutFlags(f *pflag.FlagSet) {
	f.IntVar(&l.loading.Batch, "batch", qdrant.DefaultBatch, "points of a request, which has 5 MB at most")
	f.IntVar(&l.loading.InFlight, "in-flight", qdrant.DefaultInFlight, "requests at a time")
	f.DurationVar(&l.loading.IndexTimeout, "index-timeout", qdrant.DefaultIndexTimeout, "how long to wait for the server's indexes")
	f.Uint32Var(&l.loading.Shards, "shards", 0, "shards of a collection (default the server's)")
	f.Uint32Var(&l.loading.Replicas, "replicas", 0, "replicas of a shard (default the server's)")
	f.Uint32Var(&l.loading.WriteConsistency, "write-consistency", 0, "replicas that must confirm a write (default the server's)")
	f.BoolVar(&l.loading.OnDisk, "on-disk", false, "keep vectors and indexes on the server's disk, for less memory")
	f.StringVar(&l.loading.Quantization, "quantization", qdrant.QuantizationNone, "quantization of the dense vectors for the first pass of a search: scalar, binary, product or none")
	f.BoolVar(&l.loading.Float16, "float16", false, "store dense vectors as float16, of half the size")
	f.Uint64Var(&l.loading.M, "m", qdrant.DefaultM, "links of a point in the HNSW graph")
	f.Uint64Var(&l.loading.EfConstruct, "ef-construct", 0, "candidates for a link when the HNSW graph is built (default the server's)")
}

func (a *app) runLoadQdrant(cmd *cobra.Command, l *loadQdrant) (err error) {
	ctx := cmd.Context()
	m, err := a.readBuild(cmd, &l.options)
	if err != nil {
		return err
	}
	points, err := build.Points(l.Out, m, toolVersion(), l.prefix, l.only)
	if err != nil {
		return err
	}
	if err := errors.Join(points.Check(), l.loading.Check()); err != nil {
		return err
	}
	if l.dryRun {
		l.retryFor = 0 // a person waits for the answer
	}
	server, err := l.connect(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if l.dryRun {
		return a.planQdrant(ctx, server, points, l)
	}
	if err := server.CheckService(ctx, points, l.allowShrink); err != nil {
		return err
	}
	loaded, err := a.sendPoints(ctx, server, points, l)
	if err != nil {
		return err
	}
	dropped, err := server.PutInService(ctx, points, l.keep, l.allowShrink)
	if err != nil {
		return err
	}
	return a.printLoadedPoints(points, loaded, dropped)
}

// sendPoints loads the points that the collections lack. No alias leads to the collections yet.
func (a *app) sendPoints(ctx context.Context, server *qdrant.Server, points qdrant.Build, l *loadQdrant) ([]qdrant.Loaded, error) {
	shown := a.progress("load qdrant")
	defer shown.End()
	l.loading.Progress = shown.Report
	return server.Load(ctx, points, l.loading)
}

// planQdrant prints the plan of a load. A build that cannot be put in service is an error.
func (a *app) planQdrant(ctx context.Context, server *qdrant.Server, points qdrant.Build, l *loadQdrant) error {
	p, err := server.Plan(ctx, points, l.keep)
	if err != nil {
		return err
	}
	refused := server.CheckService(ctx, points, l.allowShrink)
	if a.json {
		return errors.Join(printJSON(a, map[string]any{"plan": p}), refused)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "alias\tserves now\tpoints\twill serve\tpoints\tto send\t")
	for _, one := range p.Languages {
		serves, serving := "-", "-"
		if one.Serves != "" {
			serves, serving = one.Serves, humanize.Comma(one.Serving)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", one.Alias, serves, serving, one.Collection, humanize.Comma(one.Points), humanize.Comma(max(0, one.Points-one.There)))
	}
	err = w.Flush()
	for _, names := range []struct {
		what string
		list []string
	}{{"aliases to delete", p.Withdrawn}, {"collections to delete", p.Dropped}} {
		if len(names.list) > 0 {
			a.printf("%s: %s\n", names.what, strings.Join(names.list, ", "))
		}
	}
	return errors.Join(err, refused)
}

// printLoadedPoints prints the result of a load as a table, or as a line of JSON with --json.
func (a *app) printLoadedPoints(points qdrant.Build, loaded []qdrant.Loaded, dropped []string) error {
	if a.json {
		return printJSON(a, map[string]any{"qdrant": loaded, "dropped": slices.Concat([]string{}, dropped)})
	}
	if a.quiet {
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "alias\tcollection\tpoints\tsent\tseconds\tpoints/s\tindex ready after\t")
	var sum qdrant.Loaded
	for _, l := range loaded {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.1f\t%s\t%.1f\t\n", points.Alias(l.Language), l.Collection, humanize.Comma(l.Points), humanize.Comma(l.Sent),
			l.Seconds, summary.Rate(l.Sent, l.Seconds, 1), l.Waited)
		sum.Points, sum.Sent, sum.Seconds = sum.Points+l.Points, sum.Sent+l.Sent, sum.Seconds+l.Seconds
	}
	fmt.Fprintf(w, "\t%d collections\t%s\t%s\t%.1f\t%s\t\t\n", len(loaded), humanize.Comma(sum.Points), humanize.Comma(sum.Sent), sum.Seconds, summary.Rate(sum.Sent, sum.Seconds, 1))
	if err := w.Flush(); err != nil {
		return err
	}
	if len(dropped) > 0 {
		a.printf("deleted: %s\n", strings.Join(dropped, ", "))
	}
	return nil
}

// qdrantKey is the variable of the API key; see app.getenv.
const qdrantKey = "S2G_QDRANT_API_KEY"

// qdrantFlags are the flags of a Qdrant server: its address, the prefix of its collections, key and retries.
type qdrantFlags struct {
	url, prefix string
	plainKey    bool
	retryFor    time.Duration
}

func (q *qdrantFlags) flags(f *pflag.FlagSet, url string) {
	f.StringVar(&q.url, url, "", "`address` of Qdrant's gRPC: host:port, or https://host:port for TLS (default port 6334); the API key is in "+qdrantKey)
	f.BoolVar(&q.plainKey, "qdrant-insecure-key", false, "also send the API key to another machine without TLS")
}

func (q *qdrantFlags) prefixFlag(f *pflag.FlagSet) {
	f.StringVar(&q.prefix, "prefix", "", "beginning of the collections' names (default so for stackoverflow.com, else the site's name)")
}

// connect connects to the server.
func (q *qdrantFlags) connect(ctx context.Context, a *app) (*qdrant.Server, error) {
	address, err := qdrant.ParseAddress(q.url)
	if err != nil {
		return nil, err
	}
	return qdrant.Open(ctx, qdrant.Access{Address: address, Key: a.getenv(qdrantKey), PlainKey: q.plainKey, RetryFor: q.retryFor, Log: a.log})
}
