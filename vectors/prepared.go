package vectors

import (
	"context"
	"strings"
	"sync"

	"s2g/vectors/text"
)

// prepared is what a post gives before it is embedded.
type prepared struct {
	text   string // whole
	chunks []text.Chunk
	drops  []string // the rule of each piece that was left out
}

// prepare cleans a post and cuts it.
func prepare(ctx context.Context, cleaner *text.PostCleaner, w Windows, p *post) (r prepared, err error) {
	r.text = cleaner.CleanPost(p.body, p.tags)
	for _, d := range cleaner.Drops() {
		r.drops = append(r.drops, d.Rule)
	}
	if r.chunks, err = w.Chunks(ctx, string(p.title), r.text); err != nil {
		return prepared{}, err
	}
	if only := r.chunks[0].Text; len(r.chunks) == 1 {
		r.text = only[len(only)-len(r.text):] // the same text: keep one of the two in memory
	}
	return r, nil
}

// count adds to a summary what was left out.
func (r prepared) count(counts map[string]int64) {
	for _, rule := range r.drops {
		counts["dropped_"+strings.ReplaceAll(rule, "-", "_")]++
	}
}

// keptBytes is how much text of the sample is kept from the fit to the units, which need not prepare it again; that of
// 20,000 usual posts.
const keptBytes = 32 << 20

// kept holds posts of the sample that are prepared. The zero value works. It is safe for concurrent use: which posts are
// in it may depend on who was first, what they hold does not.
type kept struct {
	mu    sync.Mutex
	posts map[int64]prepared
	size  int
}

func (k *kept) put(id int64, r prepared) {
	size := 0
	for _, c := range r.chunks {
		size += len(c.Text)
	}
	if len(r.chunks) > 1 {
		size += len(r.text)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size+size > keptBytes {
		return
	}
	if k.posts == nil {
		k.posts = map[int64]prepared{}
	}
	k.posts[id] = r
	k.size += size
}

// take returns what a post gives, if it is there, and forgets it.
func (k *kept) take(id int64) (r prepared, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r, ok = k.posts[id]; ok {
		delete(k.posts, id)
	}
	return r, ok
}
