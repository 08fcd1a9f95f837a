// Package embed makes vectors of texts. Two embedders are built in, and need neither network nor a model to download:
// dense vectors by latent semantic analysis, fitted on the dump itself ([FitLSA]), and sparse ones by BM25, the same
// numbers that Qdrant computes ([NewBM25]). Others are served elsewhere and named by a [Spec]: any dense model behind
// OpenAI's API ([OpenDense]), and the lexical weights of BGE-M3 behind vLLM ([OpenSparse]).
//
// What is served elsewhere fails now and then. A request goes through a pool of endpoints, which tries again and
// elsewhere; a batcher cuts texts into batches, halves those that a server refuses, and isolates the text at fault.
package embed

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

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

// Documents returns the dense and the sparse vectors of texts, as the embedders' own methods of this name do. The two
// that are built in cut a text into stems together, once; others work side by side.
func Documents(ctx context.Context, d Dense, s Sparse, texts []string) (dense [][]float32, sparse []SparseVector, err error) {
	lsa, builtin := d.(*LSA)
	bm25, both := s.(*BM25)
	if builtin && both {
		return lsa.documentsWith(ctx, bm25, texts)
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

func (m *LSA) documentsWith(ctx context.Context, b *BM25, texts []string) ([][]float32, []SparseVector, error) {
	dense, sparse := make([][]float32, len(texts)), make([]SparseVector, len(texts))
	t := b.tallies.Get().(*tally)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		list, words := t.of(&b.words, text)
		sparse[i] = weigh(list, words, documentWeight)
		var known bool
		if dense[i], known = m.project(list); !known {
			m.unknown.Add(1)
		}
	}
	if t.keepable() {
		b.tallies.Put(t)
	}
	return dense, sparse, nil
}
