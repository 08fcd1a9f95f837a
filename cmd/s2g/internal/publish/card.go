package publish

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"
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

// cardInfo lets readers check that they have all rows.
type cardInfo struct {
	Name     string      `yaml:"config_name"`
	Splits   []cardSplit `yaml:"splits"`
	Download int64       `yaml:"download_size"`
}

type cardSplit struct {
	Name string `yaml:"name"`
	Rows int64  `yaml:"num_examples"`
}

// split is the only one: nothing here is set aside for testing.
const split = "train"

var keywords = []string{"knowledge-graph", "rdf", "question-answering", "programming", "stack-exchange", "embeddings", "hybrid-search", "qdrant", "graphdb"}

// card is README.md: front matter, then text for people.
func (b *build) card() ([]byte, error) {
	d := cardData{
		PrettyName: b.Host + ": knowledge graph and vectors", License: "cc-by-sa-4.0", Language: []string{b.naturalLanguage(), "code"},
		Annotations: []string{"no-annotation"}, Creators: []string{"crowdsourced"},
		TaskCategories: []string{"question-answering", "text-retrieval", "feature-extraction"}, Tags: keywords,
	}
	add := func(name string, f files) {
		d.Configs = append(d.Configs, cardConfig{name, []cardFiles{{split, f.Glob}}})
		d.Infos = append(d.Infos, cardInfo{name, []cardSplit{{split, f.Rows}}, f.Bytes})
	}
	for _, s := range b.Shards {
		add(s.Config, s.Files)
	}
	if b.Texts.Count > 0 {
		add(parentsConfig, b.Texts)
		d.Sizes = []string{sizeCategory(b.rows())}
	}
	var text bytes.Buffer
	text.WriteString("---\n")
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	text.WriteString("---\n")
	body, err := b.fill(Card)
	return append(text.Bytes(), body...), err
}

// rows are those of all configs.
func (b *build) rows() int64 {
	n := b.Texts.Rows
	for _, s := range b.Shards {
		n += s.Files.Rows
	}
	return n
}

// naturalLanguage is what people write on the site, by ISO 639-1: Stack Overflows
// of another language than English have it as the first part of their host, as
// ru.stackoverflow.com. (cs.stackexchange.com is about computer science.)
func (b *build) naturalLanguage() string {
	first, rest, _ := strings.Cut(b.Host, ".")
	switch {
	case len(first) == 2 && strings.HasSuffix(rest, "stackoverflow.com"):
		return first
	case b.Host == "rus.stackexchange.com":
		return "ru"
	}
	return "en"
}

// sizeCategory is Hugging Face's name of a number of rows.
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

// Summary says in a sentence or two what the build is.
func (b *build) Summary() string {
	from := "the questions, answers and comments of " + b.Host
	if b.Newest != "" {
		from += " up to " + b.Newest
	}
	switch {
	case len(b.Shards) == 0:
		return "A knowledge graph (RDF) of " + from + "."
	case b.Graph.Batches.Count == 0:
		return "Dense and sparse vectors of " + from + ", by programming language."
	}
	return "A knowledge graph (RDF) and hybrid search vectors of " + from + ", by programming language. Graph and vectors share post ids."
}

//go:embed templates
var templates embed.FS

// fill fills the template of a document.
func (b *build) fill(name string) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{
		"count": humanize.Comma,
		"bytes": func(n int64) string { return humanize.IBytes(uint64(n)) },
		"cell":  func(s string) string { return strings.ReplaceAll(s, "|", `\|`) },
	}).ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, fmt.Errorf("reading the template of %s: %w", name, err)
	}
	var text bytes.Buffer
	err = t.Execute(&text, b)
	return text.Bytes(), err
}
