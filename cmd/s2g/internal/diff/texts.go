package diff

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// text is a point without its vectors: a chunk of a post, in the shards of one or more
// languages.
type text struct {
	point  uint64
	hash   [32]byte
	shards []int // ascending positions in the list of both builds' languages
}

// textReader reads the texts of a build in the order of their points, a part at a time.
type textReader struct {
	side      *side
	languages map[string]int    // positions in the list of both builds' languages, by slug
	read      func(bytes int64) // called after each file

	parts [][]manifest.File // not read yet
	ready []text            // of the part that was read last, without those that next has returned
	last  uint64            // last point of that part
}

func newTextReader(s *side, languages []string, read func(int64)) *textReader {
	r := &textReader{side: s, languages: map[string]int{}, read: read, parts: s.parts}
	for tag, slug := range s.slugs {
		r.languages[slug] = slices.Index(languages, tag)
	}
	return r
}

// next returns the texts of the next post, nil at the end. They are valid until the next
// call.
func (r *textReader) next(ctx context.Context) (*[]text, error) {
	for len(r.ready) == 0 {
		if len(r.parts) == 0 {
			return nil, nil
		}
		part := r.parts[0]
		r.parts = r.parts[1:]
		if err := r.readPart(ctx, part); err != nil {
			return nil, err
		}
	}
	id := shard.PostOf(r.ready[0].point)
	n := slices.IndexFunc(r.ready, func(t text) bool { return shard.PostOf(t.point) != id })
	if n < 0 {
		n = len(r.ready)
	}
	texts := r.ready[:n]
	r.ready = r.ready[n:]
	return &texts, nil
}

// readPart reads the shards of a part, which is a range of posts, into ready.
func (r *textReader) readPart(ctx context.Context, files []manifest.File) error {
	positions := map[uint64]int{} // in ready
	r.ready = nil
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		language, ok := r.languages[path.Base(path.Dir(f.Name))]
		if !ok {
			return r.side.damaged(f, errors.New("no language has its folder"))
		}
		err := shard.Texts(r.side.path(f), func(point uint64, hash string) error {
			i, known := positions[point]
			if !known {
				i = len(r.ready)
				positions[point] = i
				r.ready = append(r.ready, text{point: point})
				if n, err := hex.Decode(r.ready[i].hash[:], []byte(hash)); err != nil || n != len(r.ready[i].hash) {
					return fmt.Errorf("point %d: %q is no hash", point, hash)
				}
			}
			r.ready[i].shards = append(r.ready[i].shards, language)
			return nil
		})
		if err != nil {
			return r.side.damaged(f, err)
		}
		r.read(f.Size)
	}
	for _, t := range r.ready {
		slices.Sort(t.shards)
	}
	slices.SortFunc(r.ready, func(a, b text) int { return cmp.Compare(a.point, b.point) })
	if len(r.ready) > 0 {
		if first := r.ready[0].point; first <= r.last && r.last > 0 {
			return r.side.damaged(files[0], fmt.Errorf("point %d follows point %d", first, r.last))
		}
		r.last = r.ready[len(r.ready)-1].point
	}
	return nil
}

// compareTexts compares the texts of the shards of both builds, post by post.
func (c *comparison) compareTexts(ctx context.Context) error {
	read := c.progress("texts", manifest.Vectors)
	before, after := newTextReader(c.old, c.languages, read), newTextReader(c.new, c.languages, read)
	counts := newSectionCounts(c.languages)
	err := merge(
		func() (*[]text, error) { return before.next(ctx) },
		func() (*[]text, error) { return after.next(ctx) },
		func(texts *[]text) int64 { return shard.PostOf((*texts)[0].point) },
		func(before, after *[]text) error {
			counts.countTexts(*cmp.Or(before, &[]text{}), *cmp.Or(after, &[]text{}))
			return nil
		})
	c.result.Texts = counts.section()
	return err
}

// countTexts counts the texts of a post, and compares those of the same chunk number. A
// text counts as Embed unless the post had it in OLD, as any of its chunks.
func (c *sectionCounts) countTexts(before, after []text) {
	i := 0
	for _, n := range after {
		for ; i < len(before) && before[i].point < n.point; i++ {
			c.count(before[i].shards, nil, same)
		}
		if i < len(before) && before[i].point == n.point {
			what := same
			if before[i].hash != n.hash {
				what = textChanged
			}
			c.count(before[i].shards, n.shards, what)
			i++
		} else {
			c.count(nil, n.shards, same)
		}
		if !slices.ContainsFunc(before, func(w text) bool { return w.hash == n.hash }) {
			c.distinct.Embed++
			for _, g := range n.shards {
				c.languages[g].Embed++
			}
		}
	}
	for ; i < len(before); i++ {
		c.count(before[i].shards, nil, same)
	}
}
