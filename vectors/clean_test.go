package vectors

import (
	"strings"
	"testing"

	"s2g/vectors/text"
)

// The cache is bounded, and gives each post out once.
func TestPreparedCacheIsBounded(t *testing.T) {
	const size = preparedBytes / 4
	var k preparedCache
	for id := range int64(6) {
		k.put(id, cleanedPost{text: strings.Repeat("a", size/2), chunks: []text.Chunk{{Text: "b"}, {Text: strings.Repeat("c", size/2-1)}}})
	}
	for id := range int64(6) {
		r, ok := k.take(id)
		if ok != (id < 4) || ok && len(r.chunks) != 2 {
			t.Errorf("post %d: %v, %d chunks", id, ok, len(r.chunks))
		}
		if _, again := k.take(id); again {
			t.Errorf("post %d is there twice", id)
		}
	}
}
