package embed

import "context"

// BM25 weights terms as Qdrant's own model qdrant/bm25 does.
type BM25 struct{}

// NewBM25 returns a BM25 embedder.
func NewBM25() *BM25 { return &BM25{} }

func (b *BM25) Model() string { return "qdrant/bm25" }
func (b *BM25) IDF() bool     { return true }
func (b *BM25) Documents(ctx context.Context, texts []string) ([]SparseVector, error) {
	return make([]SparseVector, len(texts)), ctx.Err()
}
func (b *BM25) Query(ctx context.Context, text string) (SparseVector, error) {
	return SparseVector{}, ctx.Err()
}
