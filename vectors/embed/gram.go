package embed

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	gramStripes = 8   // of rows, summed side by side: a fixed number, so that the sums are the same whatever the processors
	gramRows    = 256 // widened at once
	gramBlock   = 64  // columns; gonum works on a block of 64 in one goroutine
)

// gram returns yᵀy of a matrix of k columns, k by k, summed in double precision: the small eigenvalues are differences
// of large sums.
func gram(y []float32, k int) []float64 {
	rows := len(y) / k
	parts := make([][]float64, gramStripes)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { parts[i] = gramStripe(y[i*rows/gramStripes*k:(i+1)*rows/gramStripes*k], k) })
	}
	wg.Wait()
	g := parts[0]
	for _, part := range parts[1:] {
		for i, x := range part {
			g[i] += x
		}
	}
	for i := range k {
		for j := range i {
			g[i*k+j] = g[j*k+i]
		}
	}
	return g
}

// gramStripe returns the blocks of yᵀy on its diagonal and above it.
func gramStripe(y []float32, k int) []float64 {
	g, wide := make([]float64, k*k), make([]float64, min(gramRows, len(y)/k)*k)
	panel := func(data []float64, rows, j int) blas64.General {
		return blas64.General{Rows: rows, Cols: min(gramBlock, k-j), Stride: k, Data: data[j:]}
	}
	for len(y) > 0 {
		rows := min(gramRows, len(y)/k)
		for i, x := range y[:rows*k] {
			wide[i] = float64(x)
		}
		for i := 0; i < k; i += gramBlock {
			left := panel(wide, rows, i)
			for j := i; j < k; j += gramBlock {
				right := panel(wide, rows, j)
				sum := blas64.General{Rows: left.Cols, Cols: right.Cols, Stride: k, Data: g[i*k+j:]}
				blas64.Gemm(blas.Trans, blas.NoTrans, 1, left, right, 1, sum)
			}
		}
		y = y[rows*k:]
	}
	return g
}
