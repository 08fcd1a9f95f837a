package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/vectors/shard"
)

// shardScan holds the columns of a language's points that a search ranks by, in the order of
// point ids.
type shardScan struct {
	points    []uint64
	questions []int64     // of points; empty where all posts are questions
	cosines   []float32   // of points; empty where the query has no dense vector
	postings  [][]Posting // for each term of the query's sparse vector
	rows      []int       // number of points of each shard
}

// shardFinder searches the shards of a language, whose paths are files.
func shardFinder(catalog *shard.Catalog, files []string, slug string, hasAnswers bool) Finder {
	return func(ctx context.Context, q *Query, n int, _ bool) ([]Found, error) {
		scan, err := scanShards(ctx, files, q, hasAnswers)
		if err != nil {
			return nil, err
		}
		best := scan.rank(q, n)
		found := make([]Found, len(best))
		for i, r := range best {
			file, row := scan.locate(r.At)
			match, err := shard.ReadRow(files[file], row)
			if err != nil {
				return nil, err
			}
			question := match
			if match.PostID != r.Question {
				if question, err = catalog.FindPost(r.Question, slug); err != nil {
					return nil, err
				}
				if question == nil {
					return nil, fmt.Errorf("the shards have the answer %d and not its question %d", match.PostID, r.Question)
				}
			}
			found[i] = Found{question, match, r.Score}
		}
		return found, nil
	}
}

// scanShards scans shards side by side, and joins the results in their order.
func scanShards(ctx context.Context, files []string, q *Query, hasAnswers bool) (*shardScan, error) {
	parts := make([]*shardScan, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range files {
		group.Go(func() error {
			file, err := shard.OpenFile(name)
			if err != nil {
				return err
			}
			defer file.Close()
			s := &shardScan{postings: make([][]Posting, len(q.Sparse.Indices))}
			for _, g := range file.RowGroups() {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := s.scanGroup(g, q, hasAnswers); err != nil {
					return err
				}
			}
			parts[i] = s
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := &shardScan{postings: make([][]Posting, len(q.Sparse.Indices))}
	for _, p := range parts {
		before := int32(len(all.points))
		all.points = append(all.points, p.points...)
		all.questions = append(all.questions, p.questions...)
		all.cosines = append(all.cosines, p.cosines...)
		for t, list := range p.postings {
			for _, posting := range list {
				posting.Point += before
				all.postings[t] = append(all.postings[t], posting)
			}
		}
		all.rows = append(all.rows, len(p.points))
	}
	return all, nil
}

// scanGroup scans the rows of a row group, a column after the other.
func (s *shardScan) scanGroup(g shard.RowGroup, q *Query, hasAnswers bool) error {
	first := len(s.points)
	err := shard.ScanColumn(g, "point_id", func(p shard.Page[uint64]) error {
		s.points = append(s.points, p.Values...)
		return nil
	})
	if err != nil {
		return err
	}
	if hasAnswers {
		err := shard.ScanColumn(g, "question_id", func(p shard.Page[int64]) error {
			s.questions = append(s.questions, p.Values...)
			return nil
		})
		if err == nil && len(s.questions) != len(s.points) {
			err = fmt.Errorf("%d question ids for %d points", len(s.questions), len(s.points))
		}
		if err != nil {
			return err
		}
	}
	if q.Dense != nil {
		s.cosines = append(s.cosines, make([]float32, len(s.points)-first)...)
		if err := addCosines(g, q.Dense, s.cosines[first:]); err != nil {
			return err
		}
	}
	return s.addPostings(g, q, first)
}

// addCosines adds to cosines, a number for each row of a row group, the products of the
// dense vectors with the query's. All vectors have unit length.
func addCosines(g shard.RowGroup, query, cosines []float32) error {
	row, at := -1, len(query)
	err := shard.ScanColumn(g, "dense", func(p shard.Page[float32]) error {
		if len(p.Values) != len(p.Repeated) {
			return errors.New("a vector is empty")
		}
		for i, x := range p.Values {
			if p.Repeated[i] == 0 {
				if row++; at != len(query) || row == len(cosines) {
					return fmt.Errorf("row %d: a vector of %d dimensions, that of the query has %d", row, at, len(query))
				}
				at = 0
			}
			if at == len(query) {
				return fmt.Errorf("row %d: a vector of over %d dimensions", row, at)
			}
			cosines[row] += x * query[at]
			at++
		}
		return nil
	})
	if err == nil && (row+1 != len(cosines) || at != len(query)) {
		return fmt.Errorf("%d dense vectors for %d points", row+1, len(cosines))
	}
	return err
}

// addPostings finds the terms of the query in the sparse vectors of a row group, whose
// points begin at position first.
func (s *shardScan) addPostings(g shard.RowGroup, q *Query, first int) error {
	terms := map[uint32]int{}
	for t, index := range q.Sparse.Indices {
		terms[index] = t
	}
	type match struct{ term, point, value int }
	var matches []match // by ascending value: the position of the weight in its column
	row, value := first-1, 0
	err := shard.ScanColumn(g, "sparse_indices", func(p shard.Page[uint32]) error {
		next := 0
		for i, r := range p.Repeated {
			if r == 0 {
				if row++; row == len(s.points) {
					return errors.New("more vectors than points")
				}
			}
			if p.Defined[i] == 0 {
				continue
			}
			if next == len(p.Values) {
				return errors.New("fewer indices than levels")
			}
			if t, ok := terms[p.Values[next]]; ok {
				matches = append(matches, match{t, row, value})
			}
			next++
			value++
		}
		return nil
	})
	if err != nil {
		return err
	}
	before, next := 0, 0
	err = shard.ScanColumn(g, "sparse_values", func(p shard.Page[float32]) error {
		for ; next < len(matches) && matches[next].value < before+len(p.Values); next++ {
			m := matches[next]
			s.postings[m.term] = append(s.postings[m.term], Posting{int32(m.point), p.Values[m.value-before]})
		}
		before += len(p.Values)
		return nil
	})
	if err == nil && next < len(matches) {
		return errors.New("fewer sparse values than indices")
	}
	return err
}

// rank returns the n best questions; At is the position of the best point of the post that
// matched. Where the query has no dense vector, rank leaves out posts without any of its
// terms.
func (s *shardScan) rank(q *Query, n int) []Ranked {
	var scores Scores
	scores.Compute(q, len(s.points), s.postings, s.cosines)
	q.setTermWeights(scores.Terms)
	matched := make([]bool, len(s.points))
	for _, list := range s.postings {
		for _, p := range list {
			matched[p.Point] = true
		}
	}
	best := Top(n, func(yield func(Ranked) bool) {
		for from, to := range s.posts() {
			if len(s.cosines) == 0 && !slices.Contains(matched[from:to], true) {
				continue
			}
			question := shard.PostOf(s.points[from])
			if s.questions != nil {
				question = s.questions[from]
			}
			if !yield(Ranked{question, s.points[from], from, scores.Best(from, to).Fuse(q.Weight)}) {
				return
			}
		}
	})
	for i := range best {
		best[i].At = s.bestPoint(best[i].At, &scores, q.Weight)
	}
	return best
}

// bestPoint returns the point with the highest fused score of the post that begins at from.
func (s *shardScan) bestPoint(from int, scores *Scores, weight float64) int {
	best, highest := from, math.Inf(-1)
	for at := from; at < len(s.points) && shard.PostOf(s.points[at]) == shard.PostOf(s.points[from]); at++ {
		if score := scores.Best(at, at+1).Fuse(weight); score > highest {
			best, highest = at, score
		}
	}
	return best
}

// posts yields the positions of each post's first point and of the point after its last. The
// points of a post are adjacent, because no post is in two shards of a language.
func (s *shardScan) posts() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from, to := 0, 0; from < len(s.points); from = to {
			for to = from; to < len(s.points) && shard.PostOf(s.points[to]) == shard.PostOf(s.points[from]); {
				to++
			}
			if !yield(from, to) {
				return
			}
		}
	}
}

// locate returns the shard of the point at a position, and its row in the shard.
func (s *shardScan) locate(at int) (file int, row int64) {
	for at >= s.rows[file] {
		at -= s.rows[file]
		file++
	}
	return file, int64(at)
}
