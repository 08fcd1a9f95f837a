package eval

import (
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"s2g/vectors"
	"s2g/vectors/embed"
)

// index holds the vectors of posts that are searched, all in memory.
type index struct {
	dims     int
	posts    []int64             // ascending
	ends     []int32             // of a post's points: where the next one's begin
	dense    []float32           // a row of dims for each point
	postings map[uint32][]weight // by term
	points   int
}

// weight is that of a term in a point.
type weight struct {
	point int32
	value float32
}

func newIndex(dims int) *index { return &index{dims: dims, postings: map[uint32][]weight{}} }

// begin announces a post and how many points it has.
func (x *index) begin(id int64, points int) {
	end := int32(points)
	if n := len(x.ends); n > 0 {
		end += x.ends[n-1]
	}
	x.posts, x.ends = append(x.posts, id), append(x.ends, end)
}

// add adds the vectors of points that were announced, in their order.
func (x *index) add(dense [][]float32, sparse []embed.SparseVector) {
	for i, v := range sparse {
		for k, term := range v.Indices {
			x.postings[term] = append(x.postings[term], weight{int32(x.points), v.Values[k]})
		}
		x.dense = append(x.dense, dense[i]...)
		x.points++
	}
}

// scores are those of all points for one query, standardised.
type scores struct{ sparse, dense []float64 }

// search fills in scores.
func (x *index) search(s *scores, sparse embed.SparseVector, idf bool, dense []float32) {
	s.sparse, s.dense = slices.Grow(s.sparse[:0], x.points)[:x.points], slices.Grow(s.dense[:0], x.points)[:x.points]
	clear(s.sparse)
	for i, term := range sparse.Indices {
		list := x.postings[term]
		by := float64(sparse.Values[i])
		if idf {
			by *= vectors.IDF(x.points, len(list))
		}
		for _, w := range list {
			s.sparse[w.point] += by * float64(w.value)
		}
	}
	for i := range s.dense {
		s.dense[i] = float64(dot(x.dense[i*x.dims:(i+1)*x.dims], dense))
	}
	vectors.Standardise(s.sparse)
	vectors.Standardise(s.dense)
}

// dot has four sums, which do not wait for each other.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// ranks says, for each weight of [weights], which place a post has in the list of
// all posts, from 1. A post counts by its best point; of equal ones the lower id
// comes first, as in a search.
type ranks [len(weights)]int32

func (x *index) ranks(s *scores, target int) (r ranks) {
	from := int32(0)
	if target > 0 {
		from = x.ends[target-1]
	}
	for w, by := range weights {
		score := func(i int32) float64 { return (1-by)*s.sparse[i] + by*s.dense[i] }
		best := score(from)
		for i := from + 1; i < x.ends[target]; i++ {
			best = max(best, score(i))
		}
		r[w] = 1
		point := int32(0)
		for post, end := range x.ends {
			for ; point < end; point++ {
				if v := score(point); post != target && (v > best || v == best && post < target) {
					r[w]++
					break
				}
			}
			point = end
		}
	}
	return r
}

// ask ranks, for each query, the post that target names; where that is 0 the ranks
// are 0.
func (r *reader) ask(what string, x *index, queries []query, target func(query) int64) ([]ranks, error) {
	all := make([]ranks, len(queries))
	var next, done atomic.Int64
	group, ctx := errgroup.WithContext(r.ctx)
	for range r.o.Workers {
		group.Go(func() error {
			var s scores
			for {
				i := int(next.Add(1)) - 1
				if i >= len(queries) || ctx.Err() != nil {
					return ctx.Err()
				}
				at, found := slices.BinarySearch(x.posts, target(queries[i]))
				if !found {
					continue
				}
				dense, err := r.o.Dense.Query(ctx, queries[i].title)
				if err != nil {
					return fmt.Errorf("dense vector of a query: %w", err)
				}
				sparse, err := r.o.Sparse.Query(ctx, queries[i].title)
				if err != nil {
					return fmt.Errorf("sparse vector of a query: %w", err)
				}
				x.search(&s, sparse, r.o.Sparse.IDF(), dense)
				all[i] = x.ranks(&s, at)
				done.Add(1)
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r.o.Progress(what, done.Load(), done.Load())
	return all, nil
}
