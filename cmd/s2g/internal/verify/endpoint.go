package verify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"s2g/vectors/embed"
)

// leastCosine is the cosine of two vectors that an endpoint makes of the same text, at least. Batches of other sizes
// and other processors give other last digits.
const leastCosine = 0.999

// askedTexts are the texts of a sample whose vectors endpoints make again. It is safe for concurrent use.
type askedTexts struct {
	dense  embed.Dense  // nil: builtin
	sparse embed.Sparse // nil: builtin

	mu    sync.Mutex
	texts map[string]*askedText
}

// askedText is a text with the vectors of one of its points.
type askedText struct {
	post    int64
	dense   []float32
	sparse  embed.SparseVector
	another bool // its points have different vectors
}

// openEndpoints opens the embedders of the build that are at endpoints. It returns nil where there is none.
func (v *verifier) openEndpoints(ctx context.Context, o embed.RemoteOptions) (a *askedTexts, err error) {
	a = &askedTexts{texts: map[string]*askedText{}}
	if !v.isBuiltin() {
		if a.dense, err = embed.OpenDense(ctx, v.manifest.Options.Dense, o); err != nil {
			return nil, err
		}
	}
	if v.remaker.sparse == nil {
		if a.sparse, err = embed.OpenSparse(ctx, v.manifest.Options.Sparse, o); err != nil {
			return nil, err
		}
	}
	if a.dense == nil && a.sparse == nil {
		return nil, nil
	}
	return a, nil
}

func (a *askedTexts) add(post int64, text string, dense []float32, indices []uint32, weights []float32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.texts[text]; known != nil {
		known.another = known.another || !slices.Equal(known.dense, dense) || !slices.Equal(known.sparse.Indices, indices) || !slices.Equal(known.sparse.Values, weights)
		return
	}
	a.texts[text] = &askedText{post: post, dense: slices.Clone(dense), sparse: embed.SparseVector{Indices: slices.Clone(indices), Values: slices.Clone(weights)}}
}

// compare has the endpoints make the vectors again.
func (a *askedTexts) compare(ctx context.Context, c *Check) error {
	var texts []string
	for text, t := range a.texts {
		texts = append(texts, text)
		if t.another {
			c.differ("points of post %d with the same text have different vectors", t.post)
		}
	}
	slices.Sort(texts)
	const batch = 64
	for part := range slices.Chunk(texts, batch) {
		if a.dense != nil {
			made, err := a.dense.Documents(ctx, part)
			if err != nil {
				return fmt.Errorf("making dense vectors again: %w", err)
			}
			for i, text := range part {
				t := a.texts[text]
				if cosine := cosineOf(t.dense, made[i]); !(cosine >= leastCosine) {
					c.differ("a dense vector of post %d has the cosine %.4f with that which the endpoint makes of its text", t.post, cosine)
				}
			}
		}
		if a.sparse != nil {
			made, err := a.sparse.Documents(ctx, part)
			if err != nil {
				return fmt.Errorf("making sparse vectors again: %w", err)
			}
			for i, text := range part {
				t := a.texts[text]
				if cosine := sparseCosineOf(t.sparse, made[i]); !(cosine >= leastCosine) {
					c.differ("a sparse vector of post %d has the cosine %.4f with that which the endpoint makes of its text", t.post, cosine)
				}
			}
		}
	}
	return nil
}

// cosineOf returns the cosine of two vectors, 0 where their lengths differ.
func cosineOf(x, y []float32) float64 {
	if len(x) != len(y) {
		return 0
	}
	var xy, xx, yy float64
	for i := range x {
		xy += float64(x[i]) * float64(y[i])
		xx += float64(x[i]) * float64(x[i])
		yy += float64(y[i]) * float64(y[i])
	}
	return xy / math.Sqrt(xx*yy)
}

// sparseCosineOf returns the cosine of two sparse vectors, 1 where both are empty.
func sparseCosineOf(x, y embed.SparseVector) float64 {
	if len(x.Indices) == 0 && len(y.Indices) == 0 {
		return 1
	}
	weights := map[uint32]float64{}
	var xy, xx, yy float64
	for i, index := range x.Indices {
		weights[index] = float64(x.Values[i])
		xx += weights[index] * weights[index]
	}
	for i, index := range y.Indices {
		w := float64(y.Values[i])
		xy += weights[index] * w
		yy += w * w
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
