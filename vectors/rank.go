package vectors

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"s2g/vectors/shard"
)

// ranked is a question by its best post: itself, or an answer to it.
type ranked struct {
	question int64
	at       int // position in scan.points of the post's best chunk
	score    float64
}

// best returns the n best questions, the best first. Where the query has no dense
// vector a post needs one of its terms: without one it is not worse than another, it
// has nothing to do with the query.
func (q *query) best(s *scan, n int) []ranked {
	matched := make([]bool, len(s.points))
	for _, m := range s.matches {
		matched[m.point] = true
	}
	sparse, dense := Standardise(q.sparseScores(s)), make([]float64, len(s.cosines))
	for i, c := range s.cosines {
		dense[i] = float64(c)
	}
	Standardise(dense)
	chunks := func(scores []float64, from, to int) []float64 {
		return scores[min(from, len(scores)):min(to, len(scores))]
	}
	best := top(n, func(yield func(ranked) bool) {
		for from, to := range s.posts() {
			if len(dense) == 0 && !slices.Contains(matched[from:to], true) {
				continue
			}
			of := BestOf(sparse[from:to], chunks(dense, from, to))
			if !yield(ranked{s.question(from), from, of.Fuse(q.weight)}) {
				return
			}
		}
	})
	for i := range best {
		best[i].at = q.bestChunk(s, best[i].at, sparse, dense)
	}
	return best
}

// bestChunk returns which chunk of the post whose first is at from has the highest sum
// of the two scores: the one that is shown.
func (q *query) bestChunk(s *scan, from int, sparse, dense []float64) int {
	best, highest := from, math.Inf(-1)
	for at := from; at < len(s.points) && s.post(at) == s.post(from); at++ {
		of := Best{Sparse: sparse[at]}
		if len(dense) > 0 {
			of.Dense = dense[at]
		}
		if score := of.Fuse(q.weight); score > highest {
			best, highest = at, score
		}
	}
	return best
}

// sparseScores returns the product of each point's sparse vector and the query's,
// each term times its inverse document frequency.
func (q *query) sparseScores(s *scan) []float64 {
	found := make([]int, len(q.sparse.Indices))
	for _, m := range s.matches {
		found[m.term]++
	}
	weights := make([]float64, len(found))
	for t, n := range found {
		weights[t] = float64(q.sparse.Values[t])
		if q.idf {
			weights[t] *= IDF(len(s.points), n)
			if _, ok := q.worth[q.sparse.Indices[t]]; ok {
				q.worth[q.sparse.Indices[t]] = weights[t]
			}
		}
	}
	scores := make([]float64, len(s.points))
	for _, m := range s.matches {
		scores[m.point] += weights[m.term] * float64(m.weight)
	}
	return scores
}

// top returns the n best of questions, the best first, each once. Memory is that of
// the n.
func top(n int, questions iter.Seq[ranked]) []ranked {
	var best []ranked // ordered; n is small
	for r := range questions {
		if len(best) == n && (n == 0 || !r.before(best[n-1])) {
			continue
		}
		if same := slices.IndexFunc(best, func(b ranked) bool { return b.question == r.question }); same >= 0 {
			if r.score <= best[same].score {
				continue
			}
			best = slices.Delete(best, same, same+1)
		}
		at, _ := slices.BinarySearchFunc(best, r, ranked.compare)
		best = slices.Insert(best, at, r)
		best = best[:min(n, len(best))]
	}
	return best
}

// posts yields where the points of each post begin and end. They stand side by side,
// and no post is in two shards of a language.
func (s *scan) posts() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from, to := 0, 0; from < len(s.points); from = to {
			for to = from; to < len(s.points) && s.post(to) == s.post(from); {
				to++
			}
			if !yield(from, to) {
				return
			}
		}
	}
}

// post is the post that a point is of.
func (s *scan) post(at int) int64 { return shard.PostOf(s.points[at]) }

// question is the question that a point is of, or answers.
func (s *scan) question(at int) int64 {
	if s.questions != nil {
		return s.questions[at]
	}
	return s.post(at)
}

// compare orders by falling score, then by rising id.
func (r ranked) compare(other ranked) int {
	return cmp.Or(cmp.Compare(other.score, r.score), cmp.Compare(r.question, other.question))
}

func (r ranked) before(other ranked) bool { return r.compare(other) < 0 }
