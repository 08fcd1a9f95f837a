package vectors

import (
	"cmp"
	"slices"
)

// ranked is a post by its best chunk.
type ranked struct {
	post  int64
	at    int // position of the chunk in scan.points
	score float64
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
		}
	}
	scores := make([]float64, len(s.points))
	for _, m := range s.matches {
		scores[m.point] += weights[m.term] * float64(m.weight)
	}
	return scores
}

// top returns the n best posts, the best first. Points are ordered by id, so the
// chunks of a post are neighbours.
func top(points []uint64, scores []float64, n int) []ranked {
	var best []ranked // ordered; n is small
	for i := 0; i < len(points); {
		r := ranked{int64(points[i] >> chunkBits), i, scores[i]}
		for i++; i < len(points) && int64(points[i]>>chunkBits) == r.post; i++ {
			if scores[i] > r.score {
				r.at, r.score = i, scores[i]
			}
		}
		if len(best) == n && (n == 0 || !r.before(best[n-1])) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, r, ranked.compare)
		best = slices.Insert(best, at, r)
		best = best[:min(n, len(best))]
	}
	return best
}

// compare orders by falling score, then by rising post id.
func (r ranked) compare(other ranked) int {
	return cmp.Or(cmp.Compare(other.score, r.score), cmp.Compare(r.post, other.post))
}

func (r ranked) before(other ranked) bool { return r.compare(other) < 0 }
