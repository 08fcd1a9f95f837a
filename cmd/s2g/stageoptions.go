package main

import (
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
		Dump: o.dump, DumpSite: o.dumpSite, Without: o.shape.Without,
		Strict: o.strict, MaxRejects: o.maxRejects, Workers: o.workers,
	}
	if o.maxRejects == 0 {
		opts.MaxRejects = -1 // the stage's zero value is its default
	}
	return opts, nil
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
