package verify

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"unicode/utf8"
)

// chunkChecker compares the chunks of a post with the text of its parent.
type chunkChecker struct {
	parents *parentTexts // nil: none
	parent  parentText   // of the post
	known   bool         // parents has the post
	start   int          // of the previous chunk, in code points
	startAt int          // the same in bytes
	end     int          // of the previous chunk, in code points
}

// begin moves to a post.
func (c *chunkChecker) begin(post int64) {
	c.start, c.startAt, c.end, c.known = 0, 0, 0, false
	if c.parents != nil {
		c.parent, c.known = c.parents.find(post)
	}
}

// chunkPlace is the place of a chunk among the chunks of its post, and of its text in the whole text.
type chunkPlace struct {
	number, chunks int // number counts from 0
	start, end     int // code points; end excluded
}

// check checks the post's next chunk, whose text has the SHA-256 sum.
func (c *chunkChecker) check(title, text []byte, sum [sha256.Size]byte, at chunkPlace) string {
	if !c.known && c.parents != nil && c.parents.whole {
		return "its post is not among the parents of its part"
	}
	if !c.known {
		return "" // checkParents reports what parents differ
	}
	if !bytes.Equal(title, c.parents.bytes[c.parent.title:c.parent.text]) {
		return "its title is not that of its parent"
	}
	if c.parent.chunks == nil {
		return c.checkPlace(title, text, at.start, at.end, at.number+1 == at.chunks)
	}
	if n := len(c.parent.chunks); n != at.chunks {
		return fmt.Sprintf("its post has %d chunks, the text of its parent makes %d", at.chunks, n)
	}
	switch want := c.parent.chunks[at.number]; {
	case at.start != want.start || at.end != want.end:
		return fmt.Sprintf("its place is %d to %d, the text of its parent makes %d to %d", at.start, at.end, want.start, want.end)
	case sum != want.sum:
		return fmt.Sprintf("its text is not that of its parent from %d to %d", at.start, at.end)
	}
	return ""
}

// checkPlace checks a chunk that cannot be made again. Its text is the title, an empty line, and the
// parent's text from start to end. A chunk begins at the end of the one before or earlier, and the last
// chunk ends with the parent.
func (c *chunkChecker) checkPlace(title, text []byte, start, end int, last bool) string {
	parent := c.parents.bytes[c.parent.text:c.parent.end]
	head := len(title)
	if len(title) > 0 && len(parent) > 0 {
		head += len("\n\n")
	}
	switch {
	case start < c.start || start > c.end || end < start || end > c.parent.runes:
		return fmt.Sprintf("its place, %d to %d, does not follow the chunk before, or is not in its parent's %d characters", start, end, c.parent.runes)
	case last && end != c.parent.runes:
		return fmt.Sprintf("it is the last and ends at %d, its parent at %d", end, c.parent.runes)
	case len(text) < head || string(text[len(title):head]) != "\n\n"[:head-len(title)]:
		return "its text does not begin with its title and an empty line"
	}
	piece := text[head:]
	if len(parent) == c.parent.runes { // one byte for each character
		c.startAt = start
	} else {
		for n := c.start; n < start; n++ {
			_, size := utf8.DecodeRune(parent[c.startAt:])
			c.startAt += size
		}
	}
	if !bytes.HasPrefix(parent[c.startAt:], piece) || utf8.RuneCount(piece) != end-start {
		return fmt.Sprintf("its text is not that of its parent from %d to %d", start, end)
	}
	c.start, c.end = start, end
	return ""
}
