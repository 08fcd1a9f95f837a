package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/timestamppb"

	"s2g/schema"
	"s2g/vectors/search"
	"s2g/vectors/shard"
)

// The numbers of chunks that a search requests of each collection by each vector:
// fetchPerQuestion for each question, because the best chunks may belong to few questions,
// from fetchLeast on. It requests more as long as too few questions are found and fetchMost
// is not reached.
const (
	fetchPerQuestion = 10
	fetchLeast       = 50
	fetchMost        = 10_000
)

// The numbers of collections that are searched at a time, and of questions that are read at
// a time where the server cannot apply the whole filter.
const (
	searchedTogether = 8
	readTogether     = 50
)

// rankConstant is the k of reciprocal rank fusion, as the server's default.
const rankConstant = 2

// Finder searches collections, or the collections of aliases; see [Server.Search].
func (s *Server) Finder(collections []string) search.Finder {
	return func(ctx context.Context, q *search.Query, n int, f search.Filter) ([]search.Found, error) {
		return s.Search(ctx, collections, q, n, f)
	}
}

// Search finds the top questions of collections that pass a filter and match a query best.
// The server finds chunks by each vector. The client fuses the two lists by their ranks
// (weighted reciprocal rank fusion), ranks the questions, and orders equal scores by id,
// because the server's order of equal scores is random.
//
// Several collections are searched as one: sparse scores have the inverse document
// frequencies of all of them, and each list has the chunks of all of them. A post of two
// collections is one, that of the first; in the frequencies it counts as two.
func (s *Server) Search(ctx context.Context, collections []string, q *search.Query, top int, f search.Filter) ([]search.Found, error) {
	if len(q.Dense) == 0 && len(q.Sparse.Indices) == 0 {
		return nil, nil
	}
	x := &searcher{Server: s, collections: collections, query: q, filter: f}
	if err := x.readTermWeights(ctx); err != nil {
		return nil, err
	}
	for n := max(fetchLeast, fetchPerQuestion*top); ; n *= 4 {
		all, more, err := x.candidates(ctx, n)
		if err != nil {
			return nil, err
		}
		found, err := x.pick(ctx, all, top)
		if err != nil || len(found) == top || !more || n >= fetchMost {
			return found, err
		}
	}
}

// searcher is one search of a server.
type searcher struct {
	*Server
	collections []string
	query       *search.Query
	filter      search.Filter
	terms       []float64 // weights of the query's terms, inverse document frequencies included
}

// each calls do for each collection, several at a time.
func (x *searcher) each(ctx context.Context, do func(ctx context.Context, i int, collection string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(searchedTogether)
	for i, collection := range x.collections {
		group.Go(func() error { return do(ctx, i, collection) })
	}
	return group.Wait()
}

// batch sends queries to a collection, and returns the points of each.
func (x *searcher) batch(ctx context.Context, collection string, queries []*qdrant.QueryPoints) ([]*qdrant.BatchResult, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	results, err := call(ctx, x.Server, "searching "+collection, func(ctx context.Context) ([]*qdrant.BatchResult, error) {
		return x.client.QueryBatch(ctx, &qdrant.QueryBatchPoints{CollectionName: collection, QueryPoints: queries})
	})
	if err == nil && len(results) != len(queries) {
		err = schema.Faultf(schema.FaultService, "see the server's log", "%s: searching %s: %d results of %d queries", x.Address, collection, len(results), len(queries))
	}
	return results, err
}

// readTermWeights sets the weights of the query's terms. Where the collections have the
// modifier idf, it computes the documents of each term from the score of one of them: the
// server multiplies the weight of the term in a point by the inverse document frequency.
func (x *searcher) readTermWeights(ctx context.Context) error {
	sparse := x.query.Sparse
	documents, points := make([]float64, len(sparse.Indices)), int64(0)
	if x.query.IDF && len(sparse.Indices) > 0 {
		var mu sync.Mutex
		err := x.each(ctx, func(ctx context.Context, _ int, collection string) error {
			count, err := x.countSparse(ctx, collection)
			if err != nil {
				return err
			}
			queries := make([]*qdrant.QueryPoints, len(sparse.Indices))
			for t, index := range sparse.Indices {
				queries[t] = &qdrant.QueryPoints{
					CollectionName: collection, Limit: new(uint64(1)), Query: qdrant.NewQuerySparse([]uint32{index}, []float32{1}), Using: new(sparseVector),
					WithPayload: qdrant.NewWithPayload(false), WithVectors: qdrant.NewWithVectorsInclude(sparseVector),
				}
			}
			results, err := x.batch(ctx, collection, queries)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			points += count
			for t, r := range results {
				for _, p := range r.GetResult() {
					if weight := weightOf(p.GetVectors(), sparse.Indices[t]); weight > 0 {
						documents[t] += search.DocumentsOf(count, float64(p.GetScore())/float64(weight))
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for t, value := range sparse.Values {
		weight := float64(value)
		if x.query.IDF {
			weight *= search.IDF(float64(points), documents[t])
		}
		x.terms = append(x.terms, weight)
	}
	x.query.SetTermWeights(x.terms)
	return nil
}

// countSparse returns the number of points with a sparse vector, which the server's idf counts.
func (x *searcher) countSparse(ctx context.Context, collection string) (int64, error) {
	filter := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewHasVector(sparseVector)}}
	n, err := call(ctx, x.Server, "counting "+collection, func(ctx context.Context) (uint64, error) {
		return x.client.Count(ctx, &qdrant.CountPoints{CollectionName: collection, Exact: new(true), Filter: filter})
	})
	return int64(n), err
}

// chunk is a point that a search has found.
type chunk struct {
	collection int
	point      uint64
	question   int64
	cosine     *float32 // nil: not in the list by the dense vector
	product    *float64 // nil: not in the list by the sparse vector
}

// candidates returns the questions of the union of the n best chunks by each vector of each
// collection, the best first, and whether a collection has more chunks.
func (x *searcher) candidates(ctx context.Context, n int) (all []search.Ranked, more bool, err error) {
	results := make([][]*qdrant.BatchResult, len(x.collections))
	var queries []*qdrant.QueryPoints
	add := func(query *qdrant.Query, using string, vectors *qdrant.WithVectorsSelector) {
		queries = append(queries, &qdrant.QueryPoints{
			Limit: new(uint64(n)), Query: query, Using: &using, Filter: serverFilter(x.filter), WithVectors: vectors,
			WithPayload: qdrant.NewWithPayloadInclude("question_id"),
		})
	}
	hasDense, sparse := len(x.query.Dense) > 0, x.query.Sparse
	if hasDense {
		add(qdrant.NewQueryDense(x.query.Dense), denseVector, qdrant.NewWithVectors(false))
	}
	if len(sparse.Indices) > 0 {
		add(qdrant.NewQuerySparse(sparse.Indices, sparse.Values), sparseVector, qdrant.NewWithVectorsInclude(sparseVector))
	}
	err = x.each(ctx, func(ctx context.Context, i int, collection string) (err error) {
		named := make([]*qdrant.QueryPoints, len(queries))
		for k, query := range queries {
			named[k] = &qdrant.QueryPoints{
				CollectionName: collection, Limit: query.Limit, Query: query.Query, Using: query.Using, Filter: query.Filter,
				WithVectors: query.WithVectors, WithPayload: query.WithPayload,
			}
		}
		results[i], err = x.batch(ctx, collection, named)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	chunks := map[uint64]*chunk{}
	for i, lists := range results {
		for k, list := range lists {
			more = more || len(list.GetResult()) >= n
			for _, p := range list.GetResult() {
				id := p.GetId().GetNum()
				c := chunks[id]
				if c == nil {
					c = &chunk{collection: i, point: id, question: p.GetPayload()["question_id"].GetIntegerValue()}
					chunks[id] = c
				}
				if hasDense && k == 0 {
					c.cosine = new(p.GetScore())
				} else {
					c.product = new(x.product(p.GetVectors()))
				}
			}
		}
	}
	return x.fuse(chunks, n), more, nil
}

// fuse ranks the questions of chunks by weighted reciprocal rank fusion: a chunk has, for
// each of the two lists, which are cut to n, the list's weight divided by rankConstant and its
// place, from 0, which equal chunks share. At is the collection of the best chunk.
func (x *searcher) fuse(chunks map[uint64]*chunk, n int) []search.Ranked {
	scores := map[*chunk]float64{}
	var list []*chunk
	add := func(weight float64, in func(*chunk) bool, compare func(a, b *chunk) int) {
		list = list[:0]
		for _, c := range chunks {
			if in(c) {
				list = append(list, c)
			}
		}
		slices.SortFunc(list, func(a, b *chunk) int { return cmp.Or(compare(b, a), cmp.Compare(a.point, b.point)) })
		place := 0
		for i, c := range list[:min(n, len(list))] {
			if i > 0 && compare(list[i-1], c) != 0 {
				place = i
			}
			scores[c] += weight / float64(rankConstant+place)
		}
	}
	weight := x.query.Weight
	if len(x.query.Sparse.Indices) == 0 {
		weight = 1
	}
	add(weight, func(c *chunk) bool { return c.cosine != nil }, func(a, b *chunk) int { return cmp.Compare(*a.cosine, *b.cosine) })
	add(1-weight, func(c *chunk) bool { return c.product != nil }, func(a, b *chunk) int { return cmp.Compare(*a.product, *b.product) })
	return search.Top(len(chunks), func(yield func(search.Ranked) bool) {
		for c, score := range scores {
			if !yield(search.Ranked{Question: c.question, Point: c.point, At: c.collection, Score: score}) {
				return
			}
		}
	})
}

// pick reads the best questions and returns the top of those that pass the filter.
func (x *searcher) pick(ctx context.Context, all []search.Ranked, top int) (found []search.Found, err error) {
	each := top
	if !isZero(x.filter) {
		each = max(top, readTogether)
	}
	for some := range slices.Chunk(all, each) {
		list, err := x.read(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			keep := x.filter.Keeps(f.Question)
			if keep && x.filter.HasCode {
				if keep, err = x.hasCode(ctx, f.Match, all); err != nil {
					return nil, err
				}
			}
			if keep {
				if found = append(found, f); len(found) == top {
					return found, nil
				}
			}
		}
	}
	return found, nil
}

// read reads the points of ranked questions, and the questions of those that are answers.
func (x *searcher) read(ctx context.Context, list []search.Ranked) ([]search.Found, error) {
	points, err := x.fetch(ctx, list)
	if err != nil {
		return nil, err
	}
	found := make([]search.Found, len(list))
	var answered []search.Ranked
	for i, r := range list {
		p := points[r.Point]
		if p == nil {
			return nil, fmt.Errorf("%s has the point %d no longer", x.collections[r.At], r.Point)
		}
		row, err := rowOf(r.Point, p.GetPayload())
		if err != nil {
			return nil, err
		}
		cosine := 0.0
		for k, value := range p.GetVectors().GetVectors().GetVectors()[denseVector].GetDenseVector().GetData() {
			if k < len(x.query.Dense) {
				cosine += float64(value) * float64(x.query.Dense[k])
			}
		}
		found[i] = search.Found{Question: row, Match: row, Score: r.Score, Strength: x.query.Strength(x.product(p.GetVectors()), x.terms, cosine)}
		if row.QuestionID != row.PostID {
			answered = append(answered, search.Ranked{At: r.At, Point: shard.PointID(row.QuestionID, 0)})
		}
	}
	questions, err := x.fetch(ctx, answered)
	if err != nil {
		return nil, err
	}
	for i, f := range found {
		if f.Match.QuestionID == f.Match.PostID {
			continue
		}
		id := shard.PointID(f.Match.QuestionID, 0)
		p := questions[id]
		if p == nil {
			return nil, fmt.Errorf("%s has the answer %d and not its question %d", x.collections[list[i].At], f.Match.PostID, f.Match.QuestionID)
		}
		if found[i].Question, err = rowOf(id, p.GetPayload()); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// fetch reads the points of ranked questions from their collections.
func (x *searcher) fetch(ctx context.Context, list []search.Ranked) (map[uint64]*qdrant.RetrievedPoint, error) {
	ids := map[int][]uint64{}
	for _, r := range list {
		ids[r.At] = append(ids[r.At], r.Point)
	}
	all := map[uint64]*qdrant.RetrievedPoint{}
	for i, some := range ids {
		points, err := x.Fetch(ctx, x.collections[i], some)
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			all[p.GetId().GetNum()] = p
		}
	}
	return all, nil
}

// hasCode reports whether a chunk of the post that matched has a block of code.
func (x *searcher) hasCode(ctx context.Context, match *shard.Point, all []search.Ranked) (bool, error) {
	if search.HasCodeBlock(match.Text) {
		return true, nil
	}
	at := slices.IndexFunc(all, func(r search.Ranked) bool { return r.Point == match.PointID })
	var others []search.Ranked
	for c := range min(match.Chunks, 1<<shard.ChunkBits) {
		if c != match.Chunk {
			others = append(others, search.Ranked{At: all[at].At, Point: shard.PointID(match.PostID, int(c))})
		}
	}
	points, err := x.fetch(ctx, others)
	for _, p := range points {
		if search.HasCodeBlock(p.GetPayload()["text"].GetStringValue()) {
			return true, nil
		}
	}
	return false, err
}

// product returns the product of a point's sparse vector and the query's.
func (x *searcher) product(v *qdrant.VectorsOutput) (product float64) {
	for t, index := range x.query.Sparse.Indices {
		product += x.terms[t] * float64(weightOf(v, index))
	}
	return product
}

// weightOf returns the weight of a term in a point's sparse vector, or 0.
func weightOf(v *qdrant.VectorsOutput, index uint32) float32 {
	sparse := v.GetVectors().GetVectors()[sparseVector].GetSparseVector()
	if at, ok := slices.BinarySearch(sparse.GetIndices(), index); ok && at < len(sparse.GetValues()) {
		return sparse.GetValues()[at]
	}
	return 0
}

func isZero(f search.Filter) bool {
	return len(f.Tags) == 0 && f.MinScore == nil && f.Since.IsZero() && !f.Accepted && !f.HasCode
}

// serverFilter returns the part of a filter that the server applies, nil where it has none.
// The title and the tags of an answer are its question's; the other columns are its own, so
// the server passes answers, whose questions pick checks.
func serverFilter(f search.Filter) *qdrant.Filter {
	var tags, own []*qdrant.Condition
	for _, tag := range f.Tags {
		tags = append(tags, qdrant.NewMatchKeyword("tags", tag))
	}
	if f.MinScore != nil {
		own = append(own, qdrant.NewRange("score", &qdrant.Range{Gte: new(float64(*f.MinScore))}))
	}
	if !f.Since.IsZero() {
		own = append(own, qdrant.NewDatetimeRange("creation_date", &qdrant.DatetimeRange{Gte: timestamppb.New(f.Since)}))
	}
	if f.Accepted {
		own = append(own, qdrant.NewMatchBool("has_accepted_answer", true))
	}
	if len(own) > 0 {
		question := qdrant.NewFilterAsCondition(&qdrant.Filter{Must: own})
		tags = append(tags, qdrant.NewFilterAsCondition(&qdrant.Filter{Should: []*qdrant.Condition{qdrant.NewMatchKeyword("type", "answer"), question}}))
	}
	if len(tags) == 0 {
		return nil
	}
	return &qdrant.Filter{Must: tags}
}
