package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/destination"
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
	to     destination.Qdrant
	only   string // list of languages; empty: all
	dryRun bool
}

func (a *app) loadQdrant() *cobra.Command {
	l := &loadQdrant{}
	cmd := &cobra.Command{
		Use:   "qdrant --out DIR --url ADDRESS",
		Short: "put the vectors into Qdrant",
		Long:  loadQdrantHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.to.URL == "" {
				return schema.Faultf(schema.FaultUsage, "give --url host:port", "no Qdrant to load into")
			}
			return a.runLoadQdrant(cmd, l)
		},
	}
	f := cmd.Flags()
	l.outFlag(f)
	qdrantFlags(f, &l.to, "url")
	retryFlag(f, &l.to.RetryFor, qdrant.DefaultRetryFor)
	collectionFlag(f, &l.to)
	layoutFlags(f, &l.to.Loading)
	f.StringVar(&l.only, "languages", "", "load only these languages, by `tags` or slugs: a,b,c or @file; the others keep their collections")
	serviceFlags(f, &l.to)
	f.BoolVar(&l.dryRun, "dry-run", false, "print what would be done, and change nothing")
	return cmd
}

// qdrantFlags adds the flags of every command that uses Qdrant. url is the name of the flag for its address.
func qdrantFlags(f *pflag.FlagSet, q *destination.Qdrant, url string) {
	f.StringVar(&q.URL, url, "", "`address` of Qdrant's gRPC: host:port, or https://host:port for TLS (default port 6334); the API key is in "+destination.QdrantKey)
	f.BoolVar(&q.PlainKey, "qdrant-insecure-key", false, "also send the API key to another machine without TLS")
}

func collectionFlag(f *pflag.FlagSet, q *destination.Qdrant) {
	f.StringVar(&q.Prefix, "prefix", "", "beginning of the collections' names (default so for stackoverflow.com, else the site's name)")
}

// serviceFlags adds the flags of what follows a load.
func serviceFlags(f *pflag.FlagSet, q *destination.Qdrant) {
	f.IntVar(&q.Keep, "keep", 1, "number of earlier collections to keep for each language; -1: all")
	f.BoolVar(&q.AllowShrink, "allow-shrink", false, "put a build in service that has less than 90 % of the points in service now")
}

// layoutFlags adds the flags of new collections and of the requests that fill them.
func layoutFlags(f *pflag.FlagSet, o *qdrant.Options) {
	f.IntVar(&o.Batch, "batch", qdrant.DefaultBatch, "points of a request, which has 5 MB at most")
	f.IntVar(&o.InFlight, "in-flight", qdrant.DefaultInFlight, "requests at a time")
	f.DurationVar(&o.IndexTimeout, "index-timeout", qdrant.DefaultIndexTimeout, "how long to wait for the server's indexes")
	f.Uint32Var(&o.Shards, "shards", 0, "shards of a collection (default the server's)")
	f.Uint32Var(&o.Replicas, "replicas", 0, "replicas of a shard (default the server's)")
	f.Uint32Var(&o.WriteConsistency, "write-consistency", 0, "replicas that must confirm a write (default the server's)")
	f.BoolVar(&o.OnDisk, "on-disk", false, "keep vectors and indexes on the server's disk, for less memory")
	f.StringVar(&o.Quantization, "quantization", qdrant.QuantizationNone, "quantization of the dense vectors for the first pass of a search: scalar, binary, product or none")
	f.BoolVar(&o.Float16, "float16", false, "store dense vectors as float16, of half the size")
	f.Uint64Var(&o.M, "m", qdrant.DefaultM, "links of a point in the HNSW graph")
	f.Uint64Var(&o.EfConstruct, "ef-construct", 0, "candidates for a link when the HNSW graph is built (default the server's)")
}

func (a *app) runLoadQdrant(cmd *cobra.Command, l *loadQdrant) (err error) {
	ctx := cmd.Context()
	m, err := a.readBuild(cmd, &l.options)
	if err != nil {
		return err
	}
	points, err := build.Points(l.Out, m, toolVersion(), l.to.Prefix, l.only)
	if err != nil {
		return err
	}
	if err := errors.Join(points.Check(), l.to.Loading.Check()); err != nil {
		return err
	}
	if l.dryRun {
		l.to.RetryFor = 0 // a person waits for the answer
	}
	server, err := l.to.Connect(ctx, a.environment())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if l.dryRun {
		p, err := server.Plan(ctx, points, l.to.Keep)
		if err != nil {
			return err
		}
		refused := server.CheckService(ctx, points, l.to.AllowShrink)
		return a.printPlanned(p, func(w io.Writer) error { return destination.WritePointsPlan(w, p) }, refused)
	}
	if err := server.CheckService(ctx, points, l.to.AllowShrink); err != nil {
		return err
	}
	loaded, err := l.to.Load(ctx, a.environment(), server, points)
	if err != nil {
		return err
	}
	dropped, err := server.PutInService(ctx, points, l.to.Keep, l.to.AllowShrink)
	if err != nil {
		return err
	}
	return a.printLoadedPoints(points, loaded, dropped)
}
