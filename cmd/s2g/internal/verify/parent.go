package verify

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/vectors/shard"
)

// parentTexts holds what the shards of a part are compared with, in the order of post ids: the
// chunks of each post, made again, or its whole text. A part has some thousand posts.
type parentTexts struct {
	bytes []byte // titles and texts
	posts []parentText
	at    int  // the post that find returned last
	whole bool // all posts of the part are there
}

// parentText is a post of parentTexts.
type parentText struct {
	post             int64
	chunks           []remadeChunk // nil: the post has its text instead
	title, text, end int           // offsets in bytes: of the title, of the text, of its end
	runes            int           // code points of the text
}

func (p *parentTexts) reset() { p.bytes, p.posts, p.at, p.whole = p.bytes[:0], p.posts[:0], 0, true }

// add adds a post. It keeps the text of a post without chunks.
func (p *parentTexts) add(post int64, title, text []byte, chunks []remadeChunk) {
	if chunks != nil {
		text = nil
	}
	at := len(p.bytes)
	p.posts = append(p.posts, parentText{post, chunks, at, at + len(title), at + len(title) + len(text), utf8.RuneCount(text)})
	p.bytes = append(append(p.bytes, title...), text...)
}

// rewind makes find search from the first post again.
func (p *parentTexts) rewind() { p.at = 0 }

// find returns a post. Between two rewinds, callers request ascending ids.
func (p *parentTexts) find(post int64) (parentText, bool) {
	for p.at < len(p.posts) && p.posts[p.at].post < post {
		p.at++
	}
	if p.at == len(p.posts) || p.posts[p.at].post != post {
		return parentText{}, false
	}
	return p.posts[p.at], true
}

// parentTally counts the posts of a file of parents.
type parentTally struct {
	posts       oracle.Tally
	first, last int64
}

// parentCRC returns the checksum of a post's id.
func parentCRC(digits []byte) uint32 { return oracle.CRC(0, digits) }

// readParents counts the posts of a file of parents, makes their chunks again, and adds them to
// texts. It adds their texts to sums, unless that is nil. Unless tables is nil, it then compares the posts with the
// tables.
func (v *verifier) readParents(ctx context.Context, f file, texts *parentTexts, tables *textComparer, sums textSums) (t parentTally, difference string, err error) {
	var rows []wholeText
	difference, err = v.readRows(ctx, f, func(r *rowReader) func() string {
		if d := compareColumns(r.file, shard.ParentColumns()); d != "" {
			return r.refuse(d)
		}
		again := newRewriter[shard.Parent](v, r.file)
		r.end = again.end
		id, title, text := r.int64s("post_id"), r.texts("title"), r.texts("text")
		return func() string {
			post := id.integer()
			if t.posts.Count == 0 {
				t.first = post
			} else if post <= t.last {
				return fmt.Sprintf("post %d comes after post %d", post, t.last)
			}
			t.last = post
			t.posts.Add(parentCRC(strconv.AppendInt(nil, post, 10)))
			texts.add(post, title.bytes(), text.bytes(), v.remakeChunks(post, title.bytes(), text.bytes()))
			again.add(shard.Parent{PostID: post, Title: string(title.bytes()), Text: string(text.bytes())})
			if tables != nil || sums != nil {
				digest := digestOf(title.bytes(), text.bytes())
				if tables != nil {
					rows = append(rows, wholeText{post, digest})
				} else {
					sums.add(post, digest)
				}
			}
			return ""
		}
	})
	texts.whole = difference == ""
	if tables == nil || difference != "" || err != nil {
		return t, difference, err
	}
	if difference, err = tables.compare(ctx, rows); difference != "" {
		difference = f.name + ": " + difference
	}
	return t, difference, err
}

// checkParents checks that the ids ascend from part to part, and sums the posts.
func (v *verifier) checkParents(results []fileResult) {
	c := newCheck("parents", "posts with a row of their own")
	last := int64(-1)
	for i, f := range v.files {
		if f.kind != parentFile {
			continue
		}
		t := results[i].parents
		c.Count += t.posts.Count
		if results[i].difference != "" {
			c.differ("%s", results[i].difference)
			continue
		}
		if t.posts.Count > 0 && t.first <= last {
			c.differ("%s: post %d comes after post %d of an earlier part", f.name, t.first, last)
		}
		last = max(last, t.last)
		v.parentPosts.Merge(t.posts)
	}
	v.parents = c
}

// compareParents compares the posts of the parents with those of the shards.
func (v *verifier) compareParents(ctx context.Context) (Check, error) {
	c := v.parents
	var embedded oracle.Tally
	for _, t := range v.shardTallies {
		embedded.Merge(t.once)
	}
	if embedded == v.parentPosts || !c.OK {
		if v.otherTexts >= 0 {
			c.differ("the posts %d to %d are not those of the tables", v.otherTexts, v.otherTexts+1<<textBits-1)
		}
		return c, nil
	}
	where := ""
	if v.shards.OK {
		var err error
		if where, err = findDifference(ctx, "the parents", v.listParents, "the shards", v.embeddedPosts()); err != nil {
			return c, err
		}
	}
	c.differ("%d posts, the shards embed %d%s", v.parentPosts.Count, embedded.Count, where)
	return c, nil
}

// listParents lists the posts of all parents.
func (v *verifier) listParents(ctx context.Context, yield yieldFunc) error {
	for _, f := range v.filesOf(parentFile) {
		_, err := v.readRows(ctx, f, func(r *rowReader) func() string {
			post := r.int64s("post_id")
			return func() string {
				id := strconv.AppendInt(nil, post.integer(), 10)
				yield(id, tallyOf(parentCRC(id)), f.name)
				return ""
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// embeddedPosts lists each embedded post once.
func (v *verifier) embeddedPosts() lister {
	return v.listShardPosts(v.filesOf(shardFile), func(r *rowReader) postCRCFunc {
		language, languages := r.texts("language"), r.texts("languages")
		return func(id []byte, _ string) ([]byte, uint32, bool) {
			return id, parentCRC(id), isFirstLanguage(language, languages)
		}
	})
}
