package embed

import (
	"context"
	"log/slog"
	"time"

	"s2g/schema"
)

// RemoteOptions says how to reach an embedder that is served by others. The zero value works.
type RemoteOptions struct {
	// RetryFor is how long requests are tried again while no endpoint answers; 0 means 2 minutes.
	RetryFor time.Duration
	// Timeout is how long one request may take; 0 means 2 minutes.
	Timeout time.Duration
	// InFlight is how many requests an endpoint has at once; 0 means 2: one that it works on, and the next one.
	InFlight int
	// KeyOverHTTP sends the key to other machines without encryption, too.
	KeyOverHTTP bool
	// Getenv is asked for keys; nil means os.Getenv.
	Getenv func(string) string
	Log    *slog.Logger // nil: nothing is logged
}

// OpenDense opens the dense embedder that spec names, which is not [KindBuiltin]. It sends one short text, so that
// an endpoint that cannot be reached, refuses the key or has another model is known before the work begins, and so
// is the length of the vectors. Errors are of [schema.FaultUsage], or of [schema.FaultService] where it may help to
// try again.
func OpenDense(ctx context.Context, spec string, o RemoteOptions) (Dense, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if s.Kind != KindOpenAI {
		return nil, schema.Faultf(schema.FaultUsage, "", "embedder %q makes no dense vectors", s.Kind)
	}
	return nil, schema.Faultf(schema.FaultUsage, "", "not there yet")
}

// OpenSparse opens the sparse embedder that spec names. Errors are as those of [OpenDense].
func OpenSparse(ctx context.Context, spec string, o RemoteOptions) (Sparse, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	switch s.Kind {
	case KindBM25:
		return NewBM25(), nil
	case KindBGEM3:
		return nil, schema.Faultf(schema.FaultUsage, "", "not there yet")
	}
	return nil, schema.Faultf(schema.FaultUsage, "", "embedder %q makes no sparse vectors", s.Kind)
}
