package qdrant

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"s2g/vectors/search"
	"s2g/vectors/shard"
)

// The numbers of chunks that a search requests by each vector: fetchPerQuestion for each
// question, because the best chunks may belong to few questions, from fetchLeast on. It
// requests more as long as too few questions are found and fetchMost is not reached.
const (
	fetchPerQuestion = 10
	fetchLeast       = 50
	fetchMost        = 10_000
)

// Finder searches a collection, or the collection of an alias; see [Server.Search].
func (s *Server) Finder(collection string) search.Finder {
	return func(ctx context.Context, q *search.Query, n int, accepted bool) ([]search.Found, error) {
		return s.Search(ctx, collection, q, n, accepted)
	}
}

// Search finds the top questions of a collection that match a query best; with accepted
// only questions with an accepted answer. The server finds chunks by each vector and fuses
// the two lists by their ranks (weighted reciprocal rank fusion, in Qdrant since 1.17). The
// client ranks the questions and orders equal scores by id, because the server's order of
// equal scores is random and its groups of a fusion differ between calls (1.18.3).
func (s *Server) Search(ctx context.Context, collection string, q *search.Query, top int, accepted bool) ([]search.Found, error) {
	for n := max(fetchLeast, fetchPerQuestion*top); ; n *= 4 {
		chunks, err := s.chunks(ctx, collection, q, uint64(n), accepted)
		if err != nil {
			return nil, err
		}
		best, err := bestByQuestion(chunks, top)
		if err != nil {
			return nil, err
		}
		if len(best) < top && len(chunks) >= n && n < fetchMost {
			continue // the chunks belong to too few questions
		}
		return best, s.addQuestions(ctx, collection, best)
	}
}

// chunks returns the union of the n best chunks by each vector, with fused scores.
func (s *Server) chunks(ctx context.Context, collection string, q *search.Query, n uint64, accepted bool) ([]*qdrant.ScoredPoint, error) {
	request := &qdrant.QueryPoints{CollectionName: collection, Limit: &n, WithPayload: qdrant.NewWithPayload(true)}
	if accepted {
		request.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchBool("has_accepted_answer", true)}}
	}
	var parts []*qdrant.PrefetchQuery
	if len(q.Dense) > 0 {
		parts = append(parts, &qdrant.PrefetchQuery{Query: qdrant.NewQueryDense(q.Dense), Using: new(denseVector), Limit: &n, Filter: request.Filter})
	}
	if sparse := q.Sparse; len(sparse.Indices) > 0 {
		parts = append(parts, &qdrant.PrefetchQuery{Query: qdrant.NewQuerySparse(sparse.Indices, sparse.Values), Using: new(sparseVector), Limit: &n, Filter: request.Filter})
	}
	switch len(parts) {
	case 0:
		return nil, nil
	case 1:
		request.Query, request.Using = parts[0].Query, parts[0].Using
	default:
		both := 2 * n // the whole union: a cut would be random among equal scores
		weight := float32(q.Weight)
		request.Prefetch, request.Query, request.Limit = parts, qdrant.NewQueryRRF(&qdrant.Rrf{Weights: []float32{weight, 1 - weight}}), &both
	}
	return call(ctx, s, "searching "+collection, func(ctx context.Context) ([]*qdrant.ScoredPoint, error) {
		return s.client.Query(ctx, request)
	})
}

// bestByQuestion ranks the questions of chunks, each by its best chunk.
func bestByQuestion(chunks []*qdrant.ScoredPoint, top int) ([]search.Found, error) {
	rows := make([]*shard.Point, len(chunks))
	for i, c := range chunks {
		var err error
		if rows[i], err = rowOf(c.GetId().GetNum(), c.GetPayload()); err != nil {
			return nil, err
		}
	}
	best := search.Top(top, func(yield func(search.Ranked) bool) {
		for i, c := range chunks {
			if !yield(search.Ranked{Question: rows[i].QuestionID, Point: rows[i].PointID, At: i, Score: float64(c.GetScore())}) {
				return
			}
		}
	})
	found := make([]search.Found, len(best))
	for i, r := range best {
		found[i] = search.Found{Match: rows[r.At], Score: r.Score}
	}
	return found, nil
}

// addQuestions sets the questions, and reads those of answers from the collection.
func (s *Server) addQuestions(ctx context.Context, collection string, list []search.Found) error {
	var ids []uint64
	for i, f := range list {
		if list[i].Question = f.Match; f.Match.QuestionID != f.Match.PostID {
			ids = append(ids, shard.PointID(f.Match.QuestionID, 0))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	points, err := s.Fetch(ctx, collection, ids)
	if err != nil {
		return err
	}
	rows := map[int64]*shard.Point{}
	for _, p := range points {
		row, err := rowOf(p.GetId().GetNum(), p.GetPayload())
		if err != nil {
			return err
		}
		rows[row.PostID] = row
	}
	for i, f := range list {
		if f.Match.QuestionID == f.Match.PostID {
			continue
		}
		if list[i].Question = rows[f.Match.QuestionID]; list[i].Question == nil {
			return fmt.Errorf("%s has the answer %d and not its question %d", collection, f.Match.PostID, f.Match.QuestionID)
		}
	}
	return nil
}
