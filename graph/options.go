package graph

import (
	"log/slog"
	"runtime"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/postscan"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// Version is part of the stage's key. It changes whenever this package writes other
// files for the same tables and options.
const Version = 2

// BatchSize is the number of quads in every file but the last.
const BatchSize = 50_000

// maxWorkers limits the workers. Each opens four connections, and the private server
// accepts 64. Eight workers render more than a server sends.
const maxWorkers = 8

// Options configures a run. With a site alone it writes the graph of the default
// languages as TriG with gzip.
type Options struct {
	Site      vocab.Site        // base of all IRIs
	Languages []schema.Language // nil: schema.DefaultLanguages
	Other     bool              // questions of no language go into the remainder graph
	Format    string            // "trig" or "nquads"; empty: trig
	Compress  string            // "gzip", "zstd" or "none"; empty: gzip

	// Materialize adds the triples that the ontology's hierarchy implies: superclasses,
	// superproperties, and the terms of other vocabularies that it aligns with.
	Materialize bool

	Posts   postscan.Source // of the tables; nil: the stage's own queries
	Threads *threads.Index  // of the tables and the languages; nil: the stage's own

	Workers  int                                  // 0: GOMAXPROCS; at most maxWorkers
	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // receives the number of written posts; nil: no reports

	batch              int // quads in a file; 0: BatchSize
	fragment, poolSize int // bytes of a fragment, and of all; 0: fragmentSize, poolSize; set together
}

// formats are the values of Options.Format.
var formats = map[string]trig.Format{"trig": trig.TriG, "nquads": trig.NQuads}

// withDefaults fills in the zero values and checks the rest.
func (o Options) withDefaults() (Options, error) {
	if err := o.Site.Check(); err != nil {
		return o, err
	}
	if o.Languages == nil {
		o.Languages = schema.DefaultLanguages()
	}
	if o.Format == "" {
		o.Format = "trig"
	}
	if o.Compress == "" {
		o.Compress = "gzip"
	}
	if o.batch == 0 {
		o.batch = BatchSize
	}
	if o.fragment == 0 {
		o.fragment, o.poolSize = fragmentSize, poolSize
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, maxWorkers)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if _, ok := formats[o.Format]; !ok {
		return o, schema.Faultf(schema.FaultUsage, "use trig or nquads", "unknown graph format %q", o.Format)
	}
	if _, ok := compressions[o.Compress]; !ok {
		return o, schema.Faultf(schema.FaultUsage, "use gzip, zstd or none", "unknown compression %q", o.Compress)
	}
	return o, nil
}

// Key returns the stage's key. It covers everything that changes the files.
func Key(ingestKey string, o Options) (string, error) {
	o, err := o.withDefaults()
	if err != nil {
		return "", err
	}
	return manifest.Key(manifest.Graph, Version, ingestKey, o.Site, o.Languages, o.Other, o.Format, o.Compress, o.Materialize)
}

// suffix returns the end of the batch files' names, which trig.OpenText reads.
func (o *Options) suffix() string {
	format := "trig"
	if formats[o.Format] == trig.NQuads {
		format = "nq"
	}
	return format + compressions[o.Compress].suffix
}
