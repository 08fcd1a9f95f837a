// Package embed makes vectors of texts. Two embedders are built in, and need neither network nor a model to download:
// dense vectors by latent semantic analysis, fitted on the dump itself ([FitLSA]), and sparse ones by BM25, the same
// numbers that Qdrant computes ([NewBM25]). Others are served elsewhere and named by a [Spec]: any dense model behind
// OpenAI's API ([OpenDense]), and the lexical weights of BGE-M3 behind vLLM ([OpenSparse]).
//
// What is served elsewhere fails now and then. A request goes through a pool of endpoints, which tries again and
// elsewhere; a batcher cuts texts into batches, halves those that a server refuses, and isolates the text at fault.
package embed

import "context"

// Dense makes dense vectors of unit length. Implementations are safe for concurrent use.
type Dense interface {
	// Model names the embedder so exactly that equal names mean comparable vectors.
	Model() string
	// Dim is the length of every vector.
	Dim() int
	// Documents returns a vector for each text, in their order.
	Documents(ctx context.Context, texts []string) ([][]float32, error)
	// Query returns the vector that a search for text compares with those of documents.
	Query(ctx context.Context, text string) ([]float32, error)
}

// Sparse makes sparse vectors. Implementations are safe for concurrent use.
type Sparse interface {
	// Model names the embedder so exactly that equal names mean comparable vectors.
	Model() string
	// Documents returns a vector for each text, in their order.
	Documents(ctx context.Context, texts []string) ([]SparseVector, error)
	// Query returns the vector that a search for text multiplies with those of documents.
	Query(ctx context.Context, text string) (SparseVector, error)
	// IDF says whether a search weights terms by their inverse document frequency in the collection,
	// as Qdrant's modifier idf does.
	IDF() bool
}

// SparseVector holds the values that are not zero, by ascending index.
type SparseVector struct {
	Indices []uint32
	Values  []float32
}
