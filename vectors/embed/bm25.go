package embed

import (
	"cmp"
	"context"
	"strings"
)

// The parameters of BM25 as Qdrant's model has them. The average length is fixed, so that a vector depends on its text
// alone.
const (
	bm25K         = 1.2
	bm25B         = 0.75
	bm25AvgLength = 256
)

// BM25 weights terms as Qdrant's model qdrant/bm25 does with its default options, so that any client of Qdrant can make
// queries for its vectors. A term that occurs tf times among the n words of a document has the weight
//
//	tf (k + 1) / (tf + k (1 - b + b n / 256)),  k = 1.2, b = 0.75
//
// A term of a query has the weight 1; the collection's modifier idf supplies the rest. An index is the absolute value of
// murmur3 of the stem. Where two stems of a text have the same index, Qdrant keeps the weight of either, in no certain
// order; BM25 keeps the greater one.
//
// A BM25 is safe for concurrent use.
type BM25 struct{ analyzer analyzer }

// NewBM25 returns an embedder of English texts with an empty cache of stems.
func NewBM25() *BM25 { return &BM25{} }

// OpenBM25 returns an embedder of texts in a language. Errors are those of [ParseLanguage].
func OpenBM25(language string) (*BM25, error) {
	b := &BM25{}
	var err error
	b.analyzer.lexicon.language, err = ParseLanguage(language)
	return b, err
}

// OpenBM25Model returns the embedder whose method Model returns the name; false if that is the name of another model.
func OpenBM25Model(model string) (*BM25, bool) {
	if model == bm25Model {
		return NewBM25(), true
	}
	language, ok := strings.CutPrefix(model, bm25LanguageQuery)
	if _, known := languageTable[Language(language)]; !ok || !known {
		return nil, false
	}
	b := &BM25{}
	b.analyzer.lexicon.language = Language(language)
	return b, true
}

// Model returns the name by which Qdrant's clients request the same weights, for texts in another language than English with
// the option of that name: qdrant/bm25?language=spanish.
func (b *BM25) Model() string {
	if l := b.Language(); l != English {
		return bm25LanguageQuery + string(l)
	}
	return bm25Model
}

// Language returns the language of the texts.
func (b *BM25) Language() Language { return cmp.Or(b.analyzer.lexicon.language, English) }

// IDF returns true: the weights are of term frequencies alone.
func (b *BM25) IDF() bool { return true }

// Documents returns the weights of each text's terms. A text without terms has an empty vector.
func (b *BM25) Documents(ctx context.Context, texts []string) ([]SparseVector, error) {
	out := make([]SparseVector, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.analyzer.count(text, func(terms []termCount, words int) { out[i] = termWeights(terms, words, documentWeight) })
	}
	return out, nil
}

// Query returns weight 1 for each distinct term of text.
func (b *BM25) Query(ctx context.Context, text string) (v SparseVector, err error) {
	b.analyzer.count(text, func(terms []termCount, words int) {
		v = termWeights(terms, words, func(int, int) float32 { return 1 })
	})
	return v, ctx.Err()
}

// documentWeight returns the weight of a term that occurs tf times in a document of so many words.
func documentWeight(tf, words int) float32 {
	length := 1 - bm25B + bm25B*float64(words)/bm25AvgLength
	return float32(float64(tf) * (bm25K + 1) / (float64(tf) + bm25K*length))
}

// termWeights returns the vector of the terms of a text.
func termWeights(terms []termCount, words int, weight func(tf, words int) float32) SparseVector {
	v := SparseVector{Indices: make([]uint32, 0, len(terms)), Values: make([]float32, 0, len(terms))}
	for _, t := range terms {
		x := weight(int(t.n), words)
		if last := len(v.Indices) - 1; last >= 0 && v.Indices[last] == t.word.id {
			v.Values[last] = max(v.Values[last], x)
			continue
		}
		v.Indices = append(v.Indices, t.word.id)
		v.Values = append(v.Values, x)
	}
	return v
}
