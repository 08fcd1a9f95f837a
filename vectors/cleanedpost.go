package vectors

import (
	"context"
	"strings"
	"sync"

	"s2g/vectors/text"
)

// cleanedPost is a post before it is embedded.
type cleanedPost struct {
	text   string // whole
	chunks []text.Chunk
	drops  []string // the rule of each piece that was left out
}

// cleanPost cleans a post and cuts it into windows.
func cleanPost(ctx context.Context, cleaner *text.Cleaner, w Windows, p *post) (c cleanedPost, err error) {
	c.text = cleaner.Clean(p.body, p.tags)
	for _, d := range cleaner.Drops() {
		c.drops = append(c.drops, d.Rule)
	}
	if c.chunks, err = w.Chunks(ctx, string(p.title), c.text); err != nil {
		return cleanedPost{}, err
	}
	if only := c.chunks[0].Text; len(c.chunks) == 1 {
		c.text = only[len(only)-len(c.text):] // the same text: keep one of the two in memory
	}
	return c, nil
}

// countDrops adds the pieces that were left out to the counts of a summary.
func (c cleanedPost) countDrops(counts map[string]int64) {
	for _, rule := range c.drops {
		counts["dropped_"+strings.ReplaceAll(rule, "-", "_")]++
	}
}

// preparedBytes is the size of the texts in a preparedCache, at most: 20,000 usual posts.
const preparedBytes = 32 << 20

// preparedCache holds posts of the sample from the fit to the units, which need not clean
// them again. The zero value works, and it is safe for concurrent use. The posts in it may
// depend on scheduling; what it holds of a post does not.
type preparedCache struct {
	mu    sync.Mutex
	posts map[int64]cleanedPost
	size  int
}

func (k *preparedCache) put(id int64, c cleanedPost) {
	size := 0
	for _, chunk := range c.chunks {
		size += len(chunk.Text)
	}
	if len(c.chunks) > 1 {
		size += len(c.text)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size+size > preparedBytes {
		return
	}
	if k.posts == nil {
		k.posts = map[int64]cleanedPost{}
	}
	k.posts[id] = c
	k.size += size
}

// take removes a post and returns it, if the cache has it.
func (k *preparedCache) take(id int64) (c cleanedPost, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok = k.posts[id]; ok {
		delete(k.posts, id)
	}
	return c, ok
}
