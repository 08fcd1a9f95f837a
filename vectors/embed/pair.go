package embed

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"s2g/schema"
)

// The weight of the dense score in a fused score where none has been fitted. On real sites a small weight of the builtin
// embedder is hardly ever worse than BM25 alone, and a weight of one half is; a trained model is best above one half.
const (
	builtinWeight = 0.2
	trainedWeight = 0.7
)

// DefaultWeight returns the weight, from 0 to 1, that the scores of a dense model have in a fused score where none has
// been fitted to the build. model is a name as [Dense.Model] returns it.
func DefaultWeight(model string) float64 {
	if strings.HasPrefix(model, KindBuiltin+"/") {
		return builtinWeight
	}
	return trainedWeight
}

// Pair holds the embedders that made the vectors of a build.
type Pair struct {
	Dense  Dense
	Sparse Sparse
	Weight float64 // of the dense score in a fused score
}

// PairOptions names the embedders of a build, as its manifest does.
type PairOptions struct {
	Dense, Sparse string   // specs; empty: KindBuiltin and KindBM25
	ModelFile     string   // path of the fitted model, read where Dense is KindBuiltin
	Models        *Models  // models that made the vectors; nil: not recorded, any are accepted
	Weight        *float64 // fitted to the build; nil: DefaultWeight
}

// Models are the names of two embedders, as their methods Model return them.
type Models struct{ Dense, Sparse string }

// OpenPair opens the embedders of a build. Embedders other than o.Models are an error of [schema.FaultUsage]; other
// errors are those of [OpenDense], [OpenSparse] and [ReadLSAFile].
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
	if p.Sparse, err = OpenSparse(ctx, cmp.Or(o.Sparse, KindBM25), remote); err != nil {
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

// DenseQuery returns the dense vector of a search, or nil where dense scores have no weight or [DenseQuery] returns nil.
func (p *Pair) DenseQuery(ctx context.Context, text string) ([]float32, error) {
	if p.Weight == 0 {
		return nil, nil
	}
	return DenseQuery(ctx, p.Dense, text)
}

// DenseQuery returns the dense vector of a query, or nil where d is the builtin embedder and its vocabulary has no term
// of the query.
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

// IsFirstAxis reports whether v is the first axis: the vector of a text without any term that the builtin embedder has in
// its vocabulary, and of a text that an endpoint refuses.
func IsFirstAxis(v []float32) bool { return len(v) > 0 && v[0] == 1 }

// ReadLSAFile reads the model file at path, see [LSA.WriteTo].
func ReadLSAFile(path string) (*LSA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the dense embedder: %w", err)
	}
	defer f.Close()
	m, err := ReadLSA(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}
