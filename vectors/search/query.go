package search

import (
	"context"
	"fmt"

	"s2g/vectors/embed"
)

// Query is what is searched for: a text and its vectors.
type Query struct {
	Dense  []float32 // nil: no term of the query is in the embedder's vocabulary, or dense scores have no weight
	Sparse embed.SparseVector
	IDF    bool    // the sparse weights are multiplied by inverse document frequencies
	Weight float64 // of the dense score in a fused score, from 0 to 1; 0 where Dense is nil

	// The terms of the text for snippets, whatever the sparse embedder is.
	bm25  *embed.BM25
	terms []uint32           // ascending
	worth map[uint32]float64 // by term
}

// newQuery embeds the text of a query.
func newQuery(ctx context.Context, p *embed.Pair, text string) (*Query, error) {
	q := &Query{IDF: p.Sparse.IDF(), Weight: p.Weight, bm25: embed.NewBM25(), worth: map[uint32]float64{}}
	var err error
	if q.Sparse, err = p.Sparse.Query(ctx, text); err != nil {
		return nil, fmt.Errorf("sparse vector of the query: %w", err)
	}
	if q.Dense, err = p.DenseQuery(ctx, text); err != nil {
		return nil, err
	}
	if q.Dense == nil {
		q.Weight = 0
	}
	terms, err := q.bm25.Query(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("terms of the query: %w", err)
	}
	q.terms = terms.Indices
	for _, t := range q.terms {
		q.worth[t] = 1
	}
	return q, nil
}

// setWorth makes the weights of the sparse vector's terms decide what a snippet shows.
func (q *Query) setWorth(weights []float64) {
	for i, t := range q.Sparse.Indices {
		if _, ok := q.worth[t]; ok {
			q.worth[t] = weights[i]
		}
	}
}
