package embed

import (
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

// simpleGram is yᵀy as it is defined.
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

// Fewer rows than stripes, more than are widened at once, and columns that fill no block or several.
func TestGram(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {3, 5}, {100, 64}, {gramStripes*gramRows + 77, 2*gramBlock + 3}} {
		rows, k := shape[0], shape[1]
		y := normal(rows * k)
		want := simpleGram(y, k)
		for i, x := range gram(y, k) {
			if math.Abs(x-want[i]) > 1e-9*float64(rows) {
				t.Fatalf("%d by %d: entry %d is %v, want %v", rows, k, i, x, want[i])
			}
		}
	}
}

// Both ways to make columns orthonormal do so; columns that depend on each other are left to the one that drops them.
func TestOrthonormal(t *testing.T) {
	const rows, k = 500, 20
	y := normal(rows * k)
	identity := func(name string, turn []float64, kept int) {
		for i, x := range simpleGram(product(y, k, turn, kept), kept) {
			want := 0.0
			if i%(kept+1) == 0 {
				want = 1
			}
			if math.Abs(x-want) > 1e-5 {
				t.Fatalf("%s: entry %d of the Gram matrix is %v", name, i, x)
			}
		}
	}
	turn, ok := triangle(mat.NewSymDense(k, gram(y, k)))
	if !ok {
		t.Fatal("independent columns are refused")
	}
	identity("triangle", turn, k)
	for i := 0; i < len(y); i += k {
		y[i+k-1] = y[i] + y[i+1]
	}
	if _, ok := triangle(mat.NewSymDense(k, gram(y, k))); ok {
		t.Error("a column that is the sum of two others is taken")
	}
	turn, kept, err := principal(mat.NewSymDense(k, gram(y, k)))
	if err != nil || kept != k-1 {
		t.Fatalf("%d columns are kept, %v", kept, err)
	}
	identity("principal", turn, kept)
}
