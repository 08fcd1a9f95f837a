package search

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Posting is an occurrence of a term in a point.
type Posting struct {
	Point  int32   // position
	Weight float32 // of the term in the point's sparse vector
}

// Scores are the scores of all points for one query. Each kind is standardised over the
// points, so that the kinds can be added.
type Scores struct {
	Sparse []float64
	Dense  []float64 // empty: the query has no dense vector
	Terms  []float64 // weights of the query's terms, inverse document frequencies included
}

// Compute replaces the scores by those of a query over so many points. postings has a list
// for each term of the query's sparse vector. cosines has the dense score of each point, and
// is empty where the query has no dense vector. Compute reuses the memory of s.
func (s *Scores) Compute(q *Query, points int, postings [][]Posting, cosines []float32) {
	s.Terms = s.Terms[:0]
	s.Sparse = slices.Grow(s.Sparse[:0], points)[:points]
	clear(s.Sparse)
	for t, list := range postings {
		weight := float64(q.Sparse.Values[t])
		if q.IDF {
			weight *= idf(points, len(list))
		}
		s.Terms = append(s.Terms, weight)
		for _, p := range list {
			s.Sparse[p.Point] += weight * float64(p.Weight)
		}
	}
	s.Dense = s.Dense[:0]
	for _, c := range cosines {
		s.Dense = append(s.Dense, float64(c))
	}
	standardise(s.Sparse)
	standardise(s.Dense)
}

// Best holds the highest sparse and the highest dense score of a post's points. The two may
// belong to different points.
type Best struct{ Sparse, Dense float64 }

// Best returns the best scores of the points at positions from to to-1. Its dense score is 0
// where s has none.
func (s *Scores) Best(from, to int) Best {
	b := Best{Sparse: slices.Max(s.Sparse[from:to])}
	if len(s.Dense) > 0 {
		b.Dense = slices.Max(s.Dense[from:to])
	}
	return b
}

// Fuse returns the score of a post, where the dense score has the given weight.
//
// It adds the scores of a post, not those of each point, because one point may have the
// words of a query and another be nearest in meaning. docs/vectors.md has the gain.
func (b Best) Fuse(weight float64) float64 { return (1-weight)*b.Sparse + weight*b.Dense }

// idf returns a term's inverse document frequency by the formula of Qdrant's modifier idf,
// which is that of Lucene: ln((N - n + 0.5) / (n + 0.5) + 1), for a term in n of N points.
func idf(points, having int) float64 {
	return math.Log((float64(points-having)+0.5)/(float64(having)+0.5) + 1)
}

// standardise shifts and scales scores in place to mean 0 and deviation 1. Scores that are
// all equal become 0.
func standardise(scores []float64) {
	var sum, squares float64
	for _, v := range scores {
		sum += v
	}
	mean := sum / float64(len(scores))
	for _, v := range scores {
		squares += (v - mean) * (v - mean)
	}
	deviation := math.Sqrt(squares / float64(len(scores)))
	for i, v := range scores {
		if scores[i] = 0; deviation > 1e-12 {
			scores[i] = (v - mean) / deviation
		}
	}
}

// Ranked is a question with a score, by one of its points or of an answer to it.
type Ranked struct {
	Question int64
	Point    uint64 // id
	At       int    // position of the point in the caller's list
	Score    float64
}

// Top returns the n best questions, the best first, each once: by falling score, then by
// rising id of the question and of the point. It keeps n in memory.
func Top(n int, all iter.Seq[Ranked]) []Ranked {
	var best []Ranked
	for r := range all {
		if len(best) == n && (n == 0 || r.compare(best[n-1]) >= 0) {
			continue
		}
		if same := slices.IndexFunc(best, func(b Ranked) bool { return b.Question == r.Question }); same >= 0 {
			if r.compare(best[same]) >= 0 {
				continue
			}
			best = slices.Delete(best, same, same+1)
		}
		at, _ := slices.BinarySearchFunc(best, r, Ranked.compare)
		best = slices.Insert(best, at, r)
		best = best[:min(n, len(best))]
	}
	return best
}

func (r Ranked) compare(other Ranked) int {
	return cmp.Or(cmp.Compare(other.Score, r.Score), cmp.Compare(r.Question, other.Question), cmp.Compare(r.Point, other.Point))
}
