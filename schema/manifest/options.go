package manifest

import (
	"cmp"

	"s2g/schema"
	"s2g/schema/vocab"
)

// Options are the choices that shape the outputs. The manifest keeps them, so
// that a stage that runs alone has those of the build.
type Options struct {
	Site        string            `json:"site,omitempty"`
	Languages   []schema.Language `json:"languages,omitempty"`
	Other       bool              `json:"other,omitempty"`
	Without     []string          `json:"without,omitempty"`
	Compress    string            `json:"compress,omitempty"`
	GraphFormat string            `json:"graph_format,omitempty"`
	Materialize bool              `json:"materialize,omitempty"`
	Units       string            `json:"units,omitempty"`
	Window      int               `json:"window,omitempty"`
	Overlap     int               `json:"overlap,omitempty"`
	Dense       string            `json:"dense,omitempty"`
	Sparse      string            `json:"sparse,omitempty"`
	Links       bool              `json:"links,omitempty"` // embedded texts keep the addresses of links
	Reuse       string            `json:"reuse,omitempty"` // folder of the build whose vectors were copied
}

// BuildSite returns the base of the IRIs of a build that these options shape:
// option site, else the site of the dump, else vocab.DefaultSite. Options hold
// only a site that was chosen, because that of the dump is not known before the
// dump is read.
func (o Options) BuildSite(d Dump) (vocab.Site, error) {
	if site := cmp.Or(o.Site, d.Site); site != "" {
		return vocab.ParseSite(site)
	}
	return vocab.DefaultSite, nil
}

// BuildSite returns the base of the build's IRIs; see [Options.BuildSite].
func (m *Manifest) BuildSite() (vocab.Site, error) { return m.Options.BuildSite(m.Dump) }

// Graphs returns the languages that have a graph and a collection, in the order
// of the language table: Languages, or the default table where it is nil, and
// then, with option other, schema.OtherLanguage.
func (o Options) Graphs() []schema.Language {
	table := o.Languages
	if table == nil {
		table = schema.DefaultLanguages()
	}
	if o.Other {
		table = append(table[:len(table):len(table)], schema.OtherLanguage())
	}
	return table
}
