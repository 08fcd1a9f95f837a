package eval

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/vectors/embed"
	"s2g/vectors/search"
)

// Two posts, the second of two points: by the sparse score the order is one way, by the
// dense one the other.
func TestRanks(t *testing.T) {
	x := newIndex(2)
	x.addPost(10, 1)
	x.addPost(20, 2)
	x.addPost(30, 1)
	x.addPoints([][]float32{{1, 0}, {0, 1}, {.6, .8}, {1, 0}}, []embed.SparseVector{
		{Indices: []uint32{7}, Values: []float32{1}}, {Indices: []uint32{7, 9}, Values: []float32{2, 1}},
		{}, {Indices: []uint32{7}, Values: []float32{1}},
	})
	var s scores
	s.compute(x, &search.Query{Sparse: embed.SparseVector{Indices: []uint32{7, 8}, Values: []float32{1, 1}}, IDF: true, Dense: []float32{1, 0}})
	last := len(weights) - 1
	for _, c := range []struct {
		target            int
		bySparse, byDense int32
		what              string
	}{
		{target: 0, bySparse: 2, byDense: 1, what: "the first of two equal posts"},
		{target: 1, bySparse: 1, byDense: 3, what: "a post by its best point"},
		{target: 2, bySparse: 3, byDense: 2, what: "the second of two equal posts"},
	} {
		r := s.ranks(c.target)
		if r[0] != c.bySparse || r[last] != c.byDense {
			t.Errorf("%s: ranks %d and %d, want %d and %d", c.what, r[0], r[last], c.bySparse, c.byDense)
		}
	}
}

func TestMeasure(t *testing.T) {
	v := make([]float64, 400)
	for i := range v {
		v[i] = float64(i % 2)
	}
	m := measure(v)
	// the standard error of a share of one half among 400 is .025
	if m.Mean != .5 || math.Abs(m.Low-.451) > .01 || math.Abs(m.High-.549) > .01 {
		t.Errorf("%+v", m)
	}
	if again := measure(v); again != m {
		t.Errorf("%+v, then %+v", m, again)
	}
	if m := measure([]float64{1}); m != (Measure{1, 1, 1}) {
		t.Errorf("of one value: %+v", m)
	}
}

// resultsOf makes the results of n queries with the ranks that f returns for a weight.
func resultsOf(n int, f func(weight float64) int32) []result {
	var all []result
	for i := range n {
		of := result{fits: i%2 == 0}
		for w, by := range weights {
			of.ranks[TitleBody][w] = f(by)
		}
		all = append(all, of)
	}
	return all
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		what  string
		n     int
		ranks func(weight float64) int32
		prior float64
		want  float64
	}{
		{"nothing is gained or lost: drawn to the default", 20, func(float64) int32 { return 1 }, .2, .2},
		{"with many queries the best is taken", 200_000, func(w float64) int32 { return 1 + int32(math.Round(math.Abs(w-.6)*20)) }, .2, .6},
		{"any weight harms", 20, func(w float64) int32 { return 1 + int32(math.Ceil(w)) }, .7, 0},
		{"lowered until it harms nothing", 20, func(w float64) int32 {
			if w > .3 {
				return 2
			}
			return 1
		}, .7, .3},
	} {
		if got := weights[fit(resultsOf(c.n, c.ranks), c.prior)]; got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestDraw(t *testing.T) {
	ids := make([]int64, 1000)
	for i := range ids {
		ids[i] = int64(i)
	}
	some := draw(slices.Clone(ids), 100, saltQueries, map[int64]bool{3: true, 999: true})
	if len(some) != 100 || !slices.IsSorted(some) || !slices.Contains(some, 3) || !slices.Contains(some, 999) {
		t.Errorf("%d", some)
	}
	if diff := cmp.Diff(some, draw(slices.Clone(ids), 100, saltQueries, map[int64]bool{3: true, 999: true})); diff != "" {
		t.Error(diff)
	}
	if more := draw(slices.Clone(ids), 200, saltQueries, nil); more[0] >= 100 || more[199] < 900 {
		t.Errorf("a sample without its ends: %d", more)
	}
}

func BenchmarkDot(b *testing.B) {
	x, y := make([]float32, 256), make([]float32, 256)
	for b.Loop() {
		dot(x, y)
	}
}
