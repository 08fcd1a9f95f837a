package verify

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// chunkChecker compares the chunks of a post with the text of its parent.
type chunkChecker struct {
	parents *parentTexts // nil: none
	parent  parentText   // of the post
	known   bool         // the post has a parent
	start   int          // of the chunk before, in code points
	startAt int          // the same in bytes of the text
	end     int          // of the chunk before, in code points
}

// begin moves to a post.
func (c *chunkChecker) begin(post int64) {
	c.start, c.startAt, c.end, c.known = 0, 0, 0, false
	if c.parents != nil {
		c.parent, c.known = c.parents.find(post)
	}
}

// check checks the post's next chunk: text is title, an empty line, and the
// parent's text from start to end, in code points. Chunks overlap or follow each
// other without a gap, and the last one ends where the parent does.
func (c *chunkChecker) check(title, text []byte, start, end int, last bool) string {
	if !c.known {
		return "" // compareParents counts the parents
	}
	parent := c.parents.bytes[c.parent.text:c.parent.end]
	if !bytes.Equal(title, c.parents.bytes[c.parent.title:c.parent.text]) {
		return "its title is not that of its parent"
	}
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
