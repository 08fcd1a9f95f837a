// Package embed computes vectors of texts. Two embedders are built in and need neither network nor download: dense vectors
// by latent semantic analysis, fitted on the dump itself ([FitLSA]), and sparse vectors by BM25, with the numbers that
// Qdrant computes ([NewBM25]). A [Spec] names any other: a dense model behind OpenAI's API ([OpenDense]), or the lexical
// weights of BGE-M3 behind vLLM ([OpenSparse]). [OpenPair] opens both embedders of a build.
//
// Servers fail now and then. A pool of endpoints sends each request, and retries it at another endpoint. A batcher cuts
// texts into batches, halves a batch that a server refuses, and so isolates the text at fault.
package embed

import "context"

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
