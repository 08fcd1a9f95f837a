package vectors

import (
	"context"
	"errors"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/schema/tables"
	"s2g/vectors/embed"
)

// sampleQuery is how many posts of the sample one query asks for by id.
const sampleQuery = 500

// fit fits the model on the first chunks of the posts of the sample: a long post
// says what it is about at its beginning.
func (s *stage) fit(ctx context.Context, sample []int64) (*embed.LSA, error) {
	var failed error
	model, err := embed.FitLSA(ctx, s.sampleTexts(ctx, sample, &failed), 0)
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	return model, nil
}

// sampleTexts yields the first chunks of posts in the order of their ids. Workers prepare them some queries ahead, and
// what they have prepared is kept for the units.
func (s *stage) sampleTexts(ctx context.Context, sample []int64, failed *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(s.Workers + 1) // and who starts them
		queue := make(chan chan []string, s.Workers)
		group.Go(func() error {
			defer close(queue)
			for ids := range slices.Chunk(sample, sampleQuery) {
				part := make(chan []string, 1)
				select {
				case queue <- part:
				case <-within.Done():
					return within.Err()
				}
				group.Go(func() error {
					texts, err := s.beginnings(within, ids)
					part <- texts
					return err
				})
			}
			return nil
		})
		for part := range queue {
			for _, text := range <-part {
				if !yield(text) {
					cancel()
					_ = group.Wait() // who wants no more knows why
					return
				}
			}
		}
		*failed = group.Wait()
	}
}

// beginnings returns the first chunks of posts.
func (s *stage) beginnings(ctx context.Context, ids []int64) ([]string, error) {
	texts := make([]string, 0, len(ids))
	cleaner := s.newCleaner()
	err := eachPost(ctx, s.db, postQuery(s.answers(), "p.Id IN ("+tables.IDList(ids)+")"), func(p *post) error {
		r, err := prepare(ctx, cleaner, Windows{Size: s.Window, Overlap: s.Overlap}, p)
		if err != nil {
			return err
		}
		texts = append(texts, r.chunks[0].Text)
		s.kept.put(p.id, r)
		return nil
	})
	return texts, err
}
