package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"s2g/vectors/shard"
)

// Query is what is looked for: vectors by the models that the points are of.
type Query struct {
	Dense    []float32 // empty: terms alone count
	Indices  []uint32  // of the sparse vector; empty: the dense one alone counts
	Values   []float32
	Weight   float64 // of the dense vector's ranks, the sparse one's having the rest; 0: one half
	Top      int     // questions; 0: 5
	Accepted bool    // only questions with an accepted answer
}

// Found is a question, by its best chunk or that of an answer to it.
type Found struct {
	Question, Match *shard.Point // without vectors
	Score           float64      // of the fusion; it compares within a search alone
}

// fetchFor is how many chunks are fetched by each vector for a question that is wanted,
// and fetchLeast how many at least: a question may have many chunks among the best.
const (
	fetchFor   = 10
	fetchLeast = 50
	fetchMost  = 10_000
)

// Search finds the questions of a collection, or of what an alias leads to, that fit a
// query best. The server finds chunks by each vector and fuses the two lists by their
// ranks (reciprocal rank fusion, weighted, which servers have since 1.17). The chunks are put together to questions here, and
// equal scores ordered by id: the server orders equal scores at random, and groups of a
// fusion differ from call to call (1.18.3).
func (s *Server) Search(ctx context.Context, collection string, q Query) ([]Found, error) {
	top := cmp.Or(max(0, q.Top), 5)
	for n := max(fetchLeast, fetchFor*top); ; n *= 4 {
		chunks, err := s.chunks(ctx, collection, q, uint64(n))
		if err != nil {
			return nil, err
		}
		best := byQuestion(chunks)
		if len(best) < top && len(chunks) >= n && n < fetchMost {
			continue // a few questions have all the chunks
		}
		best = best[:min(top, len(best))]
		return best, s.addQuestions(ctx, collection, best)
	}
}

// chunks asks for the best n by each vector.
func (s *Server) chunks(ctx context.Context, collection string, q Query, n uint64) ([]*qdrant.ScoredPoint, error) {
	request := &qdrant.QueryPoints{CollectionName: collection, Limit: &n, WithPayload: qdrant.NewWithPayload(true)}
	if q.Accepted {
		request.Filter = &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchBool("has_accepted_answer", true)}}
	}
	var parts []*qdrant.PrefetchQuery
	if len(q.Dense) > 0 {
		parts = append(parts, &qdrant.PrefetchQuery{Query: qdrant.NewQueryDense(q.Dense), Using: new(DenseVector), Limit: &n, Filter: request.Filter})
	}
	if len(q.Indices) > 0 {
		parts = append(parts, &qdrant.PrefetchQuery{Query: qdrant.NewQuerySparse(q.Indices, q.Values), Using: new(SparseVector), Limit: &n, Filter: request.Filter})
	}
	switch len(parts) {
	case 0:
		return nil, nil
	case 1:
		request.Query, request.Using = parts[0].Query, parts[0].Using
	default:
		both := 2 * n // all that either has found: what is cut off would be by chance
		weight := float32(cmp.Or(q.Weight, 0.5))
		request.Prefetch, request.Query, request.Limit = parts, qdrant.NewQueryRRF(&qdrant.Rrf{Weights: []float32{weight, 1 - weight}}), &both
	}
	return call(ctx, s, "searching "+collection, func(ctx context.Context) ([]*qdrant.ScoredPoint, error) {
		return s.client.Query(ctx, request)
	})
}

// byQuestion puts chunks together to questions, each by its best one.
func byQuestion(chunks []*qdrant.ScoredPoint) []Found {
	var all []Found
	for _, c := range chunks {
		all = append(all, Found{Match: rowOf(c.GetId().GetNum(), c.GetPayload()), Score: float64(c.GetScore())})
	}
	slices.SortFunc(all, func(x, y Found) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Match.QuestionID, y.Match.QuestionID), cmp.Compare(x.Match.PointID, y.Match.PointID))
	})
	seen := map[int64]bool{}
	return slices.DeleteFunc(all, func(f Found) bool {
		known := seen[f.Match.QuestionID]
		seen[f.Match.QuestionID] = true
		return known
	})
}

// addQuestions reads the questions of the answers that were found.
func (s *Server) addQuestions(ctx context.Context, collection string, list []Found) error {
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
