package embed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// oversample is how many more directions are followed than kept, which makes the last ones kept nearly as good
// as the first.
const oversample = 32

// rightSingular returns the first right singular vectors of a, at most dims of them: a matrix of a.cols rows,
// row-major, and its number of columns, by descending singular value. It is the randomised subspace iteration
// of Halko, Martinsson and Tropp (Finding structure with randomness, SIAM Review 53, 2011, algorithm 4.4), on
// the side of the columns, followed by a Rayleigh-Ritz step.
//
// Both orthonormalisations go by the eigenvectors of the small Gram matrix (Stathopoulos and Wu, A block
// orthogonalization procedure with constant synchronization requirements, SIAM J. Sci. Comput. 23, 2002),
// which drops the directions that a matrix of low rank does not have.
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
	for range iterations {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		a.times(w[:a.rows()*k], q, k)
		at.times(q, w[:a.rows()*k], k)
		turn, kept, err := whiten(q, k)
		if err != nil {
			return nil, 0, err
		}
		q, k = product(q, k, turn, kept), kept
		if k == 0 {
			return nil, 0, nil
		}
	}
	a.times(w[:a.rows()*k], q, k)
	values, vectors, err := eigen(w[:a.rows()*k], k)
	if err != nil {
		return nil, 0, err
	}
	kept := 0
	for kept < min(dims, k) && values[kept] > values[0]*1e-8 {
		kept++
	}
	v = product(q, k, columns(vectors, k, kept), kept)
	fixSigns(v, kept)
	return v, kept, nil
}

// whiten returns the k by kept matrix that makes the columns of y, a matrix of k columns, orthonormal when it
// stands to its right.
func whiten(y []float32, k int) (turn []float64, kept int, err error) {
	values, vectors, err := eigen(y, k)
	if err != nil {
		return nil, 0, err
	}
	for kept < k && values[kept] > 0 && values[kept] > values[0]*1e-10 {
		kept++
	}
	turn = columns(vectors, k, kept)
	for i := range turn {
		turn[i] /= math.Sqrt(values[i%kept])
	}
	return turn, kept, nil
}

// eigen returns the eigenvalues of yᵀy, largest first, and its eigenvectors as the columns of a k by k matrix.
func eigen(y []float32, k int) (values, vectors []float64, err error) {
	var es mat.EigenSym
	if !es.Factorize(mat.NewSymDense(k, gram(y, k)), true) {
		return nil, nil, errors.New("the eigenvalues did not converge")
	}
	var e mat.Dense
	es.VectorsTo(&e)
	ascending := es.Values(nil)
	values, vectors = make([]float64, k), make([]float64, k*k)
	for j := range k {
		values[j] = ascending[k-1-j]
		for i := range k {
			vectors[i*k+j] = e.At(i, k-1-j)
		}
	}
	return values, vectors, nil
}

// gram returns yᵀy, k by k, summed in double precision: the small eigenvalues are differences of large sums. (gonum
// shares the work by blocks of the result, each summed in order: the same sums for any number of processors.)
func gram(y []float32, k int) []float64 {
	const most = 1024 // rows widened at once
	g := blas64.General{Rows: k, Cols: k, Stride: k, Data: make([]float64, k*k)}
	wide := make([]float64, most*k)
	for len(y) > 0 {
		rows := min(most, len(y)/k)
		for i, x := range y[:rows*k] {
			wide[i] = float64(x)
		}
		b := blas64.General{Rows: rows, Cols: k, Stride: k, Data: wide[:rows*k]}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, b, b, 1, g)
		y = y[rows*k:]
	}
	return g.Data
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
