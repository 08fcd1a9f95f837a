package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"

	"s2g/cmd/s2g/internal/oracle"
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

// parentTally is the posts of one file of parents.
type parentTally struct {
	posts       oracle.Tally
	first, last int64
}

// parentSet is all parents.
type parentSet struct {
	check Check
	posts oracle.Tally
}

func parentCRC(digits []byte) uint32 { return oracle.CRC(0, digits) }

// judgeParents checks that the parts follow each other.
func (b *build) judgeParents(found []finding) {
	c := newCheck("parents", "posts with a row of their own")
	last := int64(-1)
	for i, f := range b.files {
		if f.kind != aParent {
			continue
		}
		t := found[i].rows
		c.Count += t.posts.Count
		if found[i].bad != "" {
			c.differ("%s", found[i].bad)
			continue
		}
		if t.posts.Count > 0 && t.first <= last {
			c.differ("%s: post %d stands after post %d of an earlier part", f.name, t.first, last)
		}
		last = max(last, t.last)
		b.parents.posts.Merge(t.posts)
	}
	b.parents.check = c
}

// compareParents holds the parents against the posts that the shards embed.
func (b *build) compareParents(ctx context.Context) (Check, error) {
	c := b.parents.check
	var embedded oracle.Tally
	for _, t := range b.shards.graphs {
		embedded.Merge(t.once)
	}
	if embedded == b.parents.posts || !c.OK {
		return c, nil
	}
	where := ""
	if b.shards.check.OK {
		var err error
		if where, err = search(ctx, "the parents", b.listParents, "the shards", b.listEmbedded); err != nil {
			return c, err
		}
	}
	c.differ("%d posts, the shards embed %d%s", b.parents.posts.Count, embedded.Count, where)
	return c, nil
}

func (b *build) listParents(ctx context.Context, yield yield) error {
	for _, f := range b.files {
		if f.kind != aParent {
			continue
		}
		_, err := b.eachRow(ctx, f, func(rows *table) func() string {
			post := rows.int64("post_id")
			return func() string {
				id := strconv.AppendInt(nil, post.int(), 10)
				yield(id, one(parentCRC(id)), f.name)
				return ""
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listEmbedded lists each embedded post once.
func (b *build) listEmbedded(ctx context.Context, yield yield) error {
	return b.eachPost(-1, func(t *table) func(id, kind []byte) ([]byte, uint32, bool) {
		language, languages := t.text("language"), t.text("languages")
		return func(id, _ []byte) ([]byte, uint32, bool) { return id, parentCRC(id), once(language, languages) }
	})(ctx, yield)
}
