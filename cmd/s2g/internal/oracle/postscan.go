package oracle

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// batchRows and batchBytes bound the posts of a batch.
const (
	batchRows  = 256
	batchBytes = 1 << 20
)

// postBatch is rows of Posts with their graphs, as known when they were read.
type postBatch struct {
	text   []byte // values of rows
	values [][]byte
	posts  []scannedPost
}

type scannedPost struct {
	id         int64
	membership postMembership
	in         graphSet
	languages  []byte
	early      bool // an answer whose question comes later
	row        [][]byte
}

// add copies a row.
func (b *postBatch) add(p scannedPost, row [][]byte) {
	first := len(b.values)
	for _, value := range row {
		if value == nil {
			b.values = append(b.values, nil)
			continue
		}
		at := len(b.text)
		b.text = append(b.text, value...) // the values before keep the array that it replaces
		b.values = append(b.values, b.text[at:len(b.text):len(b.text)])
	}
	p.row = b.values[first:len(b.values):len(b.values)]
	b.posts = append(b.posts, p)
}

func (b *postBatch) isFull() bool { return len(b.posts) == batchRows || len(b.text) >= batchBytes }

func (b *postBatch) reset() { b.text, b.values, b.posts = b.text[:0], b.values[:0], b.posts[:0] }

// scanPosts reads Posts once, in the order of ids. One goroutine enters the memberships; as many as there are
// connections collect what follows from rows. Wikis and early answers wait for deferredScans.
func (r *tableReader) scanPosts(ctx context.Context) (*collector, error) {
	r.memberships = r.newMemberships()
	full, idle := make(chan *postBatch), make(chan *postBatch, r.options.Connections+1)
	for range cap(idle) {
		idle <- &postBatch{}
	}
	collectors := make([]*collector, r.options.Connections)
	prints := make([]printer, r.options.Connections)
	work, ctx := errgroup.WithContext(ctx)
	for i := range collectors {
		collectors[i] = newCollector(r.options.graphs(), nil)
		p := r.newPostReader(collectors[i])
		if r.newText != nil {
			p.text = r.newText()
		}
		if print := r.printer("Posts"); print != nil {
			prints[i].columns = print.columns
		}
		work.Go(func() error {
			for b := range full {
				for _, post := range b.posts {
					if r.prints != nil {
						prints[i].add(post.row)
					}
					if !post.isDeferred() {
						p.add(post.id, post.membership, post.in, post.languages, post.row)
					}
				}
				b.reset()
				idle <- b
			}
			return nil
		})
	}
	work.Go(func() error {
		defer close(full)
		return r.readPosts(ctx, full, idle)
	})
	if err := work.Wait(); err != nil {
		return nil, err
	}
	sum := newCollector(r.options.graphs(), nil)
	for i, c := range collectors {
		sum.merge(c)
		if print := r.printer("Posts"); print != nil {
			print.Merge(prints[i].Fingerprint)
		}
	}
	return sum, nil
}

// isDeferred reports whether the graphs of a post are not known yet.
func (p *scannedPost) isDeferred() bool { return p.early || p.membership.is(isWiki) }

// readPosts sends batches of all posts.
func (r *tableReader) readPosts(ctx context.Context, full chan<- *postBatch, idle <-chan *postBatch) error {
	reader := r.newPostReader(nil)
	b := <-idle
	send := func() error {
		select {
		case full <- b:
			b = <-idle
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := r.db.EachRow(ctx, reader.query("")+" ORDER BY p.Id", func(row [][]byte) error {
		early := len(r.memberships.early)
		id, m := r.enter(row, reader.at)
		post := scannedPost{id: id, membership: m, in: r.memberships.graphs(m), languages: r.memberships.languages(m)}
		post.early = len(r.memberships.early) > early
		b.add(post, row)
		if b.isFull() {
			return send()
		}
		return nil
	})
	if err == nil && len(b.posts) > 0 {
		err = send()
	}
	return err
}
