package embed

import (
	"hash/maphash"
	"sync"
)

// countCache keeps the counts of some thousand texts: of those that were asked for last, and of some before. The zero
// value works.
type countCache struct {
	mu        sync.Mutex
	now, then map[uint64]int // by hash of the text
}

const cachedCounts = 4096 // of each of the two

// textSeed is of the process: counts are not kept beyond it.
var textSeed = maphash.MakeSeed()

func (c *countCache) get(text string) (int, bool) {
	h := maphash.String(textSeed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.now[h]
	if !ok {
		n, ok = c.then[h]
	}
	return n, ok
}

func (c *countCache) put(text string, n int) {
	h := maphash.String(textSeed, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == nil || len(c.now) >= cachedCounts {
		c.now, c.then = make(map[uint64]int), c.now
	}
	c.now[h] = n
}
