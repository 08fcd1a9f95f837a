package search

import (
	"bytes"
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
	want := []Ranked{
		{5, shard.PointID(5, 0), 3, .5*sparse[1] + .5*dense[2]},
		{3, shard.PointID(3, 0), 0, .5*sparse[0] + .5*dense[0]},
		{7, shard.PointID(7, 0), 4, .5*sparse[4] + .5*dense[4]},
	}
	if diff := cmp.Diff(want, s.rank(q, 3)); diff != "" {
		t.Error(diff)
	}
	s.questions = []int64{3, 5, 5, 5, 3, 3}
	if diff := cmp.Diff(want[:2], s.rank(q, 3)); diff != "" {
		t.Errorf("with answers: %s", diff)
	}
	s.cosines, q.Weight = nil, 0
	if got := s.rank(q, 1); len(got) != 1 || got[0] != (Ranked{5, shard.PointID(5, 0), 1, sparse[1]}) {
		t.Errorf("without a dense vector: %v", got)
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
	got, err := scanShards(t.Context(), []string{file, file}, q, true)
	if err != nil {
		t.Fatal(err)
	}
	want := &shardScan{rows: []int{len(points), len(points)}, postings: make([][]Posting, 2)}
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
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(shardScan{})); diff != "" {
		t.Error(diff)
	}
	q.Dense = []float32{1, 2, 3}
	if _, err := scanShards(t.Context(), []string{file}, q, false); err == nil {
		t.Error("a query of another dimension passes")
	}
	if err := os.WriteFile(file, b.Bytes()[:b.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scanShards(t.Context(), []string{file}, q, false); err == nil {
		t.Error("half a shard passes")
	}
}
