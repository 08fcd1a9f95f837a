package publish

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// build is what the documents say of a build. Its exported fields are for the
// templates.
type build struct {
	m *manifest.Manifest

	Site    vocab.Site
	Host    string
	Dump    string // name of the dump
	Newest  string // day of its newest post, as 2024-03-31, or empty
	Tool    string
	Graph   graph
	Shards  []shards
	Texts   files // parents/
	Dense   string
	Sparse  string
	Units   string
	Columns []column // of shards
}

// files are some files of a stage.
type files struct {
	Glob  string // relative to OUT
	Count int
	Rows  int64
	Bytes int64
}

func (f *files) add(g manifest.File) {
	f.Count++
	f.Rows += g.Rows
	f.Bytes += g.Size
}

// graph is what the graph stage wrote. It is empty where there is none.
type graph struct {
	Batches           files
	Media             []string        // of a batch: media types
	Others            []manifest.File // ontology.ttl, void.ttl
	Questions         int64
	Answers, Comments int64
}

// shards are the vectors of a language.
type shards struct {
	schema.Language
	Config string // its name as a part of the dataset
	IRI    string // of its graph
	Files  files
}

// parentsConfig is the part that holds whole texts. No slug is equal to it: an
// underscore in a slug stands before two hexadecimal digits, or is that of
// [schema.OtherSlug].
const parentsConfig = "_parents"

func newBuild(m *manifest.Manifest) (*build, error) {
	b := &build{m: m, Site: vocab.DefaultSite, Dump: m.Dump.Name, Tool: m.Tool, Columns: columns()}
	for _, site := range []string{m.Dump.Site, m.Options.Site} {
		if site == "" {
			continue
		}
		var err error
		if b.Site, err = vocab.ParseSite(site); err != nil {
			return nil, err
		}
	}
	b.Host = b.Site.Host()
	if len(m.Dump.Newest) >= len("2006-01-02") {
		b.Newest = m.Dump.Newest[:len("2006-01-02")]
	}
	if stage := m.Stages[manifest.Graph]; stage != nil {
		b.Graph = newGraph(stage)
	}
	if stage := m.Stages[manifest.Vectors]; stage != nil {
		b.addVectors(stage)
	}
	return b, nil
}

func newGraph(stage *manifest.Stage) graph {
	g := graph{Questions: stage.Counts["questions"], Answers: stage.Counts["answers"], Comments: stage.Counts["comments"]}
	for _, f := range stage.Files {
		name, isBatch := strings.CutPrefix(f.Name, "graph/batch-")
		if !isBatch {
			g.Others = append(g.Others, f)
			continue
		}
		_, extension, _ := strings.Cut(name, ".")
		g.Batches.Glob = "graph/batch-*." + extension
		g.Media = mediaTypes(extension)
		g.Batches.add(f)
	}
	return g
}

// mediaTypes are those of a batch with the given extension.
func mediaTypes(extension string) []string {
	format, compression, _ := strings.Cut(extension, ".")
	types := map[string]string{"trig": "application/trig", "nq": "application/n-quads", "gz": "application/gzip", "zst": "application/zstd"}
	if compression == "" {
		return []string{types[format]}
	}
	return []string{types[format], types[compression]}
}

// addVectors finds the languages that have a shard, in the order of the language
// table, the remainder last.
func (b *build) addVectors(stage *manifest.Stage) {
	b.Units = b.m.Options.Units
	if e := stage.Embedders; e != nil {
		b.Dense, b.Sparse = e.Dense, e.Sparse
	}
	found := map[string]*files{}
	for _, f := range stage.Files {
		if path.Ext(f.Name) != ".parquet" {
			continue
		}
		folder := path.Dir(f.Name)
		if found[folder] == nil {
			found[folder] = &files{Glob: folder + "/*.parquet"}
		}
		found[folder].add(f)
	}
	if texts := found["parents"]; texts != nil {
		b.Texts = *texts
	}
	languages := b.m.Options.Languages
	if b.m.Options.Other {
		languages = append(languages[:len(languages):len(languages)], schema.Language{Slug: schema.OtherSlug, Name: "no selected language"})
	}
	for _, l := range languages {
		if of := found["vectors/"+l.Slug]; of != nil {
			b.Shards = append(b.Shards, shards{Language: l, Config: l.Slug, IRI: b.Site.Graph(l.Tag), Files: *of})
		}
	}
}

// Example is the language with the most chunks, for examples that find something;
// the first of the table where there are no vectors.
func (b *build) Example() shards {
	if len(b.Shards) == 0 {
		tag := ""
		if languages := b.m.Options.Languages; len(languages) > 0 {
			tag = languages[0].Tag
		}
		return shards{IRI: b.Site.Graph(tag)}
	}
	return slices.MaxFunc(b.Shards, func(s, t shards) int { return cmp.Compare(s.Files.Rows, t.Files.Rows) })
}
