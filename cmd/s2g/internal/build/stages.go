package build

import (
	"cmp"
	"context"
	"slices"

	"s2g/graph"
	"s2g/ingest"
	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors"
	"s2g/vectors/embed"
)

// ingestOptions returns the options of the stage.
func (o *Options) ingestOptions() (ingest.Options, error) {
	if o.Dump == "" {
		return ingest.Options{}, schema.Faultf(schema.FaultUsage, "give option dump PATH", "no dump to read")
	}
	return ingest.Options{
		Dump: o.Dump, DumpSite: o.DumpSite, Without: o.Shape.Without, TableHashes: o.sums,
		Strict: o.Strict, MaxRejects: &o.MaxRejects, Workers: o.Workers,
	}, nil
}

// readSums hashes the dump's tables for Rehash, once. The key of the dump is a hash of these.
func (o *Options) readSums(ctx context.Context) error {
	if !o.Rehash || o.sums != nil {
		return nil
	}
	opts, err := o.ingestOptions()
	if err != nil {
		return err
	}
	o.Log.Info("reading the dump to identify it by its bytes")
	o.sums, err = ingest.TableHashes(ctx, o.tmp, opts)
	return err
}

// ingestPlan returns the plan of an ingest. If the tables of the build come from the same bytes, the plan has their key,
// which may be a hash of file names and times instead.
func (o *Options) ingestPlan(m *manifest.Manifest) (*ingest.Plan, error) {
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

// buildSite returns the site of the build once its tables are those of d. nil: those of the manifest.
func (o *Options) buildSite(m *manifest.Manifest, d *dump.Dump) (vocab.Site, error) {
	read := m.Dump
	if d != nil {
		read.Site = d.Site
	}
	return o.Shape.BuildSite(read)
}

// graphOptions returns the options of the stage and its key. tablesKey is the key of the tables.
func (o *Options) graphOptions(site vocab.Site, tablesKey string) (opts graph.Options, key string, err error) {
	s := o.Shape
	opts = graph.Options{
		Site: site, Languages: s.Table(), Other: s.Other, Format: s.GraphFormat, Compress: s.Compress, Materialize: s.Materialize,
		Workers: o.Workers, Log: o.Log,
	}
	key, err = graph.Key(tablesKey, opts)
	return opts, key, err
}

// vectorsOptions returns the options of the stage and its key. tablesKey is the key of the tables. Without the option
// reuse, vectors that were made with it keep their key.
func (o *Options) vectorsOptions(m *manifest.Manifest, site vocab.Site, tablesKey string) (opts vectors.Options, key string, err error) {
	s := o.Shape
	opts = vectors.Options{
		Site: site, Languages: s.Table(), Other: s.Other, Units: s.Units,
		Window: s.Window, Overlap: &s.Overlap, Dense: s.Dense, Sparse: s.Sparse, TextLanguage: o.textLanguage(site), Links: s.Links, Reuse: s.Reuse, Workers: o.Workers,
		Log: o.Log, Remote: o.Remote,
	}
	key, err = vectors.Key(tablesKey, opts)
	if done := m.Stages[manifest.Vectors]; done != nil && s.Reuse == "" && vectors.MadeWithReuse(done.Key, key) {
		key = done.Key
	}
	return opts, key, err
}

// Keys returns the keys that the graph and the vectors of a build have by its own options.
func Keys(m *manifest.Manifest) (map[string]string, error) {
	ingest := m.Stages[manifest.Ingest]
	if ingest == nil {
		return nil, nil
	}
	site, err := m.BuildSite()
	if err != nil {
		return nil, err
	}
	o := &Options{Shape: m.Options}
	o.Shape.Reuse = ""
	_, graphKey, err := o.graphOptions(site, ingest.Key)
	if err != nil {
		return nil, err
	}
	_, vectorsKey, err := o.vectorsOptions(m, site, ingest.Key)
	return map[string]string{manifest.Graph: graphKey, manifest.Vectors: vectorsKey}, err
}

// textLanguage returns the language of the texts: option text-language, else that of the site.
func (o *Options) textLanguage(site vocab.Site) string {
	return cmp.Or(o.Shape.TextLanguage, TextLanguage(site))
}

// TextLanguage returns the language of a site's texts. Texts of a site in a language without rules are not stemmed.
func TextLanguage(site vocab.Site) string {
	language, err := embed.ParseLanguage(site.Language())
	if err != nil {
		language = embed.Unstemmed
	}
	return string(language)
}

// keys returns the keys of all stages. A stage whose options cannot be read has none; that stage reports the error.
func (o *Options) keys(m *manifest.Manifest, site vocab.Site, tablesKey string) map[string]string {
	keys := map[string]string{manifest.Ingest: tablesKey}
	if _, key, err := o.graphOptions(site, tablesKey); err == nil {
		keys[manifest.Graph] = key
	}
	if _, key, err := o.vectorsOptions(m, site, tablesKey); err == nil {
		keys[manifest.Vectors] = key
	}
	return keys
}

// State is the difference between a build and its options.
type State struct {
	Dump  *dump.Dump      // nil without the option dump
	Site  vocab.Site      // of the build once it has run; empty if it is unknown and no stage requires it
	Stale map[string]bool // by stage: it has not finished with this dump and these options, or its files are damaged

	Compared bool // the run compares the tables with the fingerprints of the ingest first, because a server may have changed them

	// Beside has the stages whose new outputs are made in [manifest.NextFolder] while the old ones stay: until the
	// build swaps them at its end, both take disk. The tables are never made beside the old ones.
	Beside map[string]bool

	Changes   []Change   // the stages that run, and why
	OtherSite vocab.Site // of the build, if the dump is of another one
	Losses    []Loss     // work of endpoints that the run deletes
}

// Examine returns the form and the tags of a dump, which it reads once. Those of a first dump stay for the stages after
// ingest, whose options name none. What cannot be read, or not cheaply, is the zero value: ingest reports errors.
func (o *Options) Examine(ctx context.Context, d *dump.Dump) (dump.Form, []dump.TagCount, error) {
	if d != nil && !o.examined {
		o.examined = true
		if form, err := d.DetectForm(ctx); err == nil {
			o.form = form
		}
		if tags, err := d.TagCounts(ctx); err == nil {
			o.tags = tags
		}
	}
	return o.form, o.tags, ctx.Err()
}

// State compares the build with the options. It changes nothing. With Rehash it reads the dump if the given stages
// include ingest and the build has tables; a first ingest is stale without that. An unknown site is a usage fault if the
// given stages include one that writes IRIs.
func (o *Options) State(ctx context.Context, m *manifest.Manifest, stages []string) (*State, error) {
	s := &State{Stale: map[string]bool{}}
	tablesKey := ""
	if done := m.Stages[manifest.Ingest]; done != nil {
		tablesKey = done.Key
		if o.Dump != "" && slices.Contains(stages, manifest.Ingest) {
			if err := o.readSums(ctx); err != nil {
				return nil, err
			}
		}
	}
	if o.Dump != "" {
		plan, err := o.ingestPlan(m)
		if err != nil {
			return nil, err
		}
		s.Dump, tablesKey = plan.Dump, plan.Key
		files, err := o.lookAtTables(m)
		if err != nil {
			return nil, err
		}
		s.Stale[manifest.Ingest] = files == tables.FilesMissing || !m.Fresh(manifest.Ingest, tablesKey)
		s.Compared = files == tables.FilesUnknown && !s.Stale[manifest.Ingest] && slices.Contains(stages, manifest.Ingest)
	}
	var err error
	if s.Site, err = o.buildSite(m, s.Dump); err != nil {
		writes := slices.Contains(stages, manifest.Graph) || slices.Contains(stages, manifest.Vectors)
		if read := s.Dump != nil || m.Stages[manifest.Ingest] != nil; writes && read {
			return nil, err
		}
		s.Stale[manifest.Graph], s.Stale[manifest.Vectors] = true, true
		s.Changes = o.changes(m, s, stages)
		return s, nil
	}
	_, graphKey, err := o.graphOptions(s.Site, tablesKey)
	if err != nil {
		return nil, err
	}
	_, vectorsKey, err := o.vectorsOptions(m, s.Site, tablesKey)
	if err != nil {
		return nil, err
	}
	s.Beside = map[string]bool{}
	for stage, key := range map[string]string{manifest.Graph: graphKey, manifest.Vectors: vectorsKey} {
		fresh, err := o.isFresh(ctx, m, stage, key)
		if err != nil {
			return nil, err
		}
		s.Stale[stage] = !fresh
		s.Beside[stage] = !fresh && !o.InPlace && (m.Stages[stage] != nil || m.Root() == manifest.NextFolder(m.Base()))
	}
	if slices.Contains(stages, manifest.Ingest) {
		s.OtherSite = otherSite(m, s)
	}
	s.Changes = o.changes(m, s, stages)
	if slices.Contains(stages, manifest.Vectors) {
		s.Losses, err = o.losses(m, s)
	}
	return s, err
}
