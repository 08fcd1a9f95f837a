package publish

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	"s2g/schema"
)

// cardData is the front matter of a Hugging Face dataset card,
// https://huggingface.co/docs/hub/datasets-cards: one config a language.
type cardData struct {
	PrettyName     string       `yaml:"pretty_name"`
	License        string       `yaml:"license"`
	Language       []string     `yaml:"language"`
	Annotations    []string     `yaml:"annotations_creators"`
	Creators       []string     `yaml:"language_creators"`
	Sizes          []string     `yaml:"size_categories,omitempty"`
	TaskCategories []string     `yaml:"task_categories"`
	Tags           []string     `yaml:"tags"`
	Configs        []cardConfig `yaml:"configs,omitempty"`
	Infos          []cardInfo   `yaml:"dataset_info,omitempty"`
}

type cardConfig struct {
	Name  string      `yaml:"config_name"`
	Files []cardFiles `yaml:"data_files"`
}

type cardFiles struct {
	Split string `yaml:"split"`
	Path  string `yaml:"path"`
}

// cardInfo has the counts that readers compare with the rows they have read.
type cardInfo struct {
	Name     string      `yaml:"config_name"`
	Splits   []cardSplit `yaml:"splits"`
	Download int64       `yaml:"download_size"`
	Size     int64       `yaml:"dataset_size"`
}

type cardSplit struct {
	Name  string `yaml:"name"`
	Bytes int64  `yaml:"num_bytes"` // of the Parquet files; datasets 5 ignores splits without it, with a warning
	Rows  int64  `yaml:"num_examples"`
}

// split is the only split: no rows are reserved for testing.
const split = "train"

var keywords = []string{"knowledge-graph", "rdf", "question-answering", "programming", "stack-exchange", "embeddings", "hybrid-search", "qdrant", "graphdb"}

// card returns README.md: front matter, then text for people.
func (d *dataset) card() ([]byte, error) {
	c := cardData{
		PrettyName: d.Host + ": knowledge graph and vectors", License: "cc-by-sa-4.0", Language: []string{d.Site.Language(), "code"},
		Annotations: []string{"no-annotation"}, Creators: []string{"crowdsourced"},
		TaskCategories: []string{"question-answering", "text-retrieval", "feature-extraction"}, Tags: keywords,
	}
	add := func(name string, f fileSet) {
		c.Configs = append(c.Configs, cardConfig{name, []cardFiles{{split, f.Glob}}})
		c.Infos = append(c.Infos, cardInfo{name, []cardSplit{{split, f.Bytes, f.Rows}}, f.Bytes, f.Bytes})
	}
	for _, s := range d.Shards {
		add(s.Slug, s.Files)
	}
	if d.Texts.Count > 0 {
		add(schema.ParentsConfig, d.Texts)
		c.Sizes = []string{sizeCategory(d.rows())}
	}
	var text bytes.Buffer
	text.WriteString("---\n")
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(c); err != nil {
		return nil, err
	}
	text.WriteString("---\n")
	body, err := d.render(cardName)
	return append(text.Bytes(), body...), err
}

// rows returns the rows of all configs.
func (d *dataset) rows() int64 {
	n := d.Texts.Rows
	for _, s := range d.Shards {
		n += s.Files.Rows
	}
	return n
}

// sizeCategory returns Hugging Face's name for a number of rows, https://huggingface.co/docs/hub/datasets-cards.
func sizeCategory(rows int64) string {
	bounds := []string{"1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T"}
	if rows < 1000 {
		return "n<1K"
	}
	limit := int64(10_000)
	for i := 1; i < len(bounds); i, limit = i+1, limit*10 {
		if rows < limit {
			return bounds[i-1] + "<n<" + bounds[i]
		}
	}
	return "n>1T"
}

// Summary describes the build in a sentence or two.
func (d *dataset) Summary() string {
	from := "the questions, answers and comments of " + d.Host
	if d.Newest != "" {
		from += " up to " + d.Newest
	}
	parts := ", by programming language."
	if o := d.manifest.Options; o.WholeSite && len(o.Languages) == 0 {
		parts = "."
	} else if o.WholeSite {
		parts = ", whole and by tag."
	}
	switch {
	case len(d.Shards) == 0:
		return "A knowledge graph (RDF) of " + from + "."
	case d.Graph.Batches.Count == 0:
		return "Dense and sparse vectors of " + from + parts
	}
	return "A knowledge graph (RDF) and hybrid search vectors of " + from + parts + " Graph and vectors share post ids."
}

//go:embed templates
var templates embed.FS

// render returns the document whose template has the name.
func (d *dataset) render(name string) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{
		"count": humanize.Comma,
		"bytes": func(n int64) string { return humanize.IBytes(uint64(n)) },
		"cell":  func(s string) string { return strings.ReplaceAll(s, "|", `\|`) },
	}).ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, fmt.Errorf("reading the template of %s: %w", name, err)
	}
	var text bytes.Buffer
	err = t.Execute(&text, d)
	return text.Bytes(), err
}
