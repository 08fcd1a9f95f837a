package embed

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
)

// How [FitLSA] fits a model.
const (
	defaultDims    = 256
	vocabularySize = 30_000
	maxTermLen     = 64 // bytes
	fitIterations  = 2  // of the subspace
	fitSeed        = 0  // of the subspace's random start
)

// FitLSA fits a model of dims dimensions, 256 where dims is 0, on texts in a language, which the caller has sampled: it holds all their
// terms in memory, about 10 bytes for each distinct term of a text. The same texts, in the same order, give the same
// model on one processor architecture, for any number of processors.
func FitLSA(ctx context.Context, language Language, texts iter.Seq[string], dims int) (*LSA, error) {
	dims = cmp.Or(dims, defaultDims)
	if dims < 1 || dims > maxDims {
		return nil, fmt.Errorf("fit a model of %d dimensions: out of range", dims)
	}
	m := &LSA{dims: dims}
	m.analyzer.lexicon.language = language
	c := newCorpus()
	for text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.analyzer.count(text, func(terms []termCount, _ int) { c.addText(terms) })
	}
	vocabulary := c.vocabulary(vocabularySize)
	m.setTerms(c.stems(vocabulary))
	m.idf = c.idf(vocabulary)
	docs, matrix := c.docs(), c.matrix(vocabulary, m.idf)
	c = nil // the next step needs the memory
	v, k, err := rightSingularVectors(ctx, matrix, dims, fitIterations, fitSeed)
	if err != nil {
		return nil, fmt.Errorf("fit a model on %d texts: %w", docs, err)
	}
	m.matrix = v
	if k < dims { // pad the rows with zeros
		m.matrix = make([]float32, len(vocabulary)*dims)
		for i := 0; k > 0 && i < len(vocabulary); i++ {
			copy(m.matrix[i*dims:], v[i*k:(i+1)*k])
		}
	}
	m.setSum()
	return m, nil
}

// corpus holds the terms of the texts that a model is fitted on. Terms are numbered in the order of their first
// occurrence.
type corpus struct {
	ids   map[string]int32
	names []string
	df    []int32   // number of texts that have the term
	ptr   []int     // text i has the terms terms[ptr[i]:ptr[i+1]]
	terms []int32   // ids
	tf    []float32 // of each of terms: 1 + ln of its count in the text
}

func newCorpus() *corpus { return &corpus{ids: make(map[string]int32), ptr: []int{0}} }

func (c *corpus) docs() int { return len(c.ptr) - 1 }

func (c *corpus) addText(terms []termCount) {
	for _, t := range terms {
		id, ok := c.ids[t.word.stem]
		if !ok {
			id = int32(len(c.names))
			c.ids[t.word.stem] = id
			c.names = append(c.names, t.word.stem)
			c.df = append(c.df, 0)
		}
		c.df[id]++
		c.terms = append(c.terms, id)
		c.tf = append(c.tf, sublinearTF(t.n))
	}
	c.ptr = append(c.ptr, len(c.terms))
}

// vocabulary returns the ids of the size terms that most texts have, by ascending name. It omits very long terms, and
// terms of a single text, which show no relation to others; of fewer than 100 texts it keeps those.
func (c *corpus) vocabulary(size int) []int32 {
	least := int32(2)
	if c.docs() < 100 {
		least = 1
	}
	var kept []int32
	for id, df := range c.df {
		if df >= least && len(c.names[id]) <= maxTermLen {
			kept = append(kept, int32(id))
		}
	}
	slices.SortFunc(kept, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.df[b], c.df[a]), cmp.Compare(c.names[a], c.names[b]))
	})
	kept = kept[:min(size, len(kept))]
	slices.SortFunc(kept, func(a, b int32) int { return cmp.Compare(c.names[a], c.names[b]) })
	return kept
}

func (c *corpus) stems(vocabulary []int32) []string {
	out := make([]string, len(vocabulary))
	for i, id := range vocabulary {
		out[i] = c.names[id]
	}
	return out
}

// idf returns ln((1 + texts) / (1 + df)) + 1 for each term: scikit-learn's smooth form, which is never zero.
func (c *corpus) idf(vocabulary []int32) []float32 {
	out := make([]float32, len(vocabulary))
	for i, id := range vocabulary {
		out[i] = float32(math.Log(float64(1+c.docs())/float64(1+c.df[id])) + 1)
	}
	return out
}

// matrix returns the tf-idf of the vocabulary's terms, a row of unit length for each text. It reuses the memory of the
// corpus, which is invalid afterwards.
func (c *corpus) matrix(vocabulary []int32, idf []float32) *csrMatrix {
	const none = -1
	column := make([]int32, len(c.names))
	for i := range column {
		column[i] = none
	}
	for i, id := range vocabulary {
		column[id] = int32(i)
	}
	n, from := 0, 0
	for d := range c.docs() {
		start, end := n, c.ptr[d+1]
		for ; from < end; from++ {
			if j := column[c.terms[from]]; j != none {
				c.terms[n], c.tf[n] = j, c.tf[from]*idf[j]
				n++
			}
		}
		normalise(c.tf[start:n])
		c.ptr[d+1] = n
	}
	return &csrMatrix{cols: len(vocabulary), ptr: c.ptr, col: c.terms[:n], val: c.tf[:n]}
}

// sublinearTF returns the weight of a term that occurs n times in a text.
func sublinearTF(n int32) float32 {
	if n == 1 {
		return 1
	}
	return float32(1 + math.Log(float64(n)))
}
