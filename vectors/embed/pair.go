package embed

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
)

// Pair holds the embedders that made the vectors of a build.
type Pair struct {
	Dense  Dense
	Sparse Sparse
	Weight float64 // of the dense score in a fused score, from 0 to 1
}

// PairOptions names the embedders of a build, as its manifest does.
type PairOptions struct {
	Dense, Sparse string   // specs; empty: KindBuiltin and KindBM25
	ModelFile     string   // path of the fitted model, read where Dense is KindBuiltin
	Models        *Models  // models that made the vectors; nil: not recorded, all are accepted
	Weight        *float64 // fitted to the build; nil: DefaultWeight
}

// Models holds the names of two embedders, as their methods Model return them.
type Models struct{ Dense, Sparse string }

// OpenPair opens the embedders of a build. Models other than o.Models are an error of [schema.FaultUsage]; other errors are
// those of [OpenDense], [OpenSparse] and [ReadLSAFile].
func OpenPair(ctx context.Context, o PairOptions, remote RemoteOptions) (*Pair, error) {
	p := &Pair{}
	var err error
	if spec := cmp.Or(o.Dense, KindBuiltin); spec == KindBuiltin {
		p.Dense, err = ReadLSAFile(o.ModelFile)
	} else {
		p.Dense, err = OpenDense(ctx, spec, remote)
	}
	if err != nil {
		return nil, err
	}
	if p.Sparse, err = o.openSparse(ctx, remote); err != nil {
		return nil, err
	}
	if opened := (Models{p.Dense.Model(), p.Sparse.Model()}); o.Models != nil && *o.Models != opened {
		return nil, schema.Faultf(schema.FaultUsage, "serve the models that the build was made with, or build anew",
			"the vectors are of %s and %s, the embedders are %s and %s", o.Models.Dense, o.Models.Sparse, opened.Dense, opened.Sparse)
	}
	p.Weight = DefaultWeight(p.Dense.Model())
	if o.Weight != nil {
		p.Weight = *o.Weight
	}
	return p, nil
}

// openSparse opens the sparse embedder. BM25 has the language of the recorded model.
func (o PairOptions) openSparse(ctx context.Context, remote RemoteOptions) (Sparse, error) {
	spec := cmp.Or(o.Sparse, KindBM25)
	if spec == KindBM25 && o.Models != nil {
		if b, ok := OpenBM25Model(o.Models.Sparse); ok {
			return b, nil
		}
	}
	return OpenSparse(ctx, spec, remote)
}

// BM25 returns the sparse embedder where that is BM25, else one in the language of the builtin dense embedder, else one of
// English texts.
func (p *Pair) BM25() *BM25 {
	if b, ok := p.Sparse.(*BM25); ok {
		return b
	}
	b := NewBM25()
	if m, ok := p.Dense.(*LSA); ok {
		b.analyzer.lexicon.language = m.Language()
	}
	return b
}

// The weight of the dense score in a fused score where none has been fitted. On real sites a small weight of the builtin
// embedder is hardly ever worse than BM25 alone, while a weight of one half is; for a trained model more than one half is
// best.
const (
	builtinWeight = 0.2
	trainedWeight = 0.7
)

// DefaultWeight returns the weight, from 0 to 1, of a dense model's score in a fused score where none has been fitted to
// the build. model is a name as [Dense.Model] returns it.
func DefaultWeight(model string) float64 {
	if strings.HasPrefix(model, KindBuiltin+"/") {
		return builtinWeight
	}
	return trainedWeight
}

// DenseQuery returns the dense vector of a search: nil where dense scores have no weight, or the function DenseQuery
// returns nil.
func (p *Pair) DenseQuery(ctx context.Context, text string) ([]float32, error) {
	if p.Weight == 0 {
		return nil, nil
	}
	return DenseQuery(ctx, p.Dense, text)
}

// DenseQuery returns the dense vector of a query, or nil where d is the builtin embedder and its vocabulary has no term of
// the query.
func DenseQuery(ctx context.Context, d Dense, text string) ([]float32, error) {
	v, err := d.Query(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("dense vector of the query: %w", err)
	}
	if _, builtin := d.(*LSA); builtin && IsFirstAxis(v) {
		return nil, nil
	}
	return v, nil
}

// Documents returns the dense and the sparse vectors of texts, as the methods Documents of both embedders do. The two
// builtin embedders share one analysis of each text (BenchmarkDocuments); others run in parallel.
func Documents(ctx context.Context, d Dense, s Sparse, texts []string) (dense [][]float32, sparse []SparseVector, err error) {
	lsa, builtin := d.(*LSA)
	bm25, both := s.(*BM25)
	if builtin && both && lsa.Language() == bm25.Language() {
		dense, sparse = make([][]float32, len(texts)), make([]SparseVector, len(texts))
		for i, text := range texts {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			bm25.analyzer.count(text, func(terms []termCount, words int) {
				sparse[i] = termWeights(terms, words, documentWeight)
				dense[i] = lsa.project(terms)
			})
		}
		return dense, sparse, nil
	}
	group, within := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if dense, err = d.Documents(within, texts); err != nil {
			return fmt.Errorf("dense vectors: %w", err)
		}
		return nil
	})
	group.Go(func() (err error) {
		if sparse, err = s.Documents(within, texts); err != nil {
			return fmt.Errorf("sparse vectors: %w", err)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	return dense, sparse, nil
}
