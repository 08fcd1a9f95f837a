package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"s2g/schema/tables"
	"s2g/vectors/embed"
	"s2g/vectors/text"
)

// batchPosts is the number of posts that are read and embedded together.
const batchPosts = 256

// fitPosts is the number of bodies for the fit of the builtin embedder, as in a build.
const fitPosts = 20_000

// postReader reads posts from the tables, and cleans and cuts their bodies as a build does.
type postReader struct {
	db      *tables.DB
	cleaner *text.Cleaner
	options Options
}

// readTitles sets the titles of the queries.
func (r *postReader) readTitles(ctx context.Context, queries []query) error {
	byID := map[int64]*query{}
	var ids []int64
	for i := range queries {
		byID[queries[i].id], ids = &queries[i], append(ids, queries[i].id)
	}
	for batch := range slices.Chunk(ids, batchPosts) {
		err := r.db.EachRow(ctx, "SELECT Id, Title FROM Posts WHERE Id IN ("+tables.IDList(batch)+")", func(row [][]byte) error {
			byID[tables.Int(row[0])].title = string(row[1])
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading titles: %w", err)
		}
	}
	return nil
}

// chunkedPost is a post with the chunks of its body.
type chunkedPost struct {
	id     int64
	chunks []text.Chunk
}

// readChunks reads posts in the order of their ids. The tags of an answer are those of its
// question.
func (r *postReader) readChunks(ctx context.Context, ids []int64) ([]chunkedPost, error) {
	query := "SELECT p.Id, p.Body, IF(p.PostTypeId = 2, q.Tags, p.Tags) FROM Posts p LEFT JOIN Posts q ON q.Id = p.ParentId" +
		" WHERE p.Id IN (" + tables.IDList(ids) + ") ORDER BY p.Id"
	var posts []chunkedPost
	err := r.db.EachRow(ctx, query, func(row [][]byte) error {
		chunks, err := r.options.Windows.Chunks(ctx, "", r.cleaner.Clean(row[1], row[2]))
		posts = append(posts, chunkedPost{tables.Int(row[0]), chunks})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading posts: %w", err)
	}
	return posts, nil
}

// fit fits a builtin embedder on the first chunks of bodies, as a build does on those of
// whole questions.
func (r *postReader) fit(ctx context.Context, ids []int64, language embed.Language, dims int) (*embed.LSA, error) {
	r.options.Progress("fitting the dense embedder on bodies", 0, 0)
	ids = draw(slices.Clone(ids), fitPosts, saltFit, nil)
	var failed error
	bodies := func(yield func(string) bool) {
		for batch := range slices.Chunk(ids, batchPosts) {
			posts, err := r.readChunks(ctx, batch)
			if failed = err; err != nil {
				return
			}
			for _, p := range posts {
				if !yield(p.chunks[0].Text) {
					return
				}
			}
		}
	}
	model, err := embed.FitLSA(ctx, language, bodies, dims)
	if err := errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("fitting the dense embedder: %w", err)
	}
	return model, nil
}

// index embeds the bodies of posts, and returns their vectors.
func (r *postReader) index(ctx context.Context, what string, ids []int64) (*index, error) {
	x := newIndex(r.options.Dense.Dim())
	for batch := range slices.Chunk(ids, batchPosts) {
		posts, err := r.readChunks(ctx, batch)
		if err != nil {
			return nil, err
		}
		var texts []string
		for _, p := range posts {
			x.addPost(p.id, len(p.chunks))
			for _, c := range p.chunks {
				texts = append(texts, c.Text)
			}
		}
		dense, sparse, err := embed.Documents(ctx, r.options.Dense, r.options.Sparse, texts)
		if err != nil {
			return nil, err
		}
		x.addPoints(dense, sparse)
		r.options.Progress(what, int64(len(x.posts)), int64(len(ids)))
	}
	return x, nil
}
