package embed

import (
	"context"
	"sync"
)

// The parameters of BM25 as Qdrant's model has them. The average length is fixed, so that a vector depends on
// its text alone.
const (
	bm25K         = 1.2
	bm25B         = 0.75
	bm25AvgLength = 256
)

// BM25 weights terms as Qdrant's own model qdrant/bm25 does with its default options, so that any client of
// Qdrant can make queries for what it has embedded. A document's weight for a term that stands tf times among
// its n words is
//
//	tf (k + 1) / (tf + k (1 - b + b n / 256)),  k = 1.2, b = 0.75
//
// and a query's is 1; the collection's modifier idf supplies the rest. An index is the absolute value of
// murmur3 of the stem. Where two stems of a text have one index, Qdrant keeps the weight of either, in no
// certain order; here it is the greater one.
//
// A BM25 is safe for concurrent use.
type BM25 struct {
	words   lexicon
	tallies sync.Pool
}

// NewBM25 returns an embedder with an empty cache of stems.
func NewBM25() *BM25 {
	return &BM25{tallies: sync.Pool{New: func() any { return new(tally) }}}
}

// Model returns the name by which Qdrant's clients ask for the same weights.
func (b *BM25) Model() string { return "qdrant/bm25" }

// IDF is true: the weights are of term frequencies alone.
func (b *BM25) IDF() bool { return true }

// Documents returns the weights of each text's terms. A text without terms has an empty vector.
func (b *BM25) Documents(ctx context.Context, texts []string) ([]SparseVector, error) {
	out := make([]SparseVector, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = b.vector(text, documentWeight)
	}
	return out, nil
}

// documentWeight is the weight of a term that stands tf times among so many words.
func documentWeight(tf, words int) float32 {
	length := 1 - bm25B + bm25B*float64(words)/bm25AvgLength
	return float32(float64(tf) * (bm25K + 1) / (float64(tf) + bm25K*length))
}

// Query returns weight 1 for each distinct term of text.
func (b *BM25) Query(ctx context.Context, text string) (SparseVector, error) {
	return b.vector(text, func(int, int) float32 { return 1 }), ctx.Err()
}

func (b *BM25) vector(text string, weight func(tf, words int) float32) SparseVector {
	t := b.tallies.Get().(*tally)
	list, words := t.of(&b.words, text)
	v := weigh(list, words, weight)
	if t.keepable() {
		b.tallies.Put(t)
	}
	return v
}

// weigh makes a vector of the terms of a text.
func weigh(list []count, words int, weight func(tf, words int) float32) SparseVector {
	v := SparseVector{Indices: make([]uint32, 0, len(list)), Values: make([]float32, 0, len(list))}
	for _, c := range list {
		x := weight(int(c.n), words)
		if last := len(v.Indices) - 1; last >= 0 && v.Indices[last] == c.w.id {
			v.Values[last] = max(v.Values[last], x)
			continue
		}
		v.Indices = append(v.Indices, c.w.id)
		v.Values = append(v.Values, x)
	}
	return v
}
