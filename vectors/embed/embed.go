// Package embed computes vectors of texts. Two embedders are built in and need neither network nor download: dense vectors
// by latent semantic analysis, fitted on the dump itself ([FitLSA]), and sparse vectors by BM25, with the numbers that
// Qdrant computes ([NewBM25]). A [Spec] names any other: a dense model behind OpenAI's API ([OpenDense]), or the lexical
// weights of BGE-M3 behind vLLM ([OpenSparse]). [OpenPair] opens both embedders of a build.
//
// Servers fail now and then. A pool of endpoints sends each request, and retries it at another endpoint. A batcher cuts
// texts into batches, halves a batch that a server refuses, and so isolates the text at fault.
package embed

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"s2g/schema"
)

// Dense computes dense vectors of unit length. Implementations are safe for concurrent use.
type Dense interface {
	// Model returns the embedder's name. Vectors of equal names are comparable.
	Model() string
	// Dim returns the length of every vector.
	Dim() int
	// Documents returns a vector for each text, in their order.
	Documents(ctx context.Context, texts []string) ([][]float32, error)
	// Query returns the vector of a search, to be compared with vectors of documents.
	Query(ctx context.Context, text string) ([]float32, error)
}

// Sparse computes sparse vectors. Implementations are safe for concurrent use.
type Sparse interface {
	// Model returns the embedder's name. Vectors of equal names are comparable.
	Model() string
	// Documents returns a vector for each text, in their order.
	Documents(ctx context.Context, texts []string) ([]SparseVector, error)
	// Query returns the vector of a search, to be multiplied with vectors of documents.
	Query(ctx context.Context, text string) (SparseVector, error)
	// IDF reports whether a search weights terms by their inverse document frequency in the collection, as Qdrant's
	// modifier idf does.
	IDF() bool
}

// SparseVector holds the values that are not zero, by ascending index.
type SparseVector struct {
	Indices []uint32
	Values  []float32
}

// maxDims is the length of the longest vector that Qdrant accepts.
const maxDims = 1<<16 - 1

// RemoteOptions configures requests to an embedder at endpoints. The zero value works.
type RemoteOptions struct {
	RetryFor time.Duration       // how long requests are retried while no endpoint answers; 0: 2 minutes; below 0: not at all
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

// OpenDense opens the dense embedder at the endpoints of spec, which is not [KindBuiltin]. It sends one short text, which
// finds unreachable endpoints, refused keys and other models, and the length of the vectors. Errors are of
// [schema.FaultUsage], or of [schema.FaultService] if a later try may succeed.
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

// RemoteStats counts retries and texts of an embedder at endpoints.
type RemoteStats struct {
	Retries   int64 // of requests
	Truncated int64 // texts of which only the beginning has a vector
	Refused   int64 // texts without a vector
}

// StatsOf returns the counts of an embedder, dense or sparse. They are zero for a builtin one.
func StatsOf(embedder any) RemoteStats {
	if e, ok := embedder.(interface{ stats() RemoteStats }); ok {
		return e.stats()
	}
	return RemoteStats{}
}
