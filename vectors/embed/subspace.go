package embed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// oversample is how many more directions are followed than kept, which makes the last ones kept nearly as good
// as the first.
const oversample = 32

// rightSingular returns the first right singular vectors of a, at most dims of them: a matrix of a.cols rows,
// row-major, and its number of columns, by descending singular value. It is the randomised subspace iteration
// of Halko, Martinsson and Tropp (Finding structure with randomness, SIAM Review 53, 2011, algorithms 4.4 and 5.1)
// for aᵀa, which has these vectors and the squares of the values: the left singular vectors of aᵀa q, where q is an
// orthonormal basis of what the iteration before has found.
//
// Both kinds of orthonormalisation go by the small Gram matrix of the columns, whose sums are in double precision:
// between iterations by its Cholesky factor, where any basis will do, and in the end by its eigenvectors (Stathopoulos
// and Wu, A block orthogonalization procedure with constant synchronization requirements, SIAM J. Sci. Comput. 23,
// 2002), which drops the directions that a matrix of low rank does not have.
func rightSingular(ctx context.Context, a *sparse, dims, iterations int, seed uint64) (v []float32, k int, err error) {
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
		a.times(w[:a.rows()*k], q, k)
		at.times(q, w[:a.rows()*k], k)
		small := mat.NewSymDense(k, gram(q, k))
		turn, kept, ok := []float64(nil), k, false
		if left > 1 {
			turn, ok = triangle(small)
		}
		if !ok {
			if turn, kept, err = principal(small); err != nil {
				return nil, 0, err
			}
		}
		if left == 1 && kept > dims {
			turn, kept = columns(turn, kept, dims), dims
		}
		q, k = product(q, k, turn, kept), kept
		if k == 0 {
			return nil, 0, nil
		}
	}
	fixSigns(q, k)
	return q, k, nil
}

// triangle returns the inverse of the upper Cholesky factor of a Gram matrix, which makes the columns that it is of
// orthonormal when it stands to their right. Where they are nearly dependent it is not exact enough, and not ok.
func triangle(gram *mat.SymDense) (turn []float64, ok bool) {
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
	turn = make([]float64, k*k)
	for i := range k {
		for j := i; j < k; j++ {
			turn[i*k+j] = inverse.At(i, j)
		}
	}
	return turn, true
}

// principal returns the k by kept matrix that makes the k columns that a Gram matrix is of orthonormal, and their left
// singular vectors, when it stands to their right. It is ordered by descending singular value.
func principal(gram *mat.SymDense) (turn []float64, kept int, err error) {
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
	turn = make([]float64, k*kept)
	for j := range kept {
		scale := 1 / math.Sqrt(values[k-1-j])
		for i := range k {
			turn[i*kept+j] = scale * e.At(i, k-1-j)
		}
	}
	return turn, kept, nil
}

// product returns y m: y has k columns, m is k by n. Single precision is enough: each entry is a sum of k products.
func product(y []float32, k int, m []float64, n int) []float32 {
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

// columns returns the first n columns of m, which has k.
func columns(m []float64, k, n int) []float64 {
	out := make([]float64, 0, len(m)/k*n)
	for i := 0; i < len(m); i += k {
		out = append(out, m[i:i+n]...)
	}
	return out
}

// fixSigns makes the entry of greatest magnitude of each of v's k columns positive: a singular vector is defined
// but for its sign.
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
