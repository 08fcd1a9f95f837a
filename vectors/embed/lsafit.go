package embed

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
)

// LSAOptions says how to fit a model. The zero value works.
type LSAOptions struct {
	Dims       int    // length of the vectors; 0 means 256
	Terms      int    // largest size of the vocabulary; 0 means 30,000
	Seed       uint64 // of the random start
	Iterations int    // of the subspace; 0 means 2
}

// Bounds on the options, and on what a model file may say.
const (
	maxDims  = 1<<16 - 1 // the longest vector Qdrant takes
	maxTerms = 1 << 24
)

func (o *LSAOptions) complete() error {
	o.Dims = cmp.Or(o.Dims, 256)
	o.Terms = cmp.Or(o.Terms, 30_000)
	o.Iterations = cmp.Or(o.Iterations, 2)
	if o.Dims < 1 || o.Dims > maxDims || o.Terms < 1 || o.Terms > maxTerms || o.Iterations < 1 {
		return fmt.Errorf("fit a model of %d dimensions, %d terms, %d iterations: out of range", o.Dims, o.Terms, o.Iterations)
	}
	return nil
}

// FitLSA fits a model on texts, which the caller has sampled: all their terms are held in memory, about 10 bytes
// for each distinct term of a text. The same texts, in the same order, give the same model on one processor
// architecture, for any number of processors.
func FitLSA(ctx context.Context, texts iter.Seq[string], o LSAOptions) (*LSA, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	c := corpus{ids: make(map[string]int32), ptr: []int{0}}
	m := newLSA(o.Dims)
	var t tally
	for text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list, _ := t.of(&m.words, text)
		c.add(list)
	}
	kept := c.vocabulary(o.Terms)
	m.setTerms(c.stems(kept))
	m.idf = c.idf(kept)
	docs, matrix := c.docs(), c.matrix(kept, m.idf)
	c = corpus{} // its names are not needed, and the next step takes memory
	v, k, err := rightSingular(ctx, matrix, o.Dims, o.Iterations, o.Seed)
	if err != nil {
		return nil, fmt.Errorf("fit a model on %d texts: %w", docs, err)
	}
	m.matrix = widen(v, k, len(kept), o.Dims)
	m.sum = m.checksum()
	return m, nil
}

// corpus holds the terms of the texts that a model is fitted on. Terms are numbered in the order they come up.
type corpus struct {
	ids   map[string]int32
	names []string
	df    []int32 // how many texts a term stands in
	ptr   []int   // text i has terms[ptr[i]:ptr[i+1]], each counts[...] times
	terms []int32
	tf    []float32 // 1 + ln of how often the term stands in the text
}

func (c *corpus) docs() int { return len(c.ptr) - 1 }

func (c *corpus) add(list []count) {
	for _, x := range list {
		id, ok := c.ids[x.w.stem]
		if !ok {
			id = int32(len(c.names))
			c.ids[x.w.stem] = id
			c.names = append(c.names, x.w.stem)
			c.df = append(c.df, 0)
		}
		c.df[id]++
		c.terms = append(c.terms, id)
		c.tf = append(c.tf, sublinear(x.n))
	}
	c.ptr = append(c.ptr, len(c.terms))
}

// vocabulary returns the terms to keep, by ascending name: those in most texts, and none that is in only one,
// which says nothing of what goes together (but with under 100 texts there is little else), or very long.
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

func (c *corpus) stems(kept []int32) []string {
	out := make([]string, len(kept))
	for i, id := range kept {
		out[i] = c.names[id]
	}
	return out
}

// idf returns ln((1 + texts) / (1 + df)) + 1 for each term: scikit-learn's smooth form, never zero.
func (c *corpus) idf(kept []int32) []float32 {
	out := make([]float32, len(kept))
	for i, id := range kept {
		out[i] = float32(math.Log(float64(1+c.docs())/float64(1+c.df[id])) + 1)
	}
	return out
}

// matrix returns the tf-idf of the terms kept, a row of unit length for each text. It is made where the corpus was,
// which is of no use any more.
func (c *corpus) matrix(kept []int32, idf []float32) *sparse {
	column := make([]int32, len(c.names))
	for i := range column {
		column[i] = -1
	}
	for i, id := range kept {
		column[id] = int32(i)
	}
	n, from := 0, 0
	for d := range c.docs() {
		start, end := n, c.ptr[d+1]
		for ; from < end; from++ {
			if j := column[c.terms[from]]; j >= 0 {
				c.terms[n], c.tf[n] = j, c.tf[from]*idf[j]
				n++
			}
		}
		normalise(c.tf[start:n])
		c.ptr[d+1] = n
	}
	return &sparse{cols: len(kept), ptr: c.ptr, col: c.terms[:n], val: c.tf[:n]}
}

// sublinear is the weight of a term that stands n times in a text.
func sublinear(n int32) float32 {
	if n == 1 {
		return 1
	}
	return float32(1 + math.Log(float64(n)))
}

// widen makes the k columns of v's rows dims long, by zeros.
func widen(v []float32, k, rows, dims int) []float32 {
	if k == dims {
		return v
	}
	out := make([]float32, rows*dims)
	for i := 0; k > 0 && i < rows; i++ {
		copy(out[i*dims:], v[i*k:(i+1)*k])
	}
	return out
}
