package embed

import (
	"context"
	"fmt"

	"s2g/schema"
)

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
