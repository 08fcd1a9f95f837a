package qdrant

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"s2g/schema"
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
		got, err := s.Search(t.Context(), []string{b.Alias("c")}, &c.query, c.top, search.Filter{Accepted: c.accepted})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, names(got)); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
	both := &search.Query{Dense: near, Sparse: embed.SparseVector{Indices: []uint32{11, 14}, Values: []float32{1, 1}}, Weight: .5}
	first, err := s.Search(t.Context(), []string{b.Alias("c")}, both, 20, search.Filter{})
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
		again, err := s.Search(t.Context(), []string{b.Alias("c")}, both, 20, search.Filter{})
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

// searchable returns points of random vectors and terms, with answers, several chunks and all
// columns that a filter reads.
func searchable(first, last int64) (all []shard.Point) {
	r := rand.New(rand.NewPCG(3, uint64(first)))
	for id := first; id <= last; id++ {
		question, score := id, int32(id%9)-2
		if id%4 == 3 {
			question = id - 1 // an answer
		}
		chunks := 1 + int(id%3)
		for chunk := range chunks {
			p := points("c", 1, 1)[0]
			p.PointID, p.PostID, p.QuestionID, p.Chunk, p.Chunks = shard.PointID(id, chunk), id, question, int32(chunk), int32(chunks)
			p.Tags = [][]string{{"a"}, {"a", "b"}, {"b", "c"}}[question%3]
			p.Score, p.CreationDate, p.HasAcceptedAnswer, p.Type, p.Text = &score, 1e12+id*86_400_000, id%5 == 0, "question", "text"
			if question != id {
				p.Type = "answer"
			}
			if r.IntN(3) == 0 {
				p.Text = "text\n\n```\ncode\n```"
			}
			p.Dense, p.SparseIndices, p.SparseValues = unit(r), nil, nil
			for term := range uint32(6) {
				if r.IntN(4) == 0 {
					p.SparseIndices, p.SparseValues = append(p.SparseIndices, term), append(p.SparseValues, r.Float32()+.1)
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// A search of several collections finds what a search of one collection with all their points
// finds, with the same scores and strengths. A filter leaves out questions and no others.
func TestSearchCollectionsAsOne(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	first, second := searchable(4, 90), searchable(1000, 1120)
	prefix := prefix(t, s)
	b := Build{Prefix: prefix, Edition: "2024-03-31_00000009", IDF: true, Languages: []Language{
		language(t, "c", first, 50), language(t, "d", second, 50), language(t, "union", slices.Concat(first, second), 500),
	}}
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	q := &search.Query{
		Dense: []float32{1, 0, 0, 0, 0, 0, 0, 0}, Sparse: embed.SparseVector{Indices: []uint32{1, 2, 3, 77}, Values: []float32{1, 1, 1, 1}},
		IDF: true, Weight: .4,
	}
	find := func(q *search.Query, n int, f search.Filter, slugs ...string) []search.Found {
		var aliases []string
		for _, slug := range slugs {
			aliases = append(aliases, b.Alias(slug))
		}
		found, err := s.Search(t.Context(), aliases, q, n, f)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	posts := map[int64][]shard.Point{}
	for _, p := range slices.Concat(first, second) {
		posts[p.PostID] = append(posts[p.PostID], p)
	}
	all := find(q, 1000, search.Filter{}, "union")
	if len(all) < 100 {
		t.Fatalf("%d questions", len(all))
	}
	// by the definition, from the points
	terms := make([]float64, len(q.Sparse.Indices))
	for i, term := range q.Sparse.Indices {
		having, all := 0, 0 // the server does not count points without a term
		for _, p := range slices.Concat(first, second) {
			if len(p.SparseIndices) > 0 {
				all++
			}
			if slices.Contains(p.SparseIndices, term) {
				having++
			}
		}
		terms[i] = search.IDF(float64(all), float64(having))
	}
	near := cmpopts.EquateApprox(0, 1e-5)
	for _, f := range all {
		product := 0.0
		match := posts[f.Match.PostID][f.Match.Chunk]
		for i, term := range match.SparseIndices {
			if at := slices.Index(q.Sparse.Indices, term); at >= 0 {
				product += terms[at] * float64(match.SparseValues[i])
			}
		}
		if want := q.Strength(product, terms, float64(match.Dense[0])); !cmp.Equal(f.Strength, want, near) {
			t.Errorf("question %d has the strength %g, want %g", f.Question.PostID, f.Strength, want)
		}
	}
	minus := int32(1)
	for what, filter := range map[string]search.Filter{
		"none": {}, "tags": {Tags: []string{"b", "a"}}, "score": {MinScore: &minus}, "date": {Since: time.UnixMilli(1e12 + 1050*86_400_000)},
		"accepted": {Accepted: true}, "code": {HasCode: true}, "several": {Tags: []string{"b"}, MinScore: &minus, HasCode: true},
	} {
		one := find(q, 7, filter, "union")
		if diff := cmp.Diff(one, find(q, 7, filter, "c", "d"), near); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if len(one) == 0 {
			t.Errorf("%s: nothing passes", what)
		}
		for _, f := range one {
			isCode := func(p shard.Point) bool { return search.HasCodeBlock(p.Text) }
			if !filter.Keeps(&posts[f.Question.PostID][0]) || filter.HasCode && !slices.ContainsFunc(posts[f.Match.PostID], isCode) {
				t.Errorf("%s: question %d", what, f.Question.PostID)
			}
		}
		// Each question that passes is found: the search by one vector has no cut of two lists.
		dense := &search.Query{Dense: q.Dense, Weight: 1}
		if filter.HasCode {
			continue // of the post that matched, which is another where the list is cut
		}
		var want []search.Found
		for _, f := range find(dense, 1000, search.Filter{}, "union") {
			if filter.Keeps(f.Question) {
				want = append(want, f)
			}
		}
		if diff := cmp.Diff(names(want), names(find(dense, 1000, filter, "c", "d"))); diff != "" {
			t.Errorf("%s: all that pass, by the same points: %s", what, diff)
		}
	}
	// A post of two collections is one result.
	ids := map[int64]bool{}
	for _, f := range find(q, 1000, search.Filter{}, "c", "union", "d") {
		if ids[f.Question.PostID] {
			t.Errorf("question %d twice", f.Question.PostID)
		}
		ids[f.Question.PostID] = true
	}
	if len(ids) != len(all) {
		t.Errorf("%d questions, want %d", len(ids), len(all))
	}
}

// A server that answers a batch with another number of results fails the search.
func TestSearchChecksResults(t *testing.T) {
	for _, results := range []int{0, 1, 3} {
		f := startFake(t, &fake{results: results})
		s := open(t, f.address)
		q := &search.Query{Dense: []float32{1, 0}, Sparse: embed.SparseVector{Indices: []uint32{1, 2}, Values: []float32{1, 1}}, IDF: true, Weight: .5}
		_, err := s.Search(t.Context(), []string{"c"}, q, 3, search.Filter{})
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultService || remedy == "" || !strings.Contains(err.Error(), "of 2 queries") {
			t.Errorf("%d results: %v", results, err)
		}
	}
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
