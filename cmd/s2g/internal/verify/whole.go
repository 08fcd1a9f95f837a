package verify

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// wholes are the texts of a part's posts before they were cut into chunks, in
// the order of their ids. A part has some thousand posts.
type wholes struct {
	bytes []byte // titles and texts
	posts []whole
	at    int // the post that was found last
}

type whole struct {
	post             int64
	title, text, end int // where they begin in bytes
	runes            int // code points of the text
}

func (w *wholes) reset() { w.bytes, w.posts, w.at = w.bytes[:0], w.posts[:0], 0 }

func (w *wholes) add(post int64, title, text []byte) {
	p := whole{post: post, title: len(w.bytes), text: len(w.bytes) + len(title), end: len(w.bytes) + len(title) + len(text), runes: runeCount(text)}
	w.bytes = append(append(w.bytes, title...), text...)
	w.posts = append(w.posts, p)
}

// runeCount counts code points: bytes in most texts, eight at a time.
func runeCount(text []byte) int {
	i := 0
	for ; i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&0x8080808080808080 == 0; i += 8 {
	}
	return i + utf8.RuneCount(text[i:])
}

// rewind makes find begin again.
func (w *wholes) rewind() { w.at = 0 }

// find finds a post. It is asked for ascending ids.
func (w *wholes) find(post int64) (whole, bool) {
	for w.at < len(w.posts) && w.posts[w.at].post < post {
		w.at++
	}
	if w.at == len(w.posts) || w.posts[w.at].post != post {
		return whole{}, false
	}
	return w.posts[w.at], true
}

// readParents reads the posts of a file of parents into w.
func (b *build) readParents(ctx context.Context, f file, w *wholes) (t parentTally, bad string, err error) {
	bad, err = b.eachRow(ctx, f, func(rows *table) func() string {
		id, title, text := rows.int64("post_id"), rows.text("title"), rows.text("text")
		return func() string {
			post := id.int()
			if t.posts.Count == 0 {
				t.first = post
			} else if post <= t.last {
				return fmt.Sprintf("post %d stands after post %d", post, t.last)
			}
			t.last = post
			t.posts.Add(parentCRC(strconv.AppendInt(nil, post, 10)))
			w.add(post, title.bytes(), text.bytes())
			return ""
		}
	})
	if bad != "" {
		bad = f.name + ": " + bad
	}
	return t, bad, err
}

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
