package embed

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/gonum"
)

// sparse is a matrix in compressed rows: row i has the values val[ptr[i]:ptr[i+1]], in the columns col[...] of
// the same range.
type sparse struct {
	cols int
	ptr  []int
	col  []int32
	val  []float32
}

func (m *sparse) rows() int { return len(m.ptr) - 1 }

// transpose returns the transposed matrix, whose rows have ascending columns.
func (m *sparse) transpose() *sparse {
	t := &sparse{cols: m.rows(), ptr: make([]int, m.cols+1), col: make([]int32, len(m.col)), val: make([]float32, len(m.val))}
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

// times sets dst, rows by k, to the product of m and x, cols by k; both are row-major. Each row of dst is summed
// by one goroutine in the order of its columns, so the result does not depend on how many there are.
func (m *sparse) times(dst, x []float32, k int) {
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
					m.row(dst[i*k:(i+1)*k], i, x, k)
				}
			}
		})
	}
	wg.Wait()
}

func (m *sparse) row(dst []float32, i int, x []float32, k int) {
	clear(dst)
	for p := m.ptr[i]; p < m.ptr[i+1]; p++ {
		j := int(m.col[p])
		axpy(m.val[p], x[j*k:(j+1)*k], dst)
	}
}

// axpy adds a times x to y.
func axpy(a float32, x, y []float32) {
	gonum.Implementation{}.Saxpy(len(x), a, x, 1, y, 1)
}
