package eval

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"s2g/vectors/embed"
	"s2g/vectors/search"
)

// index holds the vectors of posts that are searched, all in memory.
type index struct {
	dims     int
	posts    []int64                     // ascending
	ends     []int32                     // of a post's points: where the next one's begin
	dense    []float32                   // a row of dims for each point
	postings map[uint32][]search.Posting // by term
	points   int
}

func newIndex(dims int) *index { return &index{dims: dims, postings: map[uint32][]search.Posting{}} }

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
			x.postings[term] = append(x.postings[term], search.Posting{Point: int32(x.points), Weight: v.Values[k]})
		}
		x.dense = append(x.dense, dense[i]...)
		x.points++
	}
}

// scores are those of one query: of all points, and the best of each post.
type scores struct {
	search.Scores
	postings [][]search.Posting
	cosines  []float32
	posts    []search.Best
}

// search fills in the scores of a query.
func (x *index) search(s *scores, q *search.Query) {
	s.postings, s.cosines, s.posts = s.postings[:0], s.cosines[:0], s.posts[:0]
	for _, term := range q.Sparse.Indices {
		s.postings = append(s.postings, x.postings[term])
	}
	if q.Dense != nil {
		for i := range x.points {
			s.cosines = append(s.cosines, dot(x.dense[i*x.dims:(i+1)*x.dims], q.Dense))
		}
	}
	s.Compute(q, x.points, s.postings, s.cosines)
	from := int32(0)
	for _, end := range x.ends {
		s.posts = append(s.posts, s.Best(int(from), int(end)))
		from = end
	}
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
// all posts, from 1. Of equal ones the lower id comes first, as in a search.
type ranks [len(weights)]int32

func (s *scores) ranks(target int) (r ranks) {
	for w, by := range weights {
		score := s.posts[target].Fuse(by)
		r[w] = 1
		for post, of := range s.posts {
			if v := of.Fuse(by); v > score || v == score && post < target {
				r[w]++
			}
		}
	}
	return r
}

// ask ranks, for each query, the post that target names; where that is 0 the ranks
// are 0.
func (r *reader) ask(what string, x *index, queries []query, target func(query) int64) ([]ranks, error) {
	all := make([]ranks, len(queries))
	var done atomic.Int64
	err := r.eachQuery(queries, func() func(context.Context, int) error {
		var s scores
		return func(_ context.Context, i int) error {
			if at, found := slices.BinarySearch(x.posts, target(queries[i])); found {
				x.search(&s, &queries[i].vectors)
				all[i] = s.ranks(at)
				done.Add(1)
			}
			return nil
		}
	})
	r.o.Progress(what, done.Load(), done.Load())
	return all, err
}

// embedQueries makes the vectors of the queries, which are asked twice.
func (r *reader) embedQueries(queries []query) error {
	var done atomic.Int64
	return r.eachQuery(queries, func() func(context.Context, int) error {
		return func(ctx context.Context, i int) (err error) {
			q := &queries[i]
			q.vectors.IDF = r.o.Sparse.IDF()
			if q.vectors.Dense, err = embed.DenseQuery(ctx, r.o.Dense, q.title); err != nil {
				return err
			}
			if q.vectors.Sparse, err = r.o.Sparse.Query(ctx, q.title); err != nil {
				return fmt.Errorf("sparse vector of a query: %w", err)
			}
			r.o.Progress("embedding titles", done.Add(1), int64(len(queries)))
			return nil
		}
	})
}

// eachQuery has workers do something for each query; each worker does what one call of
// work returns.
func (r *reader) eachQuery(queries []query, work func() func(context.Context, int) error) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(r.ctx)
	for range r.o.Workers {
		do := work()
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(queries); i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
