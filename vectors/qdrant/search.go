package qdrant

import (
	"context"
	"fmt"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"s2g/vectors/search"
	"s2g/vectors/shard"
)

// fetchFor is how many chunks are fetched by each vector for a question that is wanted,
// and fetchLeast how many at least: a question may have many chunks among the best.
const (
	fetchFor   = 10
	fetchLeast = 50
	fetchMost  = 10_000
)

// Finder searches a collection, or the collection of an alias; see [Server.Search].
func (s *Server) Finder(collection string) search.Finder {
	return func(ctx context.Context, q *search.Query, n int, accepted bool) ([]search.Found, error) {
		return s.Search(ctx, collection, q, n, accepted)
	}
}

// Search finds the top questions of a collection that fit a query best; with accepted only
// questions with an accepted answer. The server finds chunks by each vector and fuses the
// two lists by their ranks (weighted reciprocal rank fusion, since version 1.17). Questions
// are ranked here, and equal scores ordered by id: the server orders equal scores at
// random, and groups of a fusion differ from call to call (1.18.3).
func (s *Server) Search(ctx context.Context, collection string, q *search.Query, top int, accepted bool) ([]search.Found, error) {
	for n := max(fetchLeast, fetchFor*top); ; n *= 4 {
		chunks, err := s.chunks(ctx, collection, q, uint64(n), accepted)
		if err != nil {
			return nil, err
		}
		best := byQuestion(chunks, top)
		if len(best) < top && len(chunks) >= n && n < fetchMost {
			continue // a few questions have all the chunks
		}
		return best, s.addQuestions(ctx, collection, best)
	}
}

// chunks fetches the best n chunks by each vector, and fuses them.
func (s *Server) chunks(ctx context.Context, collection string, q *search.Query, n uint64, accepted bool) ([]*qdrant.ScoredPoint, error) {
	request := &qdrant.QueryPoints{CollectionName: collection, Limit: &n, WithPayload: qdrant.NewWithPayload(true)}
	if accepted {
		request.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchBool("has_accepted_answer", true)}}
	}
	var parts []*qdrant.PrefetchQuery
	if len(q.Dense) > 0 {
		parts = append(parts, &qdrant.PrefetchQuery{Query: qdrant.NewQueryDense(q.Dense), Using: new(DenseVector), Limit: &n, Filter: request.Filter})
	}
	if sparse := q.Sparse; len(sparse.Indices) > 0 {
		parts = append(parts, &qdrant.PrefetchQuery{Query: qdrant.NewQuerySparse(sparse.Indices, sparse.Values), Using: new(SparseVector), Limit: &n, Filter: request.Filter})
	}
	switch len(parts) {
	case 0:
		return nil, nil
	case 1:
		request.Query, request.Using = parts[0].Query, parts[0].Using
	default:
		both := 2 * n // all that either has found: what is cut off would be by chance
		weight := float32(q.Weight)
		request.Prefetch, request.Query, request.Limit = parts, qdrant.NewQueryRRF(&qdrant.Rrf{Weights: []float32{weight, 1 - weight}}), &both
	}
	return call(ctx, s, "searching "+collection, func(ctx context.Context) ([]*qdrant.ScoredPoint, error) {
		return s.client.Query(ctx, request)
	})
}

// byQuestion ranks the questions of chunks, each by its best chunk.
func byQuestion(chunks []*qdrant.ScoredPoint, top int) []search.Found {
	rows := make([]*shard.Point, len(chunks))
	best := search.Top(top, func(yield func(search.Ranked) bool) {
		for i, c := range chunks {
			rows[i] = rowOf(c.GetId().GetNum(), c.GetPayload())
			if !yield(search.Ranked{Question: rows[i].QuestionID, Point: rows[i].PointID, At: i, Score: float64(c.GetScore())}) {
				return
			}
		}
	})
	found := make([]search.Found, len(best))
	for i, r := range best {
		found[i] = search.Found{Match: rows[r.At], Score: r.Score}
	}
	return found
}

// addQuestions reads the questions of the answers that were found.
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
		row := rowOf(p.GetId().GetNum(), p.GetPayload())
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

// rowOf is the row that a payload was made of, without its vectors.
func rowOf(id uint64, payload map[string]*qdrant.Value) *shard.Point {
	text := func(field string) string { return payload[field].GetStringValue() }
	number := func(field string) int64 { return payload[field].GetIntegerValue() }
	optional := func(field string) *int32 {
		if payload[field] == nil {
			return nil
		}
		return new(int32(number(field)))
	}
	p := &shard.Point{
		PointID: id, PostID: number("post_id"), QuestionID: number("question_id"), IRI: text("iri"), Type: text("type"), Language: text("language"),
		Languages: valuesOf(payload["languages"], (*qdrant.Value).GetStringValue), Chunk: int32(number("chunk")), Chunks: int32(number("chunks")),
		Start: int32(number("start")), End: int32(number("end")), Title: text("title"), Text: text("text"),
		Tags: valuesOf(payload["tags"], (*qdrant.Value).GetStringValue), Score: optional("score"), AnswerCount: optional("answer_count"),
		HasAcceptedAnswer: payload["has_accepted_answer"].GetBoolValue(), AcceptedAnswerID: number("accepted_answer_id"),
		DuplicateOf: valuesOf(payload["duplicate_of"], (*qdrant.Value).GetIntegerValue), LinkedTo: valuesOf(payload["linked_to"], (*qdrant.Value).GetIntegerValue),
		Closed: payload["closed"].GetBoolValue(), Author: text("author"), AuthorName: text("author_name"), License: text("license"), ContentHash: text("content_hash"),
	}
	if created, err := time.Parse(dateFormat, text("creation_date")); err == nil {
		p.CreationDate = created.UnixMilli()
	}
	return p
}

func valuesOf[T any](list *qdrant.Value, of func(*qdrant.Value) T) []T {
	values := make([]T, len(list.GetListValue().GetValues()))
	for i, v := range list.GetListValue().GetValues() {
		values[i] = of(v)
	}
	return values
}
