package embed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// oversample is the number of directions that are iterated beside those that are kept. It makes the last ones kept nearly
// as good as the first.
const oversample = 32

// rightSingularVectors returns the first k right singular vectors of a, k being at most dims: a matrix of a.cols rows and
// k columns, row-major, by descending singular value. It is the randomised subspace iteration of Halko, Martinsson and
// Tropp (Finding structure with randomness, SIAM Review 53, 2011, algorithms 4.4 and 5.1) for aᵀa, which has these vectors
// and the squares of the values: the left singular vectors of aᵀa q, where q is an orthonormal basis of the subspace that
// the iteration before has found.
//
// Both kinds of orthonormalisation use the small Gram matrix of the columns, which is summed in double precision: between
// iterations its Cholesky factor, because any basis serves there, and at the end its eigenvectors (Stathopoulos and Wu, A
// block orthogonalization procedure with constant synchronization requirements, SIAM J. Sci. Comput. 23, 2002), which
// drop the directions that a matrix of low rank does not have. BenchmarkFitLSA measures it.
func rightSingularVectors(ctx context.Context, a *csrMatrix, dims, iterations int, seed uint64) (v []float32, k int, err error) {
	k = min(dims+oversample, a.rows(), a.cols)
	if k == 0 {
		return nil, 0, nil
	}
	at := a.transpose()
	rng := rand.New(rand.NewPCG(seed, 0))
	q := make([]float32, a.cols*k)
	for i := range q {
		q[i] = float32(rng.NormFloat64())
	}
	w := make([]float32, a.rows()*k)
	for left := iterations; left > 0; left-- {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		a.multiply(w[:a.rows()*k], q, k)
		at.multiply(q, w[:a.rows()*k], k)
		small := mat.NewSymDense(k, gramMatrix(q, k))
		change, kept, ok := []float64(nil), k, false
		if left > 1 {
			change, ok = inverseCholesky(small)
		}
		if !ok {
			if change, kept, err = singularBasis(small); err != nil {
				return nil, 0, err
			}
		}
		if left == 1 && kept > dims {
			change, kept = firstColumns(change, kept, dims), dims
		}
		q, k = multiplyDense(q, k, change, kept), kept
		if k == 0 {
			return nil, 0, nil
		}
	}
	fixSigns(q, k)
	return q, k, nil
}

// csrMatrix is a sparse matrix in compressed rows: row i has the values val[ptr[i]:ptr[i+1]], in the columns
// col[ptr[i]:ptr[i+1]].
type csrMatrix struct {
	cols int
	ptr  []int
	col  []int32
	val  []float32
}

func (m *csrMatrix) rows() int { return len(m.ptr) - 1 }

// transpose returns the transposed matrix, whose rows have ascending columns.
func (m *csrMatrix) transpose() *csrMatrix {
	t := &csrMatrix{cols: m.rows(), ptr: make([]int, m.cols+1), col: make([]int32, len(m.col)), val: make([]float32, len(m.val))}
	for _, j := range m.col {
		t.ptr[j+1]++
	}
	for j := range m.cols {
		t.ptr[j+1] += t.ptr[j]
	}
	next := append([]int(nil), t.ptr[:m.cols]...)
	for i := range m.rows() {
		for p := m.ptr[i]; p < m.ptr[i+1]; p++ {
			q := next[m.col[p]]
			t.col[q], t.val[q] = int32(i), m.val[p]
			next[m.col[p]]++
		}
	}
	return t
}

// multiply sets dst, rows by k, to the product of m and x, cols by k; both are row-major. One goroutine sums each row of
// dst, in the order of its columns, so the result does not depend on the number of goroutines.
func (m *csrMatrix) multiply(dst, x []float32, k int) {
	const block = 64 // rows that a goroutine takes at once
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				i := int(next.Add(block)) - block
				if i >= m.rows() {
					return
				}
				for end := min(i+block, m.rows()); i < end; i++ {
					row := dst[i*k : (i+1)*k]
					clear(row)
					for p := m.ptr[i]; p < m.ptr[i+1]; p++ {
						j := int(m.col[p])
						axpy(m.val[p], x[j*k:(j+1)*k], row)
					}
				}
			}
		})
	}
	wg.Wait()
}

// axpy adds a times x to y.
func axpy(a float32, x, y []float32) {
	gonum.Implementation{}.Saxpy(len(x), a, x, 1, y, 1)
}

const (
	gramStripes = 8   // stripes of rows that are summed in parallel: a fixed number, so that the sums are the same for any number of processors
	gramRows    = 256 // rows that are widened at once
	gramBlock   = 64  // columns; gonum multiplies a block of 64 in one goroutine
)

// gramMatrix returns yᵀy, k by k, of a matrix of k columns. The sums are in double precision: the small eigenvalues are
// differences of large sums.
func gramMatrix(y []float32, k int) []float64 {
	rows := len(y) / k
	parts := make([][]float64, gramStripes)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { parts[i] = upperGram(y[i*rows/gramStripes*k:(i+1)*rows/gramStripes*k], k) })
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

// upperGram returns the blocks of yᵀy on its diagonal and above it.
func upperGram(y []float32, k int) []float64 {
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

// inverseCholesky returns a change of basis, k by k, for the Gram matrix of k columns: the inverse of its upper Cholesky factor.
// The columns times this matrix are orthonormal. It returns false if the columns are too dependent for that.
func inverseCholesky(gram *mat.SymDense) (change []float64, ok bool) {
	var c mat.Cholesky
	if !c.Factorize(gram) || c.Cond() > 1e10 {
		return nil, false
	}
	var upper, inverse mat.TriDense
	c.UTo(&upper)
	if err := inverse.InverseTri(&upper); err != nil {
		return nil, false
	}
	k := gram.SymmetricDim()
	change = make([]float64, k*k)
	for i := range k {
		for j := i; j < k; j++ {
			change[i*k+j] = inverse.At(i, j)
		}
	}
	return change, true
}

// singularBasis returns a change of basis, k by kept, for the Gram matrix of k columns. The columns times this matrix are their
// left singular vectors, by descending singular value, without those whose value is zero up to rounding.
func singularBasis(gram *mat.SymDense) (change []float64, kept int, err error) {
	var es mat.EigenSym
	if !es.Factorize(gram, true) {
		return nil, 0, errors.New("the eigenvalues did not converge")
	}
	var e mat.Dense
	es.VectorsTo(&e)
	values, k := es.Values(nil), gram.SymmetricDim() // ascending
	top := values[k-1]
	for kept < k && values[k-1-kept] > 0 && values[k-1-kept] > top*1e-10 {
		kept++
	}
	change = make([]float64, k*kept)
	for j := range kept {
		scale := 1 / math.Sqrt(values[k-1-j])
		for i := range k {
			change[i*kept+j] = scale * e.At(i, k-1-j)
		}
	}
	return change, kept, nil
}

// multiplyDense returns y m: y has k columns, m is k by n. Single precision suffices: each entry is a sum of k products.
func multiplyDense(y []float32, k int, m []float64, n int) []float32 {
	if n == 0 {
		return nil
	}
	right := make([]float32, len(m))
	for i, x := range m {
		right[i] = float32(x)
	}
	rows := len(y) / k
	out := make([]float32, rows*n)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, blas32.General{Rows: rows, Cols: k, Stride: k, Data: y},
		blas32.General{Rows: k, Cols: n, Stride: n, Data: right}, 0, blas32.General{Rows: rows, Cols: n, Stride: n, Data: out})
	return out
}

// firstColumns returns the first n of m's k columns.
func firstColumns(m []float64, k, n int) []float64 {
	out := make([]float64, 0, len(m)/k*n)
	for i := 0; i < len(m); i += k {
		out = append(out, m[i:i+n]...)
	}
	return out
}

// fixSigns makes the entry of greatest magnitude of each of v's k columns positive: the sign of a singular vector is
// arbitrary.
func fixSigns(v []float32, k int) {
	for j := range k {
		var top float32
		for i := j; i < len(v); i += k {
			if max(v[i], -v[i]) > max(top, -top) {
				top = v[i]
			}
		}
		for i := j; top < 0 && i < len(v); i += k {
			v[i] = -v[i]
		}
	}
}
