package embed

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

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
