package main

import (
	"context"

	"s2g/graph"
	"s2g/ingest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors"
)

// ingestOptions are the flags as the stage takes them.
func (o *options) ingestOptions() (ingest.Options, error) {
	if o.dump == "" {
		return ingest.Options{}, schema.Faultf(schema.FaultUsage, "give --dump PATH", "no dump to read")
	}
	opts := ingest.Options{
		Dump: o.dump, DumpSite: o.dumpSite, Without: o.shape.Without, TableHashes: o.sums,
		Strict: o.strict, MaxRejects: o.maxRejects, Workers: o.workers,
	}
	if o.maxRejects == 0 {
		opts.MaxRejects = -1 // the stage's zero value is its default
	}
	return opts, nil
}

// readSums reads the dump for --rehash, once. Until then neither its key nor what a
// build takes is known: it may be another behind the same names, or the same behind others.
func (a *app) readSums(ctx context.Context, o *options, tmp string) error {
	if !o.rehash || o.sums != nil {
		return nil
	}
	opts, err := o.ingestOptions()
	if err != nil {
		return err
	}
	a.log.Info("reading the dump, to tell it by its bytes")
	o.sums, err = ingest.TableHashes(ctx, tmp, opts)
	return err
}

// ingestPlan is what an ingest would read. Where a build's tables were made of the same
// bytes, its key is theirs, which may be of names and times.
func (o *options) ingestPlan(m *manifest.Manifest) (*ingest.Plan, error) {
	opts, err := o.ingestOptions()
	if err != nil {
		return nil, err
	}
	plan, err := ingest.NewPlan(opts)
	if err != nil {
		return nil, err
	}
	if done := m.Stages[manifest.Ingest]; done != nil && plan.SameTables(m.Dump) {
		plan.Key = done.Key
	}
	return plan, nil
}

// graphOptions are the flags as the stage takes them, and its key for the tables
// of the given key. The manifest names the dump's site.
func (o *options) graphOptions(m *manifest.Manifest, tablesKey string) (opts graph.Options, key string, err error) {
	site, err := o.site(m)
	if err != nil {
		return opts, "", err
	}
	s := o.shape
	opts = graph.Options{
		Site: site, Languages: s.Languages, Other: s.Other, Format: s.GraphFormat, Compress: s.Compress, Materialize: s.Materialize,
		Workers: o.workers,
	}
	key, err = graph.Key(tablesKey, opts)
	return opts, key, err
}

// vectorsOptions are the flags as the stage takes them, and its key for the
// tables of the given key.
func (o *options) vectorsOptions(m *manifest.Manifest, tablesKey string) (opts vectors.Options, key string, err error) {
	site, err := o.site(m)
	if err != nil {
		return opts, "", err
	}
	s := o.shape
	opts = vectors.Options{
		Site: site, Languages: s.Languages, Other: s.Other, Units: s.Units,
		Window: s.Window, Overlap: s.Overlap, Dense: s.Dense, Sparse: s.Sparse, Links: s.Links, Reuse: s.Reuse, Workers: o.workers,
	}
	if s.Overlap == 0 {
		opts.Overlap = -1 // the stage's zero value is its default
	}
	key, err = vectors.Key(tablesKey, opts)
	return opts, key, err
}
