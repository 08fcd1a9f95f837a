package main

import (
	"context"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// options are the flags of build; each also stands on the stage it concerns.
type options struct {
	out string

	dump, dumpSite string
	strict, rehash bool
	maxRejects     float64
	sums           map[string]string // of the dump, once --rehash has read it

	dsn, memory string
	workers     int

	languages string
	shape     manifest.Options // those that shape outputs; Languages is parsed from languages

	dimensions int // of the vectors of --dense, where its endpoint was asked
}

func (o *options) outFlag(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "the `folder` of the build")
}

func (o *options) databaseFlags(f *pflag.FlagSet) {
	f.StringVar(&o.dsn, "dsn", "", "use this MariaDB instead of a private one: user@unix(/path)/database or user@tcp(host:port)/database; with a password only as S2G_DSN or in a file that S2G_DSN_FILE names")
	f.StringVar(&o.memory, "db-memory", "", "`size` of the private MariaDB's buffer pool (default a quarter of memory, 256MiB to 16GiB)")
}

func (o *options) workerFlag(f *pflag.FlagSet) {
	f.IntVar(&o.workers, "workers", 0, "goroutines that work side by side; changes no byte of the output (default one a core)")
}

func (o *options) ingestFlags(f *pflag.FlagSet) {
	f.StringVar(&o.dump, "dump", "", "the dump: a `path` of a folder of .xml, .xml.gz, .bz2, .zst or .xz files, a site's .7z, or a folder of site-Table.7z files")
	f.StringVar(&o.dumpSite, "dump-site", "", "which `site`, where the dump holds several")
	f.StringSliceVar(&o.shape.Without, "without", nil, "`tables` that may be missing: comments,votes,links,tags")
	f.BoolVar(&o.rehash, "rehash", false, "tell the dump from that of the build by its bytes, which are read for that, not by its files' names, sizes and times")
	f.BoolVar(&o.strict, "strict", false, "stop at the first bad row (exit 3)")
	f.Float64Var(&o.maxRejects, "max-rejects", 0.01, "share of bad rows in a table above which the run fails (exit 3)")
}

func (o *options) languageFlags(f *pflag.FlagSet) {
	f.StringVar(&o.shape.Site, "site", "", "base of all IRIs, a host or URL (default from the dump's name, else stackoverflow.com)")
	f.StringVar(&o.languages, "languages", "", "`tags` that have a graph: a,b,c or @file.csv with the columns tag,slug,name (default the paper's 39; see s2g languages)")
	f.BoolVar(&o.shape.Other, "other", false, "put questions with no selected language into a graph of their own")
}

func (o *options) graphFlags(f *pflag.FlagSet) {
	f.StringVar(&o.shape.GraphFormat, "graph-format", "trig", "format of the graph's files: trig, or nquads for stores that read no TriG")
	f.StringVar(&o.shape.Compress, "compress", "gzip", "compression of the graph's files: gzip, zstd or none")
	f.BoolVar(&o.shape.Materialize, "materialize", false, "write out what follows from the ontology: superclasses, and the terms of SIOC, schema.org, SKOS and Dublin Core")
}

func (o *options) vectorFlags(f *pflag.FlagSet) {
	f.StringVar(&o.shape.Units, "units", "question", "what is embedded: question, or question,answer")
	f.IntVar(&o.shape.Window, "window", 512, "size of a chunk in tokens")
	f.IntVar(&o.shape.Overlap, "overlap", 64, "tokens that neighbouring chunks share")
	f.StringVar(&o.shape.Dense, "dense", "builtin", "dense embedder: builtin (latent semantic analysis fitted on the dump), or openai+http://HOST:PORT/v1?model=NAME")
	f.StringVar(&o.shape.Sparse, "sparse", "bm25", "sparse embedder: bm25 (the numbers of Qdrant's qdrant/bm25), or bgem3+http://HOST:PORT?model=NAME")
	f.BoolVar(&o.shape.Links, "links", false, "keep the addresses of links in the texts that are embedded: [text](address)")
	f.StringVar(&o.shape.Reuse, "reuse", "", "`folder` of an earlier build: vectors of the same texts and models are copied from it, and its builtin model is used")
}

// buildFlags are the flags of all stages.
func (o *options) buildFlags(f *pflag.FlagSet) {
	o.outFlag(f)
	o.ingestFlags(f)
	o.languageFlags(f)
	o.graphFlags(f)
	o.vectorFlags(f)
	o.databaseFlags(f)
}

// needOut is the check of a command that works in OUT.
func (o *options) needOut() error {
	if o.out == "" {
		return schema.Faultf(schema.FaultUsage, "give --out DIR", "no folder to work in")
	}
	return nil
}

// needBuild is the check of a command that reads a build in OUT.
func (o *options) needBuild() error {
	if err := o.needOut(); err != nil {
		return err
	}
	_, err := manifest.Read(o.out)
	return err
}

// resolveFor completes the options that were not given: from the build that is in
// OUT, where a stage runs alone, and checks them all.
func (o *options) resolveFor(cmd *cobra.Command, m *manifest.Manifest, alone bool) error {
	if alone {
		o.inherit(cmd.Flags(), m.Options)
	}
	if o.shape.Site != "" {
		site, err := vocab.ParseSite(o.shape.Site)
		if err != nil {
			return err
		}
		o.shape.Site = string(site)
	}
	if o.shape.Languages == nil {
		table, err := schema.ParseLanguages(o.languages)
		if err != nil {
			return err
		}
		o.shape.Languages = table
	}
	return o.check()
}

// site is the base of IRIs: the one that was chosen, else the dump's, else
// Stack Overflow. Only a choice is kept in the manifest's options, because the
// dump's site is not known before it is read.
func (o *options) site(m *manifest.Manifest) (vocab.Site, error) {
	if o.shape.Site != "" {
		return vocab.Site(o.shape.Site), nil
	}
	if m.Dump.Site != "" {
		return vocab.ParseSite(m.Dump.Site)
	}
	return vocab.DefaultSite, nil
}

// inheritable are the flags that a stage which runs alone takes from the build, and
// how it takes each from the command line instead.
var inheritable = map[string]func(o *options, own manifest.Options){
	"site":         func(o *options, own manifest.Options) { o.shape.Site = own.Site },
	"languages":    func(o *options, _ manifest.Options) { o.shape.Languages = nil },
	"other":        func(o *options, own manifest.Options) { o.shape.Other = own.Other },
	"without":      func(o *options, own manifest.Options) { o.shape.Without = own.Without },
	"compress":     func(o *options, own manifest.Options) { o.shape.Compress = own.Compress },
	"graph-format": func(o *options, own manifest.Options) { o.shape.GraphFormat = own.GraphFormat },
	"materialize":  func(o *options, own manifest.Options) { o.shape.Materialize = own.Materialize },
	"units":        func(o *options, own manifest.Options) { o.shape.Units = own.Units },
	"window":       func(o *options, own manifest.Options) { o.shape.Window = own.Window },
	"overlap":      func(o *options, own manifest.Options) { o.shape.Overlap = own.Overlap },
	"dense":        func(o *options, own manifest.Options) { o.shape.Dense = own.Dense },
	"sparse":       func(o *options, own manifest.Options) { o.shape.Sparse = own.Sparse },
	"links":        func(o *options, own manifest.Options) { o.shape.Links = own.Links },
	"reuse":        func(o *options, own manifest.Options) { o.shape.Reuse = own.Reuse },
}

// inherit takes the options that the flags do not give from an earlier build.
// Flags that a command does not have count as not given.
func (o *options) inherit(flags *pflag.FlagSet, of manifest.Options) {
	own := o.shape
	o.shape = of
	for name, take := range inheritable {
		if flags.Changed(name) {
			take(o, own)
		}
	}
	o.fillDefaults(own, of)
}

// fillDefaults gives options that no build has set yet, as of says, what the flags
// have: their defaults, where they are not given.
func (o *options) fillDefaults(own, of manifest.Options) {
	s := &o.shape
	if s.Compress == "" {
		s.Compress = own.Compress
	}
	if s.GraphFormat == "" {
		s.GraphFormat = own.GraphFormat
	}
	if of.Units == "" { // not one of them: an overlap of 0 is a choice
		s.Units, s.Window, s.Overlap, s.Dense, s.Sparse = own.Units, own.Window, own.Overlap, own.Dense, own.Sparse
	}
}

// choices are the values of flags that take one of a few.
var choices = map[string][]string{
	"compress":     {"gzip", "zstd", "none"},
	"graph-format": {"trig", "nquads"},
	"units":        {"question", "question,answer"},
}

// optionalTables are those that --without may name.
var optionalTables = []string{"comments", "votes", "links", "tags"}

func (o *options) check() error {
	s := &o.shape
	for _, c := range []struct{ flag, value string }{{"compress", s.Compress}, {"graph-format", s.GraphFormat}, {"units", s.Units}} {
		if c.value != "" && !slices.Contains(choices[c.flag], c.value) {
			return schema.Faultf(schema.FaultUsage, "it takes "+strings.Join(choices[c.flag], " or "), "--%s has the value %q", c.flag, c.value)
		}
	}
	for _, name := range s.Without {
		if !slices.Contains(optionalTables, name) {
			return schema.Faultf(schema.FaultUsage, "it takes comments, votes, links and tags", "--without names %q", name)
		}
	}
	if s.Window != 0 && (s.Window < 16 || s.Overlap < 0 || s.Overlap >= s.Window/2) {
		return schema.Faultf(schema.FaultUsage, "the window is at least 16 tokens, the overlap less than half of it", "--window %d with --overlap %d", s.Window, s.Overlap)
	}
	if o.maxRejects < 0 || o.maxRejects > 1 {
		return schema.Faultf(schema.FaultUsage, "0.01 is one row in a hundred", "--max-rejects is a share from 0 to 1, not %g", o.maxRejects)
	}
	_, err := o.server()
	return err
}

// server says which MariaDB holds the tables.
func (o *options) server() (tables.Options, error) {
	memory, err := parseSize("db-memory", o.memory)
	if err != nil {
		return tables.Options{}, err
	}
	private, err := privateFolder(o.out)
	if err != nil {
		return tables.Options{}, err
	}
	return tables.Options{Dir: private, DSN: o.dsn, Memory: memory}, nil
}

// openTables starts or joins the private server of OUT, or opens the user's.
func (a *app) openTables(ctx context.Context, o *options) (*tables.DB, error) {
	server, err := o.server()
	if err != nil {
		return nil, err
	}
	server.Log = a.log
	return tables.Open(ctx, server)
}

func parseSize(flag, value string) (int64, error) {
	if value == "" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(value)
	if err != nil || n > 1<<50 {
		return 0, schema.Faultf(schema.FaultUsage, "as 512MiB or 4GiB", "--%s: %q is not a size", flag, value)
	}
	return int64(n), nil
}
