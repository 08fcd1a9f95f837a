package publish

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/shard"
)

// dataset is the build as the documents describe it. Templates read its exported fields.
type dataset struct {
	manifest *manifest.Manifest

	Site    vocab.Site
	Host    string
	Dump    string // name of the dump
	Newest  string // day of its newest post, as 2024-03-31, or empty
	Tool    string
	Graph   graphFiles
	Shards  []languageShards
	Texts   fileSet // parents/
	Dense   string
	Sparse  string
	Units   string
	Columns []shard.Column // of shards
}

// fileSet is some files of a stage.
type fileSet struct {
	Glob  string // relative to OUT
	Count int
	Rows  int64
	Bytes int64
}

func (s *fileSet) count(f manifest.File) {
	s.Count++
	s.Rows += f.Rows
	s.Bytes += f.Size
}

// graphFiles is the output of the graph stage; empty without one.
type graphFiles struct {
	Batches           fileSet
	Media             []string        // media types of a batch
	Others            []manifest.File // ontology.ttl, void.ttl
	Questions         int64
	Answers, Comments int64
}

// languageShards are the vectors of a language.
type languageShards struct {
	schema.Language
	IRI   string // of its graph
	Files fileSet
}

func newDataset(m *manifest.Manifest) (*dataset, error) {
	site, err := m.BuildSite()
	if err != nil {
		return nil, err
	}
	d := &dataset{manifest: m, Site: site, Host: site.Host(), Dump: m.Dump.Name, Tool: m.Tool, Columns: shard.Columns()}
	if len(m.Dump.Newest) >= len("2006-01-02") {
		d.Newest = m.Dump.Newest[:len("2006-01-02")]
	}
	if stage := m.Stages[manifest.Graph]; stage != nil {
		d.addGraph(stage)
	}
	if stage := m.Stages[manifest.Vectors]; stage != nil {
		d.addVectors(stage)
	}
	return d, nil
}

func (d *dataset) addGraph(stage *manifest.Stage) {
	d.Graph = graphFiles{Questions: stage.Counts["questions"], Answers: stage.Counts["answers"], Comments: stage.Counts["comments"]}
	for _, f := range stage.Files {
		name, isBatch := strings.CutPrefix(f.Name, "graph/batch-")
		if !isBatch {
			d.Graph.Others = append(d.Graph.Others, f)
			continue
		}
		_, extension, _ := strings.Cut(name, ".")
		d.Graph.Batches.Glob, d.Graph.Media = "graph/batch-*."+extension, mediaTypes(extension)
		d.Graph.Batches.count(f)
	}
}

// mediaTypes returns the media types of a batch with the extension, such as "trig.gz": format, then compression.
func mediaTypes(extension string) []string {
	format, compression, _ := strings.Cut(extension, ".")
	types := map[string]string{"trig": "application/trig", "nq": "application/n-quads", "gz": "application/gzip", "zst": "application/zstd"}
	if compression == "" {
		return []string{types[format]}
	}
	return []string{types[format], types[compression]}
}

// addVectors adds the languages that have a shard, in the order of the language table, then the remainder.
func (d *dataset) addVectors(stage *manifest.Stage) {
	d.Units = d.manifest.Options.Units
	if e := stage.Embedders; e != nil {
		d.Dense, d.Sparse = e.Dense, e.Sparse
	}
	found := map[string]*fileSet{}
	for _, f := range stage.Files {
		if path.Ext(f.Name) != ".parquet" {
			continue
		}
		folder := path.Dir(f.Name)
		if found[folder] == nil {
			found[folder] = &fileSet{Glob: folder + "/*.parquet"}
		}
		found[folder].count(f)
	}
	if texts := found["parents"]; texts != nil {
		d.Texts = *texts
	}
	for _, l := range d.manifest.Options.Graphs() {
		switch l.Tag {
		case "":
			l.Name = "no selected language"
		case schema.SiteTag:
			l.Name = "all questions of the site"
		}
		if files := found["vectors/"+l.Slug]; files != nil {
			d.Shards = append(d.Shards, languageShards{Language: l, IRI: d.Site.Graph(l.Tag), Files: *files})
		}
	}
}

// Parts describes how graph and vectors are divided: "GROUP for each programming language", one of all questions, or both.
func (d *dataset) Parts(group string) string {
	o := d.manifest.Options
	switch {
	case !o.WholeSite:
		return group + " for each programming language"
	case len(o.Languages) == 0:
		return group + " of all questions"
	}
	return group + " for each of some tags, and one of all questions"
}

// TextRules describes the terms of texts in another language than English; empty: they are those of English.
func (d *dataset) TextRules() string {
	switch l := d.manifest.Options.TextLanguage; l {
	case "", "english":
		return ""
	case "japanese":
		return "Japanese: runs of letters and digits are not cut into words, and not stemmed"
	case "none":
		return "words are not stemmed, and there are no stop words"
	default:
		return "stop words and stemmer of " + strings.ToUpper(l[:1]) + l[1:]
	}
}

// Example returns the language with the most chunks, so that the example queries find something; without vectors, the
// first of the table.
func (d *dataset) Example() languageShards {
	if len(d.Shards) == 0 {
		return languageShards{IRI: d.Site.Graph(d.manifest.Options.Graphs()[0].Tag)}
	}
	return slices.MaxFunc(d.Shards, func(s, t languageShards) int { return cmp.Compare(s.Files.Rows, t.Files.Rows) })
}
