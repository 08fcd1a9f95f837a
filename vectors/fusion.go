package vectors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
)

// The dense embedder's share of a fused score, until eval has fitted one to the
// build. On real sites a small share of the builtin one is hardly ever worse than
// BM25 alone, and half of it is; of a trained model more than half is best.
const (
	builtinWeight = 0.2
	trainedWeight = 0.7
)

// DefaultWeight is the share that a dense model has in a fused score where none
// has been fitted.
func DefaultWeight(model string) float64 {
	if strings.HasPrefix(model, "builtin/") {
		return builtinWeight
	}
	return trainedWeight
}

// Embedders are those that a build's shards were made with.
type Embedders struct {
	Dense  embed.Dense
	Sparse embed.Sparse
	Weight float64 // of the dense score in a fused one
}

// OpenEmbedders opens the embedders of the build in out, whose manifest is m. A
// build without vectors is a usage fault.
func OpenEmbedders(ctx context.Context, out string, m *manifest.Manifest, o embed.RemoteOptions) (*Embedders, error) {
	stage := m.Stages[manifest.Vectors]
	if stage == nil {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g build --out "+out, "%s holds no vectors", out)
	}
	e := &Embedders{}
	var err error
	if spec := defaultTo(m.Options.Dense, Builtin); spec == Builtin {
		e.Dense, err = readModel(out)
	} else {
		e.Dense, err = embed.OpenDense(ctx, spec, o)
	}
	if err != nil {
		return nil, err
	}
	if e.Sparse, err = embed.OpenSparse(ctx, defaultTo(m.Options.Sparse, BM25), o); err != nil {
		return nil, err
	}
	e.Weight = DefaultWeight(e.Dense.Model())
	if of := stage.Embedders; of != nil {
		if of.Dense != e.Dense.Model() || of.Sparse != e.Sparse.Model() {
			return nil, schema.Faultf(schema.FaultUsage, "serve the models that the build was made with, or build anew",
				"the vectors are of %s and %s, the embedders are %s and %s", of.Dense, of.Sparse, e.Dense.Model(), e.Sparse.Model())
		}
		e.Weight = of.Weight
	}
	return e, nil
}

// embeddersOf is what the manifest says of them; nil where nothing was embedded.
func (s *stage) embeddersOf() *manifest.Embedders {
	if s.dense == nil {
		return nil
	}
	return &manifest.Embedders{
		Dense: s.dense.Model(), Sparse: s.sparse.Model(), Windows: s.windows.rule(), Weight: DefaultWeight(s.dense.Model()),
	}
}

// Best are the scores of a post's best chunks, each standardised over all chunks that
// are searched: the sparse score of the chunk that has the highest, and the dense
// score of the chunk that has the highest of those, which may be another.
type Best struct{ Sparse, Dense float64 }

// BestOf returns the best scores of a post's chunks, of which there is one at least.
// Without dense scores that of the result is 0.
func BestOf(sparse, dense []float64) Best {
	b := Best{Sparse: slices.Max(sparse)}
	if len(dense) > 0 {
		b.Dense = slices.Max(dense)
	}
	return b
}

// Fuse is how well a post fits, where the dense score has a share of weight.
//
// What words say and what the whole says are joined for the post and not for each of
// its chunks: the words of a title may stand in one of them, and what it is about be
// clearest in another. docs/vectors.md has what that gains.
func (b Best) Fuse(weight float64) float64 { return (1-weight)*b.Sparse + weight*b.Dense }

// DenseQuery returns the dense vector of a query; nil where it has none, because the
// builtin embedder knows no term of it.
func DenseQuery(ctx context.Context, d embed.Dense, words string) ([]float32, error) {
	v, err := d.Query(ctx, words)
	if err != nil {
		return nil, fmt.Errorf("dense vector of the query: %w", err)
	}
	if _, builtin := d.(*embed.LSA); builtin && firstAxis(v) {
		return nil, nil
	}
	return v, nil
}

// DenseQuery is the function DenseQuery of a search: also nil where dense scores count nothing in it.
func (e *Embedders) DenseQuery(ctx context.Context, words string) ([]float32, error) {
	if e.Weight == 0 {
		return nil, nil
	}
	return DenseQuery(ctx, e.Dense, words)
}

// IDF is a term's inverse document frequency by the formula of Qdrant's modifier
// idf, which is that of Lucene: ln((N - n + 0.5) / (n + 0.5) + 1), for a term that
// n of N points have.
func IDF(points, having int) float64 {
	return math.Log((float64(points-having)+0.5)/(float64(having)+0.5) + 1)
}

// Standardise shifts and scales scores in place to mean 0 and deviation 1, so that
// those of different kinds can be added. Scores that are all equal become 0: they
// rank nothing.
func Standardise(values []float64) []float64 {
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	deviation := math.Sqrt(squares / float64(len(values)))
	for i, v := range values {
		if values[i] = 0; deviation > 1e-12 {
			values[i] = (v - mean) / deviation
		}
	}
	return values
}
