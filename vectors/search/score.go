package search

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"s2g/schema/manifest"
	"s2g/vectors/embed"
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
			weight *= IDF(float64(points), float64(len(list)))
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

// Strength returns how strong a match the post with the points at positions from to to-1 is.
// Unlike the standardised scores it compares between queries and builds:
//
//	(1 - weight) · words + weight · cosine
//
// words is the post's highest product of sparse vectors divided by the weights of all terms
// of the query, those that no post has included; cosine its highest cosine, 0 where the query
// has no dense vector. A query of foreign words has little of the first, however far its best
// post is from the others. postings and cosines are those of [Scores.Compute]; lists are in
// the order of points.
func (s *Scores) Strength(q *Query, postings [][]Posting, cosines []float32, from, to int) float64 {
	words := make([]float64, to-from)
	for t, list := range postings {
		at, _ := slices.BinarySearchFunc(list, from, func(p Posting, from int) int { return cmp.Compare(int(p.Point), from) })
		for ; at < len(list) && int(list[at].Point) < to; at++ {
			words[int(list[at].Point)-from] += s.Terms[t] * float64(list[at].Weight)
		}
	}
	cosine := 0.0
	if len(cosines) > 0 {
		cosine = float64(slices.Max(cosines[from:to]))
	}
	return q.Strength(slices.Max(words), s.Terms, cosine)
}

// Strength is the formula of [Scores.Strength], for a product of sparse vectors, the weights
// of the query's terms, inverse document frequencies included, and a cosine.
func (q *Query) Strength(product float64, terms []float64, cosine float64) float64 {
	words := 0.0
	if all := sum(terms); all > 0 {
		words = product / all
	}
	return (1-q.Weight)*words + q.Weight*cosine
}

// builtinStrength is the strength of a good match with BM25 and the builtin embedder where
// eval has fitted none: on two real sites, 95 % of the titles whose body was among the first
// five reached .685 and .702.
const builtinStrength = .69

// LeastStrength returns the strength of a good match in a build with these embedders: the
// fitted one, else the default of its models. It returns false where they have none.
func LeastStrength(made *manifest.Embedders) (float64, bool) {
	switch {
	case made == nil:
		return 0, false
	case made.NoGoodMatch != nil:
		return made.NoGoodMatch.Least, true
	case strings.HasPrefix(made.Sparse, embed.NewBM25().Model()) && strings.HasPrefix(made.Dense, embed.KindBuiltin+"/"):
		return builtinStrength, true
	}
	return 0, false
}

func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
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

// IDF returns a term's inverse document frequency by the formula of Qdrant's modifier idf,
// which is that of Lucene: ln((N - n + 0.5) / (n + 0.5) + 1), for a term in n of N points.
func IDF(points, having float64) float64 {
	return math.Log((points-having+0.5)/(having+0.5) + 1)
}

// DocumentsOf inverts [IDF]: it returns the number of points that have a term. A server's idf
// is a 32-bit number, so the result is rounded.
func DocumentsOf(points int64, idf float64) float64 {
	return max(1, math.Round(float64(points+1)/math.Exp(idf)-0.5))
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
