package vectors

import (
	"cmp"
	"slices"

	"s2g/vectors/shard"
)

// ranked is a question by its best chunk, or that of an answer to it.
type ranked struct {
	question int64
	at       int // position of the chunk in scan.points
	score    float64
}

// fuse returns the score of each point.
func (q *query) fuse(s *scan) []float64 {
	sparse, dense := Standardise(q.sparseScores(s)), make([]float64, len(s.cosines))
	for i, c := range s.cosines {
		dense[i] = float64(c)
	}
	if Standardise(dense); len(dense) == 0 {
		return sparse
	}
	for i := range sparse {
		sparse[i] = (1-q.weight)*sparse[i] + q.weight*dense[i]
	}
	return sparse
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

// top returns the n best questions, the best first. Memory is that of the n.
func (s *scan) top(scores []float64, n int) []ranked {
	var best []ranked // ordered; n is small
	for i, score := range scores {
		r := ranked{s.question(i), i, score}
		if len(best) == n && (n == 0 || !r.before(best[n-1])) {
			continue
		}
		if same := slices.IndexFunc(best, func(b ranked) bool { return b.question == r.question }); same >= 0 {
			if score <= best[same].score {
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

// question is the question that a point is of, or answers.
func (s *scan) question(at int) int64 {
	if s.questions != nil {
		return s.questions[at]
	}
	return shard.PostOf(s.points[at])
}

// compare orders by falling score, then by rising id.
func (r ranked) compare(other ranked) int {
	return cmp.Or(cmp.Compare(other.score, r.score), cmp.Compare(r.question, other.question))
}

func (r ranked) before(other ranked) bool { return r.compare(other) < 0 }
