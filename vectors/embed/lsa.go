package embed

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// LSA is a fitted model of latent semantic analysis (Deerwester et al., Indexing by latent semantic analysis,
// JASIS 41, 1990): a text's tf-idf, over the terms that BM25 has, projected on the directions in which the
// texts that it was fitted on differ most. A text has weight (1 + ln tf) idf for a term.
//
// Vectors have unit length and always the dimension asked for: a model fitted on fewer texts, or fewer terms,
// than dimensions has zeros in the last ones, so that the shape of what is built depends on the options alone.
// A text without a known term gets the first axis, and is counted.
//
// An LSA is safe for concurrent use.
type LSA struct {
	dims   int
	terms  []string // ascending
	idf    []float32
	matrix []float32 // a row of dims for each term
	sum    [32]byte  // SHA-256 of all that the model file holds

	index   map[string]int32 // of terms
	words   lexicon
	tallies sync.Pool
	unknown atomic.Int64
}

func newLSA(dims int) *LSA {
	return &LSA{dims: dims, tallies: sync.Pool{New: func() any { return new(tally) }}}
}

func (m *LSA) setTerms(terms []string) {
	m.terms, m.index = terms, make(map[string]int32, len(terms))
	for i, t := range terms {
		m.index[t] = int32(i)
	}
}

// Model returns a name with a hash of the fitted model: two models fitted on different texts differ by name.
func (m *LSA) Model() string {
	return fmt.Sprintf("builtin/lsa-%d-%s", m.dims, hex.EncodeToString(m.sum[:8]))
}

// Dim returns the length of the vectors.
func (m *LSA) Dim() int { return m.dims }

// Terms returns the size of the vocabulary.
func (m *LSA) Terms() int { return len(m.terms) }

// Unknown returns how many documents so far had no known term.
func (m *LSA) Unknown() int64 { return m.unknown.Load() }

// Documents returns the vectors of texts.
func (m *LSA) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, known := m.vector(text)
		if !known {
			m.unknown.Add(1)
		}
		out[i] = v
	}
	return out, nil
}

// Query returns the vector of text, the same that it has as a document.
func (m *LSA) Query(ctx context.Context, text string) ([]float32, error) {
	v, _ := m.vector(text)
	return v, ctx.Err()
}

func (m *LSA) vector(text string) (v []float32, known bool) {
	t := m.tallies.Get().(*tally)
	list, _ := t.of(&m.words, text)
	v, known = m.project(list)
	if t.keepable() {
		m.tallies.Put(t)
	}
	return v, known
}

// project makes a vector of the terms of a text, which come in the order of their ids: the sum depends on it.
func (m *LSA) project(list []count) (v []float32, known bool) {
	v = make([]float32, m.dims)
	for _, c := range list {
		if i, ok := m.index[c.w.stem]; ok {
			axpy(sublinear(c.n)*m.idf[i], m.matrix[int(i)*m.dims:(int(i)+1)*m.dims], v)
		}
	}
	if known = normalise(v); !known {
		v[0] = 1
	}
	return v, known
}

// normalise gives v unit length, and says whether it could: the zero vector stays as it is.
func normalise(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}
