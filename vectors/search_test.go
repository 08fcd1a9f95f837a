package vectors

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/embed"
)

func found(t *testing.T, out, language, words string) []int64 {
	t.Helper()
	hits, err := Search(t.Context(), out, SearchOptions{Slug: language, Query: words, Top: 3})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, h := range hits {
		ids = append(ids, h.PostID)
	}
	return ids
}

func TestSearch(t *testing.T) {
	out := t.TempDir()
	o := smallOptions()
	o.Units = UnitsQuestion
	if err := smallStage(loadFixture(t), o).into(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language, words string
		best            int64
	}{
		{"python", "merge dictionaries", 1},
		{"python", "dictionaries, merged?", 1}, // neither order nor inflection counts
		{"python", "sort tuples", 2},
		{"python", "how many minutes does step 17 of a recipe take", 8},
		{"java", "a method of null", 3},
		{"csharp", "lines of a file", 5},
	} {
		got := found(t, out, c.language, c.words)
		if len(got) == 0 || got[0] != c.best {
			t.Errorf("%s, %q: found %d, want %d first", c.language, c.words, got, c.best)
		}
		words := strings.Fields(c.words)
		slices.Reverse(words)
		if diff := cmp.Diff(got, found(t, out, c.language, strings.Join(words, " "))); diff != "" {
			t.Errorf("%q backwards: %s", c.words, diff)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(got))); len(sorted) != len(got) {
			t.Errorf("%q: a post twice in %d", c.words, got)
		}
	}
	for words, want := range map[string][]int64{
		"the of and": nil, // no term
		"xylophones": nil, // one that stands nowhere
	} {
		if diff := cmp.Diff(want, found(t, out, "python", words)); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
	hits, err := Search(t.Context(), out, SearchOptions{Slug: "python", Query: "join dicts of lists", Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []Hit{{
		PostID: 4, IRI: "http://stackoverflow.com/questions/4", Language: "python", Title: "Join dicts of lists into one mapping",
		Score: hits[0].Score, Votes: 4, Tags: []string{"python", "pandas"}, DuplicateOf: []int64{1}, LinkedTo: []int64{2},
		Author: "http://stackoverflow.com/users/7", License: "https://creativecommons.org/licenses/by-sa/3.0/",
		Match: Match{PostID: 4, Type: "question", End: 49, Snippet: "Union of several dictionaries, later keys win."},
	}}
	want[0].Match.End = hits[0].Match.End
	if diff := cmp.Diff(want, hits); diff != "" {
		t.Error(diff)
	}
}

// Where eval has found that dense scores do no good, they count nothing, and no
// question is found that has none of the words.
func TestSearchByWordsAlone(t *testing.T) {
	out := t.TempDir()
	dir := openDir(t, out)
	o := smallOptions()
	o.Units = UnitsQuestion
	if err := smallStage(loadFixture(t), o).into(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Vectors].Embedders.Weight = 0 }); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string][]int64{"tuples": {2}, "the of and": nil} {
		if diff := cmp.Diff(want, found(t, out, "python", words)); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
}

// Answers are searched, too, and their questions are what is found.
func TestSearchWithAnswers(t *testing.T) {
	out := t.TempDir()
	db := loadFixture(t)
	if err := smallStage(db, smallOptions()).into(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	hits, err := Search(t.Context(), out, SearchOptions{Slug: "python", Query: "pass a key function", Top: 2})
	if err != nil {
		t.Fatal(err)
	}
	if h := hits[0]; h.PostID != 2 || h.IRI != "http://stackoverflow.com/questions/2" || h.Match.PostID != 32 || h.Match.Type != "answer" || h.Votes != 2 {
		t.Errorf("%+v", h)
	}
	if hits[1].PostID == 2 {
		t.Error("a question twice, by itself and by its answer")
	}
}

func TestSearchHops(t *testing.T) {
	db := loadFixture(t)
	build := func(units string) string {
		out := t.TempDir()
		o := smallOptions()
		o.Units = units
		o.Languages = append(o.Languages, schema.Language{Tag: "pandas", Slug: "pandas", Name: "pandas"})
		if err := smallStage(db, o).into(t.Context(), openDir(t, out)); err != nil {
			t.Fatal(err)
		}
		return out
	}
	questions, answers := build(UnitsQuestion), build(UnitsQuestionAnswer)
	for _, c := range []struct {
		what, out, slug, words string
		accepted               bool
		want                   []string
	}{
		{"both edges of a question, into another graph too", questions, "python", "join dicts of lists", false,
			[]string{"4", "1 by 4 -DuplicateOf-> 1", "2 by 4 -LinkedTo-> 2"}},
		{"edges that lead to a question, one from another language", questions, "python", "sorting tuples by the second item", false,
			[]string{"2", "4 by 4 -LinkedTo-> 2", "10 by 10 -LinkedTo-> 2"}},
		{"a link to an answer stands for its question", answers, "python", "sorting tuples by the second item", false,
			[]string{"2", "1 by 2 -LinkedTo-> 31", "4 by 4 -LinkedTo-> 2", "10 by 10 -LinkedTo-> 2"}},
		{"a duplicate leads to what has an accepted answer", questions, "pandas", "union of several dictionaries: later keys win", true,
			[]string{"1 by 4 -DuplicateOf-> 1"}},
	} {
		hits, err := Search(t.Context(), c.out, SearchOptions{Slug: c.slug, Query: c.words, Top: 1, Hops: 1, Accepted: c.accepted})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, describe(h))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		// the same from questions that something else has found
		o := SearchOptions{Slug: c.slug, Query: c.words, Top: 1, Accepted: c.accepted}
		direct, err := Search(t.Context(), c.out, SearchOptions{Slug: c.slug, Query: c.words, Top: o.Fetch()})
		if err != nil {
			t.Fatal(err)
		}
		followed, err := Follow(t.Context(), c.out, o, direct)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hits, followed); diff != "" {
			t.Errorf("%s, followed: (-searched +followed)\n%s", c.what, diff)
		}
	}

	if err := os.RemoveAll(filepath.Join(questions, "vectors", "pandas")); err != nil {
		t.Fatal(err)
	}
	_, err := Follow(t.Context(), questions, SearchOptions{Slug: "python", Query: "x"}, []Hit{{PostID: 4, DuplicateOf: []int64{1}}})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "--hops") {
		t.Errorf("without a shard: %v", err)
	}
}

func describe(h Hit) string {
	id := strconv.FormatInt(h.PostID, 10)
	switch v := h.Via; {
	case v == nil:
		return id
	case v.Direction == DirectionOut:
		return fmt.Sprintf("%s by %d -%s-> %d", id, v.From, v.Edge, v.Post)
	default:
		return fmt.Sprintf("%s by %d -%s-> %d", id, v.Post, v.Edge, v.From)
	}
}

// Only what has an accepted answer, though others fit better.
func TestSearchAccepted(t *testing.T) {
	out := t.TempDir()
	if err := smallStage(loadFixture(t), smallOptions()).into(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	hits, err := Search(t.Context(), out, SearchOptions{Slug: "python", Query: "join dicts of lists", Top: 2, Accepted: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) != 1 || hits[0].PostID != 1 || hits[0].AcceptedAnswerID != 31 {
		t.Errorf("%+v", hits)
	}
}

func TestThreads(t *testing.T) {
	out := t.TempDir()
	db := loadFixture(t)
	if err := smallStage(db, smallOptions()).into(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	want := []Answer{{
		PostID: 31, IRI: "http://stackoverflow.com/a/31", Accepted: true, Votes: -2, Text: "Use `{**a, **b}`.",
		License: "https://creativecommons.org/licenses/by-sa/4.0/",
	}}
	for what, db := range map[string]*tables.DB{"by the tables": db, "by the shards": nil} {
		hits, err := Search(t.Context(), out, SearchOptions{Slug: "python", Query: "merge two dictionaries", Top: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := Threads(t.Context(), out, db, hits); err != nil {
			t.Fatal(err)
		}
		if hits[0].Text != "I have two dicts and want one mapping with the keys of both." {
			t.Errorf("%s: %q", what, hits[0].Text)
		}
		if diff := cmp.Diff(want, hits[0].Answers); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

func TestSnippet(t *testing.T) {
	e := &Embedders{Dense: &counting{}, Sparse: embed.NewBM25()}
	long := strings.Repeat("nothing of note stands here, ", 20)
	for _, c := range []struct{ words, text, want string }{
		{"zebra", "First.\n\nSecond.", "First.\nSecond."},
		{"sorting tuples", "\n\n" + strings.Repeat("Filler.\n\n", 10) + "I sort them.\n\n```python\nsorted(tuple)\n  x\n```\n" + strings.Repeat("more\n", 9),
			"I sort them.\n```python\nsorted(tuple)\n  x\n```\nmore …"},
		{"zebras", long + "a zebra crosses " + long, "… nothing of note stands here, a zebra crosses nothing of note stands here, nothing of note stands here, …"},
		{"x", "", ""},
		{"x", "\n \n", ""},
	} {
		q, err := e.query(t.Context(), c.words)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, q.snippet(c.text)); diff != "" {
			t.Errorf("%q: %s", c.words, diff)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	out := t.TempDir()
	for _, language := range []string{"python", "klingon", ""} {
		_, err := Search(t.Context(), out, SearchOptions{Slug: language, Query: "x"})
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || remedy == "" {
			t.Errorf("without a build: %v", err)
		}
	}
	if err := smallStage(loadFixture(t), smallOptions()).into(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	_, err := Search(t.Context(), out, SearchOptions{Slug: "klingon", Query: "x"})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "csharp, java, python") {
		t.Errorf("an unknown language: %v (%s)", err, remedy)
	}
}

func TestTopBreaksTiesByQuestion(t *testing.T) {
	questions := slices.Values([]ranked{{3, 0, 1}, {5, 1, 0}, {5, 2, 1}, {7, 3, 2}, {9, 4, 1}, {9, 5, 1}})
	for n, want := range map[int][]ranked{
		0: nil,
		1: {{7, 3, 2}},
		3: {{7, 3, 2}, {3, 0, 1}, {5, 2, 1}},
		9: {{7, 3, 2}, {3, 0, 1}, {5, 2, 1}, {9, 4, 1}},
	} {
		if diff := cmp.Diff(want, top(n, questions), cmp.AllowUnexported(ranked{})); diff != "" {
			t.Errorf("top %d: %s", n, diff)
		}
	}
}

// A post counts by the sparse score of one chunk and the dense score of another, and
// shows the chunk whose sum is highest. Posts 3 and 5 are questions, 7 is an answer to 3.
func TestBestOfAPost(t *testing.T) {
	s := &scan{
		points: []uint64{PointID(3, 0), PointID(5, 0), PointID(5, 1), PointID(5, 2), PointID(7, 0), PointID(7, 1)},
		//                    3   5         7
		cosines: []float32{0, 0, 1, .75, -1, -1},
		matches: []match{{0, 0, 1}, {1, 0, 2}, {3, 0, 1.5}, {4, 0, 1}},
	}
	q := &query{sparse: embed.SparseVector{Indices: []uint32{1}, Values: []float32{1}}, weight: .5}
	sparse, dense := Standardise([]float64{1, 2, 0, 1.5, 1, 0}), Standardise([]float64{0, 0, 1, .75, -1, -1})
	want := []ranked{{5, 3, .5*sparse[1] + .5*dense[2]}, {3, 0, .5*sparse[0] + .5*dense[0]}, {7, 4, .5*sparse[4] + .5*dense[4]}}
	if diff := cmp.Diff(want, q.best(s, 3), cmp.AllowUnexported(ranked{})); diff != "" {
		t.Error(diff)
	}
	s.questions = []int64{3, 5, 5, 5, 3, 3}
	if diff := cmp.Diff(want[:2], q.best(s, 3), cmp.AllowUnexported(ranked{})); diff != "" {
		t.Errorf("with answers: %s", diff)
	}
	s.cosines, q.weight = nil, 0
	if got := q.best(s, 1); len(got) != 1 || got[0] != (ranked{5, 1, sparse[1]}) {
		t.Errorf("without a dense vector: %v", got)
	}
}

func TestStandardise(t *testing.T) {
	if diff := cmp.Diff([]float64{-1, 1, -1, 1}, Standardise([]float64{2, 4, 2, 4})); diff != "" {
		t.Error(diff)
	}
	for _, v := range Standardise([]float64{.1, .1, .1}) {
		if v != 0 || math.IsNaN(v) {
			t.Errorf("equal values became %v", v)
		}
	}
}

// What a scan finds in the columns is what reading whole rows finds.
func TestScanAgreesWithRows(t *testing.T) {
	points := somePoints(320)
	for i := range points {
		points[i].Dense = []float32{float32(i), 2}
	}
	var b bytes.Buffer
	if err := writeParquet(&b, slices.Values(points), writerOptions()); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "a.parquet"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	q := &query{sparse: embed.SparseVector{Indices: []uint32{1, 4e9}, Values: []float32{1, 1}}, dense: []float32{1, 3}}
	got, err := scanShards(t.Context(), out, []string{"a.parquet", "a.parquet"}, q)
	if err != nil {
		t.Fatal(err)
	}
	want := &scan{rows: []int{len(points), len(points)}}
	for range 2 {
		for _, p := range points {
			at := int32(len(want.points))
			want.points = append(want.points, p.PointID)
			want.cosines = append(want.cosines, p.Dense[0]+6)
			for i, index := range p.SparseIndices {
				want.matches = append(want.matches, match{at, int32(slices.Index(q.sparse.Indices, index)), p.SparseValues[i]})
			}
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scan{}, match{})); diff != "" {
		t.Error(diff)
	}
	q.dense = []float32{1, 2, 3}
	if _, err := scanShards(t.Context(), out, []string{"a.parquet"}, q); err == nil {
		t.Error("a query of another dimension passes")
	}
	if err := os.WriteFile(filepath.Join(out, "cut.parquet"), b.Bytes()[:b.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scanShards(t.Context(), out, []string{"cut.parquet"}, q); err == nil {
		t.Error("half a shard passes")
	}
}
