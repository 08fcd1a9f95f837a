package embed

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func normal(n int) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	y := make([]float32, n)
	for i := range y {
		y[i] = float32(rng.NormFloat64())
	}
	return y
}

// simpleGram returns yᵀy by its definition.
func simpleGram(y []float32, k int) []float64 {
	g := make([]float64, k*k)
	for row := range slices.Chunk(y, k) {
		for i, a := range row {
			for j, b := range row {
				g[i*k+j] += float64(a) * float64(b)
			}
		}
	}
	return g
}

// TestGramMatrix has fewer rows than stripes, more than are widened at once, and columns that fill no block or several.
func TestGramMatrix(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {3, 5}, {100, 64}, {gramStripes*gramRows + 77, 2*gramBlock + 3}} {
		rows, k := shape[0], shape[1]
		y := normal(rows * k)
		want := simpleGram(y, k)
		for i, x := range gramMatrix(y, k) {
			if math.Abs(x-want[i]) > 1e-9*float64(rows) {
				t.Fatalf("%d by %d: entry %d is %v, want %v", rows, k, i, x, want[i])
			}
		}
	}
}

// TestOrthonormal checks both ways to make columns orthonormal, and that only singularBasis accepts dependent columns.
func TestOrthonormal(t *testing.T) {
	const rows, k = 500, 20
	y := normal(rows * k)
	identity := func(name string, turn []float64, kept int) {
		for i, x := range simpleGram(multiplyDense(y, k, turn, kept), kept) {
			want := 0.0
			if i%(kept+1) == 0 {
				want = 1
			}
			if math.Abs(x-want) > 1e-5 {
				t.Fatalf("%s: entry %d of the Gram matrix is %v", name, i, x)
			}
		}
	}
	turn, ok := inverseCholesky(mat.NewSymDense(k, gramMatrix(y, k)))
	if !ok {
		t.Fatal("independent columns are refused")
	}
	identity("inverseCholesky", turn, k)
	for i := 0; i < len(y); i += k {
		y[i+k-1] = y[i] + y[i+1]
	}
	if _, ok := inverseCholesky(mat.NewSymDense(k, gramMatrix(y, k))); ok {
		t.Error("a column that is the sum of two others is taken")
	}
	turn, kept, err := singularBasis(mat.NewSymDense(k, gramMatrix(y, k)))
	if err != nil || kept != k-1 {
		t.Fatalf("%d columns are kept, %v", kept, err)
	}
	identity("singularBasis", turn, kept)
}

// TestRightSingularVectors checks the definition: aᵀa v = λ v, and the vectors are orthonormal.
func TestRightSingularVectors(t *testing.T) {
	c := corpusOf(synthetic(300))
	vocabulary := c.vocabulary(1000)
	a := c.matrix(vocabulary, c.idf(vocabulary))
	v, k, err := rightSingularVectors(context.Background(), a, 10, 40, 1)
	if err != nil || k != 10 {
		t.Fatalf("%d directions, %v", k, err)
	}
	w, u := make([]float32, a.rows()*k), make([]float32, a.cols*k)
	a.multiply(w, v, k)
	a.transpose().multiply(u, w, k)
	column := func(m []float32, j int) (out []float32) {
		for i := j; i < len(m); i += k {
			out = append(out, m[i])
		}
		return out
	}
	before := math.Inf(1)
	for j := range k {
		vj, uj := column(v, j), column(u, j)
		lambda := dot(vj, uj)
		if lambda > before*1.0001 {
			t.Errorf("value %d is %v, above the one before, %v", j, lambda, before)
		}
		before = lambda
		if rest := dot(uj, uj) - lambda*lambda; math.Sqrt(max(0, rest)) > .02*lambda {
			t.Errorf("direction %d: value %v, residual %v", j, lambda, math.Sqrt(rest))
		}
		for i := range j {
			if d := dot(column(v, i), vj); math.Abs(d) > 1e-5 {
				t.Errorf("directions %d and %d: %v", i, j, d)
			}
		}
	}
}

// TestRightSingularVectorsDependOnTheSeed holds that the seed reaches the random start.
func TestRightSingularVectorsDependOnTheSeed(t *testing.T) {
	vectors := func(seed uint64) []float32 {
		c := corpusOf(synthetic(100))
		vocabulary := c.vocabulary(1000)
		v, _, err := rightSingularVectors(context.Background(), c.matrix(vocabulary, c.idf(vocabulary)), 10, 2, seed)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if want := vectors(7); !slices.Equal(vectors(7), want) || slices.Equal(vectors(8), want) {
		t.Error("one seed gives two results, or two seeds give one")
	}
}
