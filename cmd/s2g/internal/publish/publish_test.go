package publish

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/manifest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func sum(c string) string { return strings.Repeat(c, 64) }

// someManifest returns the manifest of a build with a graph and vectors.
func someManifest() *manifest.Manifest {
	return &manifest.Manifest{
		Tool: "v1.2.3",
		Dump: manifest.Dump{Name: "ru.stackoverflow.com.7z", Site: "ru.stackoverflow.com", Newest: "2024-03-05T01:02:03.004Z"},
		Options: manifest.Options{
			Languages: []schema.Language{{Tag: "python", Slug: "python", Name: "Python"}, {Tag: "c#", Slug: "csharp", Name: "C#"}, {Tag: "abap", Slug: "abap", Name: "ABAP"}},
			Other:     true, Units: "question,answer",
		},
		Stages: map[string]*manifest.Stage{
			manifest.Ingest: {Files: []manifest.File{{Name: "rejects.jsonl", SHA256: sum("0")}}},
			manifest.Graph: {
				Summary: manifest.Summary{Counts: map[string]int64{"questions": 3000, "answers": 5000, "comments": 70}},
				Files: []manifest.File{
					{Name: "graph/batch-000001.trig.gz", Size: 1 << 20, SHA256: sum("1"), Rows: 50_000},
					{Name: "graph/batch-000002.trig.gz", Size: 1 << 19, SHA256: sum("2"), Rows: 1234},
					{Name: "graph/ontology.ttl", Size: 100, SHA256: sum("3")},
				},
			},
			manifest.Vectors: {
				Summary: manifest.Summary{Embedders: &manifest.Embedders{Dense: "builtin/lsa-256", Sparse: "qdrant/bm25", Weight: 0.3}},
				Files: []manifest.File{
					{Name: "parents/part-00000.parquet", Size: 7 << 10, SHA256: sum("4"), Rows: 3000},
					{Name: "vectors/_other/part-00000.parquet", Size: 1 << 10, SHA256: sum("5"), Rows: 3},
					{Name: "vectors/csharp/part-00000.parquet", Size: 2 << 10, SHA256: sum("6"), Rows: 2000},
					{Name: "vectors/csharp/part-00001.parquet", Size: 2 << 10, SHA256: sum("7"), Rows: 2000},
					{Name: "model.bin", Size: 12, SHA256: sum("8")},
					{Name: "vectors/python/part-00000.parquet", Size: 3 << 10, SHA256: sum("9"), Rows: 900},
				},
			},
		},
	}
}

func documents(t *testing.T, m *manifest.Manifest) map[string]string {
	t.Helper()
	list, err := Documents(m)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for i, d := range list {
		texts[d.Name] = string(d.Content)
		if Names()[i] != d.Name {
			t.Errorf("document %d is %s, Names has %s", i, d.Name, Names()[i])
		}
	}
	return texts
}

func TestDocumentsAreTheGoldenOnes(t *testing.T) {
	texts := documents(t, someManifest())
	for _, name := range []string{cardName, croissantName, licenseName, attributionName, Sums} {
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, []byte(texts[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), texts[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for range 5 { // stages are a map
		if diff := cmp.Diff(texts, documents(t, someManifest())); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestNoDocumentHasTimesOrFittedWeights(t *testing.T) {
	m := someManifest()
	for _, stage := range m.Stages {
		stage.Seconds, stage.PeakRSS = 12.5, 1<<30
	}
	m.Stages[manifest.Vectors].Embedders.Weight = 0.9
	if diff := cmp.Diff(documents(t, someManifest()), documents(t, m)); diff != "" {
		t.Error(diff)
	}
}

// Where all questions are one graph, no document divides them by programming language.
func TestDocumentsOfAWholeSite(t *testing.T) {
	for _, c := range []struct {
		languages []schema.Language
		summary   string
		configs   string
	}{
		{nil, "hybrid search vectors of the questions, answers and comments of ru.stackoverflow.com up to 2024-03-05. Graph", "_site _parents"},
		{someManifest().Options.Languages[:1], "whole and by tag", "python _site _parents"},
	} {
		m := someManifest()
		m.Options.Other, m.Options.WholeSite, m.Options.Languages = false, true, c.languages
		for i, f := range m.Stages[manifest.Vectors].Files {
			m.Stages[manifest.Vectors].Files[i].Name = strings.Replace(f.Name, "_other", "_site", 1)
		}
		texts := documents(t, m)
		var configs []string
		for line := range strings.Lines(texts[cardName]) {
			if name, ok := strings.CutPrefix(line, "  - config_name: "); ok {
				configs = append(configs, strings.TrimSpace(name))
			}
		}
		if got := strings.Join(configs, " "); got != c.configs+" "+c.configs { // of configs and of dataset_info
			t.Errorf("configs %s", got)
		}
		if card := texts[cardName]; !strings.Contains(card, c.summary) || strings.Contains(card, "programming language") || !strings.Contains(card, "s2g/site") {
			t.Error(card)
		}
		if doc := texts[croissantName]; !strings.Contains(doc, `"Chunks of all questions of the site, with their vectors"`) || strings.Contains(doc, "programming language") {
			t.Error(doc)
		}
	}
}

func TestDocumentsOfAPartOfABuild(t *testing.T) {
	m := someManifest()
	delete(m.Stages, manifest.Vectors)
	texts := documents(t, m)
	if card := texts[cardName]; strings.Contains(card, "configs:") || strings.Contains(card, "load_dataset") || !strings.Contains(card, "graph/batch-*") && !strings.Contains(card, "51,234 quads") {
		t.Errorf("the card of a graph alone:\n%s", card)
	}
	m = someManifest()
	delete(m.Stages, manifest.Graph)
	if card := documents(t, m)[cardName]; strings.Contains(card, "SELECT") || !strings.Contains(card, "config_name: csharp") {
		t.Errorf("the card of vectors alone:\n%s", card)
	}
	delete(m.Stages, manifest.Vectors)
	if texts := documents(t, m); len(texts) > 0 {
		t.Errorf("there is nothing to publish, and yet %v", texts)
	}
}

func TestCroissantHasTheTypesOfColumns(t *testing.T) {
	var doc croissantDataset
	if err := json.Unmarshal([]byte(documents(t, someManifest())[croissantName]), &doc); err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, f := range doc.RecordSets[0].Fields {
		types[f.Name] = f.DataType
		if f.Repeated {
			types[f.Name] += " list"
		}
	}
	want := map[string]string{"point_id": "sc:Integer", "iri": "sc:URL", "text": "sc:Text", "tags": "sc:Text list", "closed": "sc:Boolean",
		"creation_date": "sc:DateTime", "dense": "sc:Float list", "sparse_indices": "sc:Integer list", "score": "sc:Integer"}
	for name, is := range want {
		if types[name] != is {
			t.Errorf("%s has the type %q, not %s", name, types[name], is)
		}
	}
}

// The card has a line about the terms of texts where they are not those of English.
func TestCardHasTheRulesOfTexts(t *testing.T) {
	for language, want := range map[string]string{"": "", "english": "", "spanish": "stop words and stemmer of Spanish", "japanese": "not stemmed", "none": "not stemmed"} {
		m := someManifest()
		m.Options.TextLanguage = language
		card := documents(t, m)[cardName]
		if strings.Contains(card, "terms of the builtin vectors") != (want != "") || !strings.Contains(card, want) {
			t.Errorf("%q:\n%s", language, card)
		}
	}
}

func TestSizeCategories(t *testing.T) {
	for rows, want := range map[int64]string{0: "n<1K", 999: "n<1K", 1000: "1K<n<10K", 9_999: "1K<n<10K", 10_000: "10K<n<100K", 17_000_000: "10M<n<100M", 1e12: "n>1T"} {
		if got := sizeCategory(rows); got != want {
			t.Errorf("%d rows: %s, want %s", rows, got, want)
		}
	}
}
