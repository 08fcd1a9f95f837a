package qdrant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
	"s2g/vectors/embed"
	"s2g/vectors/search"
	"s2g/vectors/shard"
)

func TestRowOfInvertsPayloadOf(t *testing.T) {
	for _, p := range points("c", 12, 1) {
		got, err := rowOf(p.PointID, payloadOf(&p))
		if err != nil {
			t.Fatal(err)
		}
		p.Dense, p.SparseIndices, p.SparseValues = nil, nil, nil
		if diff := cmp.Diff(&p, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

// searched returns points with distinct angles and terms. Post 7 has forty chunks,
// all nearer than any other post; post 90 is an answer to 3.
func searched() []shard.Point {
	var all []shard.Point
	add := func(post, question int64, chunk int, near float32, terms ...uint32) {
		p := points("c", 1, 1)[0]
		p.PointID, p.PostID, p.QuestionID, p.Chunk = shard.PointID(post, chunk), post, question, int32(chunk)
		p.Dense = []float32{near, 1 - near, 0, 0, 0, 0, 0, 0}
		p.SparseIndices, p.SparseValues = terms, slices.Repeat([]float32{1}, len(terms))
		p.HasAcceptedAnswer = post == 1 || post == 4
		all = append(all, p)
	}
	add(1, 1, 0, 0.50, 11)
	add(2, 2, 0, 0.40, 12)
	add(3, 3, 0, 0.10, 13)
	add(4, 4, 0, 0.30, 14)
	for chunk := range 40 {
		add(7, 7, chunk, 0.9+float32(chunk)/1000, 20)
	}
	for post := int64(10); post < 60; post++ { // distant, and all at the same angle
		add(post, post, 0, 0.05, uint32(1000+post))
	}
	add(90, 3, 0, 0.85, 11)
	return all
}

func TestSearch(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	b := Build{Prefix: prefix(t, s), Edition: "2024-03-31_00000009", Languages: []Language{language(t, "c", searched(), 50)}}
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	near := []float32{1, 0, 0, 0, 0, 0, 0, 0}
	word := embed.SparseVector{Indices: []uint32{14}, Values: []float32{1}}
	for _, c := range []struct {
		what     string
		query    search.Query
		top      int
		accepted bool
		want     []string
	}{
		{"by meaning, each question once, an answer for its question", search.Query{Dense: near}, 4, false, []string{"7 by 7/39", "3 by 90/0", "1 by 1/0", "2 by 2/0"}},
		{"by words", search.Query{Sparse: word}, 3, false, []string{"4 by 4/0"}},
		{"mostly by meaning", search.Query{Dense: near, Sparse: word, Weight: 0.999}, 2, false, []string{"7 by 7/39", "3 by 90/0"}},
		{"mostly by words", search.Query{Dense: near, Sparse: word, Weight: 0.001}, 2, false, []string{"4 by 4/0", "7 by 7/39"}},
		{"accepted alone", search.Query{Dense: near}, 9, true, []string{"1 by 1/0", "4 by 4/0"}},
		{"by nothing", search.Query{}, 5, false, nil},
	} {
		got, err := s.Search(t.Context(), b.Alias("c"), &c.query, c.top, c.accepted)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, names(got)); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
	both := &search.Query{Dense: near, Sparse: embed.SparseVector{Indices: []uint32{11, 14}, Values: []float32{1, 1}}, Weight: .5}
	first, err := s.Search(t.Context(), b.Alias("c"), both, 20, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 20 || first[0].Question.PostID == 7 && first[1].Question.PostID == 7 {
		t.Errorf("%v", names(first))
	}
	if words := names(first)[:3]; !slices.Contains(words, "3 by 90/0") { // it matches by vector and by a term
		t.Errorf("%v", words)
	}
	for range 10 {
		again, err := s.Search(t.Context(), b.Alias("c"), both, 20, false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(names(first), names(again)); diff != "" {
			t.Fatalf("another list: %s", diff)
		}
	}
}

func names(list []search.Found) (names []string) {
	for _, f := range list {
		names = append(names, fmt.Sprintf("%d by %d/%d", f.Question.PostID, f.Match.PostID, f.Match.Chunk))
	}
	return names
}

// The example of docs/vectors.md, with another address, searches a loaded collection.
func TestDocumentedQuery(t *testing.T) {
	python := schematest.Python(t, "qdrant-client==1.18.0")
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "vectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```py\n(.*?)```").FindStringSubmatch(string(doc))
	if block == nil {
		t.Fatal("docs/vectors.md has no example")
	}
	s := open(t, schematest.StartQdrant(t).Address)
	all := points("python", 12, 1)
	terms, err := embed.NewBM25().Query(t.Context(), "merging a dictionary")
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].SparseIndices, all[i].SparseValues = terms.Indices, terms.Values
	}
	b := Build{Prefix: "so", Edition: "2024-03-31_00000001", IDF: true, Languages: []Language{language(t, "python", all, 50)}}
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	program := strings.Replace(block[1], "6334", strings.TrimPrefix(s.Address.String(), "http://127.0.0.1:"), 1)
	out, err := exec.CommandContext(t.Context(), python, "-c", program).CombinedOutput()
	if err != nil || strings.Count(string(out), "http://stackoverflow.com/questions/") != 3 {
		t.Errorf("%s\nprints: %s (%v)", program, out, err)
	}
}
