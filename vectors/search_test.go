package vectors

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
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
	hits, err := Search(t.Context(), out, SearchOptions{Slug: "python", Query: "join dicts of lists", Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []Hit{{
		PostID: 4, QuestionID: 4, IRI: "http://stackoverflow.com/questions/4", Type: "question", Title: "Join dicts of lists into one mapping",
		Snippet: hits[0].Snippet, Score: hits[0].Score, Votes: 4, Tags: []string{"python", "pandas"}, DuplicateOf: []int64{1}, LinkedTo: []int64{2},
	}}
	if diff := cmp.Diff(want, hits); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(hits[0].Snippet, "Union of several dictionaries") {
		t.Errorf("snippet %q", hits[0].Snippet)
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

func TestTopBreaksTiesByPost(t *testing.T) {
	points := []uint64{PointID(3, 0), PointID(5, 0), PointID(5, 1), PointID(7, 0), PointID(9, 0), PointID(9, 1)}
	scores := []float64{1, 0, 1, 2, 1, 1}
	for n, want := range [][]ranked{
		0: nil,
		1: {{7, 3, 2}},
		3: {{7, 3, 2}, {3, 0, 1}, {5, 2, 1}},
		9: {{7, 3, 2}, {3, 0, 1}, {5, 2, 1}, {9, 4, 1}},
	} {
		if want == nil && n > 0 {
			continue
		}
		if diff := cmp.Diff(want, top(points, scores, n), cmp.AllowUnexported(ranked{})); diff != "" {
			t.Errorf("top %d: %s", n, diff)
		}
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
	points := somePoints(5 * writeRows)
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
