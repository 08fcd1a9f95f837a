package search

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

func ranked(question int64, at int, score float64) Ranked {
	return Ranked{Question: question, Point: uint64(at), At: at, Score: score}
}

// Of equal scores the lower question comes first, and of equal points of one question the
// lower point.
func TestTopBreaksTies(t *testing.T) {
	questions := slices.Values([]Ranked{ranked(3, 0, 1), ranked(5, 1, 0), ranked(5, 2, 1), ranked(7, 3, 2), ranked(9, 5, 1), ranked(9, 4, 1)})
	for n, want := range map[int][]Ranked{
		0: nil,
		1: {ranked(7, 3, 2)},
		3: {ranked(7, 3, 2), ranked(3, 0, 1), ranked(5, 2, 1)},
		9: {ranked(7, 3, 2), ranked(3, 0, 1), ranked(5, 2, 1), ranked(9, 4, 1)},
	} {
		if diff := cmp.Diff(want, Top(n, questions)); diff != "" {
			t.Errorf("top %d: %s", n, diff)
		}
	}
}

// A post counts by the sparse score of one chunk and the dense score of another, and
// shows the chunk whose sum is highest. Posts 3 and 5 are questions, 7 is an answer to 3.
func TestRankJoinsTheBestScoresOfAPost(t *testing.T) {
	s := &shardScan{
		points: []uint64{shard.PointID(3, 0), shard.PointID(5, 0), shard.PointID(5, 1), shard.PointID(5, 2), shard.PointID(7, 0), shard.PointID(7, 1)},
		//                    3   5         7
		cosines:  []float32{0, 0, 1, .75, -1, -1},
		postings: [][]Posting{{{0, 1}, {1, 2}, {3, 1.5}, {4, 1}}},
	}
	q := &Query{Sparse: embed.SparseVector{Indices: []uint32{1}, Values: []float32{1}}, Weight: .5}
	sparse, dense := []float64{1, 2, 0, 1.5, 1, 0}, []float64{0, 0, 1, .75, -1, -1}
	standardise(sparse)
	standardise(dense)
	// the query has one term, so that the words of a post are its highest weight of the term
	want := []match{
		{Ranked{5, shard.PointID(5, 0), 3, .5*sparse[1] + .5*dense[2]}, .5*2 + .5*1},
		{Ranked{3, shard.PointID(3, 0), 0, .5*sparse[0] + .5*dense[0]}, .5*1 + .5*0},
		{Ranked{7, shard.PointID(7, 0), 4, .5*sparse[4] + .5*dense[4]}, .5*1 + .5*-1},
	}
	find := func(n int) []match {
		found, err := s.find(t.Context(), nil, q, n, false)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	same := cmp.AllowUnexported(match{})
	if diff := cmp.Diff(want, find(3), same); diff != "" {
		t.Error(diff)
	}
	s.questions = []int64{3, 5, 5, 5, 3, 3}
	if diff := cmp.Diff(want[:2], find(3), same); diff != "" {
		t.Errorf("with answers: %s", diff)
	}
	s.kept = []bool{true, false, false, false, true, true}
	if diff := cmp.Diff(want[1:2], find(3), same); diff != "" {
		t.Errorf("with a filter: %s", diff)
	}
	s.cosines, s.kept, q.Weight = nil, nil, 0
	if diff := cmp.Diff([]match{{Ranked{5, shard.PointID(5, 0), 1, sparse[1]}, 2}}, find(1), same); diff != "" {
		t.Errorf("without a dense vector: %s", diff)
	}
}

// A term that no point has counts in the strength of a match, by the inverse document
// frequency of such a term.
func TestStrengthCountsUnknownTerms(t *testing.T) {
	var s Scores
	q := &Query{Sparse: embed.SparseVector{Indices: []uint32{1, 2}, Values: []float32{1, 1}}, IDF: true}
	postings := [][]Posting{{{0, 1.5}}, nil}
	s.Compute(q, 4, postings, nil)
	known, unknown := math.Log(3.5/1.5+1), math.Log(4.5/.5+1)
	if got, want := s.Strength(q, postings, nil, 0, 1), 1.5*known/(known+unknown); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	if got := s.Strength(q, postings, nil, 1, 4); got != 0 {
		t.Errorf("without a term: %g", got)
	}
}

func TestDocumentsOfInvertsIDF(t *testing.T) {
	for _, points := range []int64{1, 7, 1000, 3_000_000} {
		for _, documents := range []int64{1, 2, 999, 1_000_000} {
			if documents > points {
				continue
			}
			idf := float64(float32(IDF(float64(points), float64(documents)))) // of a server
			if got := DocumentsOf(points, idf); math.Abs(got-float64(documents)) > 1e-6*float64(points) {
				t.Errorf("%d of %d: %g", documents, points, got)
			}
		}
	}
}

func TestStandardise(t *testing.T) {
	scores := []float64{2, 4, 2, 4}
	if standardise(scores); !slices.Equal(scores, []float64{-1, 1, -1, 1}) {
		t.Error(scores)
	}
	scores = []float64{.1, .1, .1}
	if standardise(scores); !slices.Equal(scores, []float64{0, 0, 0}) {
		t.Errorf("equal values became %v", scores)
	}
}

// What a scan finds in the columns is what reading whole rows finds.
func TestScanAgreesWithRows(t *testing.T) {
	var points []shard.Point
	for i := range 320 {
		points = append(points, shard.Point{
			PointID: shard.PointID(int64(i/2), i%2), PostID: int64(i / 2), QuestionID: int64(i / 3), Dense: []float32{float32(i), 2},
			SparseIndices: []uint32{1, 4e9}[:i%3], SparseValues: []float32{1, 2}[:i%3],
		})
	}
	var b bytes.Buffer
	if err := shard.Write(&b, shard.NewEncoding(), slices.Values(points)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	q := &Query{Sparse: embed.SparseVector{Indices: []uint32{1, 4e9}, Values: []float32{1, 1}}, Dense: []float32{1, 3}}
	other := filepath.Join(filepath.Dir(file), "b.parquet")
	if err := os.WriteFile(other, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := scanShards(t.Context(), []shardFile{{"", file}, {"", other}}, q, Filter{}, true)
	if err != nil {
		t.Fatal(err)
	}
	want := &shardScan{rows: []rowRange{{0, 0, 0}, {len(points), 1, 0}}, postings: make([][]Posting, 2)}
	for range 2 {
		for _, p := range points {
			at := int32(len(want.points))
			want.points = append(want.points, p.PointID)
			want.questions = append(want.questions, p.QuestionID)
			want.cosines = append(want.cosines, p.Dense[0]+6)
			for i, index := range p.SparseIndices {
				term := slices.Index(q.Sparse.Indices, index)
				want.postings[term] = append(want.postings[term], Posting{at, p.SparseValues[i]})
			}
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(shardScan{}, rowRange{})); diff != "" {
		t.Error(diff)
	}
	q.Dense = []float32{1, 2, 3}
	if _, err := scanShards(t.Context(), []shardFile{{"", file}}, q, Filter{}, false); err == nil {
		t.Error("a query of another dimension passes")
	}
	if err := os.WriteFile(file, b.Bytes()[:b.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scanShards(t.Context(), []shardFile{{"", file}}, q, Filter{}, false); err == nil {
		t.Error("half a shard passes")
	}
}
