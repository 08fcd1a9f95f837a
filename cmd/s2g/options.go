package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/commandline"
	"s2g/cmd/s2g/internal/plan"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/memory"
	"s2g/vectors"
)

// options are the options of a build, from the flags of a command. Each command has the flags that concern it.
type options struct {
	build.Options
	memory, languages string // values of flags, which resolve parses
	makes             bool   // the command makes outputs, so it logs the options that it takes from the build
}

func (o *options) outFlag(f *pflag.FlagSet) {
	f.StringVar(&o.Out, "out", "", "the `folder` of the build")
}

func (o *options) databaseFlags(f *pflag.FlagSet) {
	f.StringVar(&o.DSN, "dsn", "", "use this MariaDB instead of a private one: user@unix(/path)/database or user@tcp(host:port)/database; with a password only in S2G_DSN or in the file of S2G_DSN_FILE")
	f.StringVar(&o.memory, "db-memory", "", "`size` of the private MariaDB's buffer pool (default a quarter of memory or what the tables take, 256MiB to 16GiB)")
}

// replacementFlags adds the flags of what a run may delete.
func (o *options) replacementFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.Replace, "replace", false, "allow a run to delete what an endpoint has made, and to replace a build of another site")
	f.BoolVar(&o.InPlace, "in-place", false, "overwrite outputs, with half the disk; else the old ones stay in service until the new ones are verified")
}

func (o *options) workerFlag(f *pflag.FlagSet) {
	f.Var(commandline.WorkerCount{N: &o.Workers}, "workers", "`number` of goroutines, 1 or more; the output does not depend on it (default one per core)")
}

func (o *options) ingestFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Dump, "dump", "", "the dump: a `path` of a folder of .xml, .xml.gz, .bz2, .zst or .xz files, a site's .7z, or a folder of site-Table.7z files")
	f.StringVar(&o.DumpSite, "dump-site", "", "the `site` to read, if the dump holds several")
	f.StringSliceVar(&o.Shape.Without, "without", nil, "`tables` that may be missing: comments,votes,links,tags")
	f.BoolVar(&o.Rehash, "rehash", false, "identify the dump by its bytes (reads it once before all else), not by the names, sizes and times of its files")
	f.BoolVar(&o.Strict, "strict", false, "stop at the first bad row (exit 3)")
	f.Float64Var(&o.MaxRejects, "max-rejects", 0.01, "share of bad rows in a table above which the run fails (exit 3)")
}

func (o *options) languageFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Shape.Site, "site", "", "base of all IRIs, a host or URL (default from the names of the dump)")
	f.StringVar(&o.languages, "languages", "", "`tags` that have a graph: a,b,c or @file.csv with the columns tag,slug,name (default the paper's 39; see s2g languages)")
	f.BoolVar(&o.Shape.WholeSite, "whole-site", false, "put all questions into one graph and one collection: instead of the default languages, or beside those of --languages")
	f.BoolVar(&o.Shape.Other, "other", false, "put questions with no selected language into a graph of their own")
}

func (o *options) graphFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Shape.GraphFormat, "graph-format", "trig", "format of the graph's files: trig, or nquads for stores that read no TriG")
	f.StringVar(&o.Shape.Compress, "compress", "gzip", "compression of the graph's files: gzip, zstd or none")
	f.BoolVar(&o.Shape.Materialize, "materialize", false, "write the statements that follow from the ontology: superclasses, and the terms of SIOC, schema.org, SKOS and Dublin Core")
}

func (o *options) vectorFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Shape.Units, "units", "question", "what is embedded: question, or question,answer")
	f.IntVar(&o.Shape.Window, "window", vectors.DefaultWindow, "size of a chunk in tokens")
	f.IntVar(&o.Shape.Overlap, "overlap", vectors.DefaultOverlap, "tokens that neighbouring chunks share")
	f.StringVar(&o.Shape.Dense, "dense", "builtin", "dense embedder: builtin (latent semantic analysis fitted on the dump), or openai+http://HOST:PORT/v1?model=NAME")
	f.StringVar(&o.Shape.Sparse, "sparse", "bm25", "sparse embedder: bm25 (the numbers of Qdrant's qdrant/bm25), or bgem3+http://HOST:PORT?model=NAME")
	f.StringVar(&o.Shape.TextLanguage, "text-language", "", "`language` of stemmer and stop words: english, french, japanese (not stemmed), portuguese, russian, spanish or none (default that of the site)")
	f.BoolVar(&o.Shape.Links, "links", false, "keep the addresses of links in the texts that are embedded: [text](address)")
	f.StringVar(&o.Shape.Reuse, "reuse", "", "`folder` of an earlier build: vectors of the same texts and models are copied from it, and its builtin model is used")
}

// denseEndpointFlag and sparseEndpointFlag add the flags by which a command reaches the models of a build elsewhere.
func denseEndpointFlag(f *pflag.FlagSet, spec *string) {
	f.StringVar(spec, "dense", "", "the build's dense model at another endpoint, as openai+http://HOST:PORT/v1?model=NAME")
}

func sparseEndpointFlag(f *pflag.FlagSet, spec *string) {
	f.StringVar(spec, "sparse", "", "the build's sparse model at another endpoint, as bgem3+http://HOST:PORT?model=NAME")
}

// waitedRetry is the default of --retry-for for commands whose answer a person waits for.
const waitedRetry = 10 * time.Second

// retryFlag adds the flag of retries, which holds for servers and, by app.remote, for embedding endpoints.
func retryFlag(f *pflag.FlagSet, retryFor *time.Duration, byDefault time.Duration) {
	f.DurationVar(retryFor, "retry-for", byDefault, "how long to retry a failing request to a server or an endpoint; 0: not at all")
}

// buildFlags adds the flags of all stages.
func (o *options) buildFlags(f *pflag.FlagSet) {
	o.makes = true
	o.outFlag(f)
	o.ingestFlags(f)
	o.languageFlags(f)
	o.graphFlags(f)
	o.vectorFlags(f)
	o.databaseFlags(f)
	o.replacementFlags(f)
}

// needOut returns a usage fault without --out.
func (o *options) needOut() error {
	if o.Out == "" {
		return schema.Faultf(schema.FaultUsage, "give --out DIR", "no folder to work in")
	}
	return nil
}

// needBuild returns a usage fault if the folder holds no build.
func (o *options) needBuild() error {
	if err := o.needOut(); err != nil {
		return err
	}
	_, err := manifest.Read(o.Out)
	return err
}

// readBuild is readManifest. The build stays in service until the command has ended.
func (a *app) readBuild(cmd *cobra.Command, o *options) (*manifest.Manifest, error) {
	if err := o.needOut(); err != nil {
		return nil, err
	}
	if err := a.hold(cmd, o.Out); err != nil {
		return nil, err
	}
	return a.readManifest(cmd, o)
}

// readManifest reads the manifest of the build in OUT and completes the options with it.
func (a *app) readManifest(cmd *cobra.Command, o *options) (*manifest.Manifest, error) {
	if err := o.needOut(); err != nil {
		return nil, err
	}
	m, err := manifest.Read(o.Out)
	if err != nil {
		if busy := manifest.CheckAtRest(o.Out); busy != nil {
			return nil, busy
		}
		return nil, err
	}
	return m, a.resolve(cmd, o, m)
}

// hold keeps the build in a folder in service until the command has ended.
func (a *app) hold(cmd *cobra.Command, out string) error {
	g, err := manifest.HoldGeneration(cmd.Context(), out)
	if err == nil {
		a.held = append(a.held, g)
	}
	return err
}

// release ends the hold on builds, for a command that reads no more of their files.
func (a *app) release() (err error) {
	for _, g := range a.held {
		err = errors.Join(err, g.Release())
	}
	a.held = nil
	return err
}

// resolve completes and checks the options. Options without a flag come from the build in OUT, whose manifest is m.
func (a *app) resolve(cmd *cobra.Command, o *options, m *manifest.Manifest) error {
	o.Tool, o.Log, o.Remote, o.Fits = toolVersion(), a.log, a.remote(cmd.Flags()), plan.Check
	o.LimitMemory = memory.Limit
	o.Progress = func(stage string) (func(string, int64, int64), func()) {
		memory.ResetPeak() // for the stage's peak in the summary
		p := a.progress(stage)
		return p.Report, p.End
	}
	var err error
	if o.Memory, err = commandline.ParsePool("db-memory", o.memory, memory.Machine()); err != nil {
		return err
	}
	if o.Shape.Languages, err = schema.ParseLanguages(o.languages); err != nil {
		return err
	}
	o.Shape.Languages = schema.KeepSlugs(o.Shape.Languages, m.Options.Languages)
	if o.languages == "" && o.Shape.WholeSite {
		o.Shape.Languages = nil
	}
	if err := o.Inherit(m, cmd.Flags().Changed); err != nil {
		return err
	}
	if o.languages == "" && cmd.Flags().Changed("languages") && o.Shape.WholeSite {
		o.Shape.Languages = nil
	}
	if err := o.Complete(); err != nil {
		return err
	}
	a.logSettings(cmd.Flags(), o)
	if o.makes {
		a.logKept(cmd.Flags(), o, m)
	}
	return nil
}
