package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"s2g/schema/tables"
	"s2g/vectors/embed"
	"s2g/vectors/text"
)

// batchPosts is how many posts are read and embedded together.
const batchPosts = 256

// fitPosts is how many bodies the builtin embedder is fitted on, as in a build.
const fitPosts = 20_000

const saltFit = 0x55 << 32

// reader reads posts and embeds them.
type reader struct {
	ctx context.Context
	db  *tables.DB
	o   Options
}

// titles reads the titles of the queries.
func (r *reader) titles(queries []query) error {
	ids := make([]int64, len(queries))
	for i, q := range queries {
		ids[i] = q.id
	}
	for batch := range slices.Chunk(ids, batchPosts) {
		err := r.each(batch, func(id int64, title, _, _ []byte) {
			at, _ := slices.BinarySearchFunc(queries, id, func(q query, id int64) int { return int(q.id - id) })
			queries[at].title = string(title)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls f for posts, with their title, body, and tags (those of an answer are its
// question's), in the order of their ids.
func (r *reader) each(ids []int64, f func(id int64, title, body, tags []byte)) error {
	query := "SELECT p.Id, p.Title, p.Body, IF(p.PostTypeId = 2, q.Tags, p.Tags) FROM Posts p LEFT JOIN Posts q ON q.Id = p.ParentId" +
		" WHERE p.Id IN (" + tables.IDList(ids) + ") ORDER BY p.Id"
	err := r.db.EachRow(r.ctx, query, func(p [][]byte) error {
		f(tables.Int(p[0]), p[1], p[2], p[3])
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading posts: %w", err)
	}
	return nil
}

// refit fits a builtin embedder on the beginnings of bodies, as a build does on
// those of whole questions.
func (r *reader) refit(ids []int64, dims int) (*embed.LSA, error) {
	r.o.Progress("fitting the dense embedder on bodies", 0, 0)
	ids = draw(slices.Clone(ids), fitPosts, saltFit, nil)
	var failed error
	bodies := func(yield func(string) bool) {
		for _, chunks := range r.chunks(ids, &failed) {
			if !yield(chunks[0].Text) {
				return
			}
		}
	}
	model, err := embed.FitLSA(r.ctx, bodies, dims)
	if err := errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("fitting the dense embedder: %w", err)
	}
	return model, nil
}

// chunks yields posts with the chunks of their bodies.
func (r *reader) chunks(ids []int64, failed *error) iter.Seq2[int64, []text.Chunk] {
	return func(yield func(int64, []text.Chunk) bool) {
		cleaner := text.NewPostCleaner(r.o.Languages, r.o.Links)
		for batch := range slices.Chunk(ids, batchPosts) {
			var cut error
			goesOn := true
			err := r.each(batch, func(id int64, _, body, tags []byte) {
				if !goesOn {
					return
				}
				var chunks []text.Chunk
				chunks, cut = r.o.Windows.Chunks(r.ctx, "", cleaner.CleanPost(body, tags))
				goesOn = cut == nil && yield(id, chunks)
			})
			if *failed = errors.Join(err, cut); !goesOn || *failed != nil {
				return
			}
		}
	}
}

// index embeds the bodies of posts.
func (r *reader) index(what string, ids []int64) (*index, error) {
	x := newIndex(r.o.Dense.Dim())
	var texts []string
	flush := func() error {
		if len(texts) == 0 {
			return nil
		}
		dense, sparse, err := embed.Documents(r.ctx, r.o.Dense, r.o.Sparse, texts)
		if err != nil {
			return err
		}
		x.add(dense, sparse)
		texts = texts[:0]
		r.o.Progress(what, int64(len(x.posts)), int64(len(ids)))
		return nil
	}
	var failed error
	for id, chunks := range r.chunks(ids, &failed) {
		x.begin(id, len(chunks))
		for _, c := range chunks {
			texts = append(texts, c.Text)
		}
		if len(texts) >= batchPosts {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if failed != nil {
		return nil, failed
	}
	return x, flush()
}
