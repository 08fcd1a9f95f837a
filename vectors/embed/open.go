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
		return nil, schema.Faultf(schema.FaultUsage, "give openai+http://host:8000/v1?model=NAME", "embedder %q is none that makes dense vectors at an endpoint", s.Kind)
	}
	o = o.complete()
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
	default:
		return nil, schema.Faultf(schema.FaultUsage, "give bm25, or bgem3+http://host:8000?model=BAAI/bge-m3", "embedder %q makes no sparse vectors", s.Kind)
	}
	o = o.complete()
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

func (o RemoteOptions) complete() RemoteOptions {
	o.RetryFor = cmp.Or(o.RetryFor, 2*time.Minute)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.InFlight = max(1, cmp.Or(o.InFlight, 2))
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// endpoints returns the endpoints of a spec, with the key of the first of the two variables that is set; the second may be empty. No key
// goes to another machine in the clear: the key that is meant for this use is then an error, one that happens to be
// set for others is left out.
func (s Spec) endpoints(o RemoteOptions, own, others string) ([]*endpoint, error) {
	key, name := o.Getenv(own), own
	if key == "" && others != "" {
		key, name = o.Getenv(others), others
	}
	client := newClient(o.InFlight + tokenizing)
	var out []*endpoint
	for _, base := range s.Endpoints {
		e := &endpoint{base: base, client: client, key: key}
		if key != "" && strings.HasPrefix(base, "http://") && !local(base) && !o.KeyOverHTTP {
			if name == own {
				return nil, schema.Faultf(schema.FaultUsage, "use https, or allow keys over http", "the key in %s would go to %s in the clear", name, base)
			}
			o.Log.Warn("the key is not sent in the clear", "variable", name, "endpoint", base)
			e.key = ""
		}
		out = append(out, e)
	}
	return out, nil
}

// RemoteStats counts what was sent to endpoints.
type RemoteStats struct {
	Requests  int64 // all, those that failed and were sent again included
	Retries   int64
	Texts     int64 // that have got a vector
	Truncated int64 // of these: only their beginning has it
	Refused   int64 // texts without one
}

// StatsOf returns the counts of an embedder, dense or sparse, of which all are zero where it has no endpoints.
func StatsOf(embedder any) RemoteStats {
	if s, ok := embedder.(interface{ Stats() RemoteStats }); ok {
		return s.Stats()
	}
	return RemoteStats{}
}
