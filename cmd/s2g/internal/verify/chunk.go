package verify

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// pieceReader holds the chunks of a post against its whole text.
type pieceReader struct {
	wholes *wholes // nil: there are none
	whole  whole   // of the post
	known  bool    // it has one
	start  int     // of the chunk before, in code points
	at     int     // and in bytes of the text
	end    int     // of the chunk before, in code points
}

// begin takes a post.
func (r *pieceReader) begin(post int64) {
	r.start, r.at, r.end, r.known = 0, 0, 0, false
	if r.wholes != nil {
		r.whole, r.known = r.wholes.find(post)
	}
}

// check takes the post's next chunk. Chunks follow each other without a gap, and
// the last one ends where the text does.
func (r *pieceReader) check(title, text []byte, start, end int, last bool) string {
	if !r.known {
		return "" // the parents are counted elsewhere
	}
	w := r.wholes.bytes[r.whole.text:r.whole.end]
	if !bytes.Equal(title, r.wholes.bytes[r.whole.title:r.whole.text]) {
		return "its title is not that of its parent"
	}
	head := len(title)
	if len(title) > 0 && len(w) > 0 {
		head += len("\n\n")
	}
	switch {
	case start < r.start || start > r.end || end < start || end > r.whole.runes:
		return fmt.Sprintf("its place, %d to %d, does not follow the chunk before, or is not in its parent's %d characters", start, end, r.whole.runes)
	case last && end != r.whole.runes:
		return fmt.Sprintf("it is the last and ends at %d, its parent at %d", end, r.whole.runes)
	case len(text) < head || string(text[len(title):head]) != "\n\n"[:head-len(title)]:
		return "its text does not begin with its title and an empty line"
	}
	piece := text[head:]
	if len(w) == r.whole.runes {
		r.at = start
	} else {
		for n := r.start; n < start; n++ {
			_, size := utf8.DecodeRune(w[r.at:])
			r.at += size
		}
	}
	if !bytes.HasPrefix(w[r.at:], piece) || runeCount(piece) != end-start {
		return fmt.Sprintf("its text is not that of its parent from %d to %d", start, end)
	}
	r.start, r.end = start, end
	return ""
}
