package embed

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"s2g/schema"
)

// RemoteOptions configures requests to an embedder at endpoints. The zero value works.
type RemoteOptions struct {
	RetryFor time.Duration       // how long requests are retried while no endpoint answers; 0: 2 minutes
	Timeout  time.Duration       // of one request; 0: 2 minutes
	Getenv   func(string) string // returns the keys; nil: os.Getenv
	Log      *slog.Logger        // nil: nothing is logged

	inFlight   int           // requests in flight to an endpoint; 0: 2, one that it works on and the next one
	firstPause time.Duration // after a first failure; 0: retry.DefaultFirstPause
}

func (o RemoteOptions) withDefaults() RemoteOptions {
	o.RetryFor = cmp.Or(o.RetryFor, 2*time.Minute)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.inFlight = cmp.Or(o.inFlight, 2)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// OpenDense opens the dense embedder at the endpoints of spec, which is not [KindBuiltin]. It sends one short text, and so
// finds an endpoint that is unreachable, refuses the key or serves another model, and the length of the vectors. Errors
// are of [schema.FaultUsage], or of [schema.FaultService] where a later try may succeed.
func OpenDense(ctx context.Context, spec string, o RemoteOptions) (Dense, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if s.Kind != KindOpenAI {
		return nil, schema.Faultf(schema.FaultUsage, "give openai+http://host:8000/v1?model=NAME", "embedder %q makes no dense vectors at an endpoint", s.Kind)
	}
	o = o.withDefaults()
	endpoints, err := s.endpoints(o, "S2G_DENSE_API_KEY", "OPENAI_API_KEY")
	if err != nil {
		return nil, err
	}
	m, err := openOpenAI(ctx, s, endpoints, o)
	if err != nil {
		return nil, fmt.Errorf("open the embedder %s: %w", s.Model, err)
	}
	return m, nil
}

// OpenSparse opens the sparse embedder of spec. Errors are as those of [OpenDense].
func OpenSparse(ctx context.Context, spec string, o RemoteOptions) (Sparse, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	switch s.Kind {
	case KindBM25:
		return NewBM25(), nil
	case KindBGEM3:
	default:
		return nil, schema.Faultf(schema.FaultUsage, "give bm25, or bgem3+http://host:8000?model=BAAI/bge-m3", "embedder %q makes no sparse vectors", s.Kind)
	}
	o = o.withDefaults()
	endpoints, err := s.endpoints(o, "S2G_SPARSE_API_KEY", "")
	if err != nil {
		return nil, err
	}
	m, err := openBGEM3(ctx, s, endpoints, o)
	if err != nil {
		return nil, fmt.Errorf("open the embedder %s: %w", s.Model, err)
	}
	return m, nil
}

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
