package diff

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// text is a point without its vectors: a chunk of a post in the shards of some
// languages.
type text struct {
	point  uint64
	hash   [32]byte
	shards []int // ascending positions in the list of both builds' languages
}

// textReader reads the texts of a build in the order of their points, a part at a time.
type textReader struct {
	side  *side
	slugs map[string]int // to position
	read  func(bytes int64)

	parts [][]manifest.File // still to be read
	ready []text
	last  uint64
}

func newTextReader(s *side, languages []string, read func(int64)) *textReader {
	r := &textReader{side: s, slugs: map[string]int{}, read: read, parts: s.parts}
	for tag, slug := range s.slugs {
		r.slugs[slug] = slices.Index(languages, tag)
	}
	return r
}

// post returns the texts of the post with the next id, none at the end. They are
// valid until the next call.
func (r *textReader) post(ctx context.Context) (id int64, texts []text, err error) {
	for len(r.ready) == 0 {
		if len(r.parts) == 0 {
			return 0, nil, nil
		}
		part := r.parts[0]
		r.parts = r.parts[1:]
		if err := r.part(ctx, part); err != nil {
			return 0, nil, err
		}
	}
	id = shard.PostOf(r.ready[0].point)
	n := slices.IndexFunc(r.ready, func(t text) bool { return shard.PostOf(t.point) != id })
	if n < 0 {
		n = len(r.ready)
	}
	texts, r.ready = r.ready[:n], r.ready[n:]
	return id, texts, nil
}

// part reads the shards of a range of posts.
func (r *textReader) part(ctx context.Context, files []manifest.File) error {
	at := map[uint64]int{}
	r.ready = nil
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		language, ok := r.slugs[slug(f)]
		if !ok {
			return r.side.damaged(f, errors.New("it is in the folder of no language"))
		}
		err := shard.Texts(r.side.path(f), func(point uint64, hash string) error {
			i, there := at[point]
			if !there {
				i = len(r.ready)
				at[point] = i
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
			return r.side.damaged(files[0], fmt.Errorf("point %d stands after point %d", first, r.last))
		}
		r.last = r.ready[len(r.ready)-1].point
	}
	return nil
}

// texts merges the texts of the two builds.
func (c *comparison) texts(ctx context.Context) error {
	c.begin(manifest.Vectors)
	was := newTextReader(c.old, c.languages, c.advance("texts"))
	now := newTextReader(c.new, c.languages, c.advance("texts"))
	t := &textTally{newCounter(c.languages)}
	x, before, err := was.post(ctx)
	if err != nil {
		return err
	}
	y, after, err := now.post(ctx)
	if err != nil {
		return err
	}
	for len(before) > 0 || len(after) > 0 {
		var a, b []text
		if len(after) == 0 || len(before) > 0 && x <= y {
			a = before
		}
		if len(before) == 0 || len(after) > 0 && y <= x {
			b = after
		}
		t.add(a, b)
		if a != nil {
			if x, before, err = was.post(ctx); err != nil {
				return err
			}
		}
		if b != nil {
			if y, after, err = now.post(ctx); err != nil {
				return err
			}
		}
	}
	c.result.Texts = t.section()
	return nil
}

// textTally counts texts.
type textTally struct{ *counter }

// add takes the texts of a post in the two builds. Those of a chunk are compared;
// one is embedded anew unless the post had it before, as another chunk, too.
func (t *textTally) add(was, now []text) {
	i := 0
	for _, n := range now {
		for ; i < len(was) && was[i].point < n.point; i++ {
			t.counter.add(was[i].shards, nil, same)
		}
		switch {
		case i < len(was) && was[i].point == n.point:
			what := same
			if was[i].hash != n.hash {
				what = textChanged
			}
			t.counter.add(was[i].shards, n.shards, what)
			i++
		default:
			t.counter.add(nil, n.shards, same)
		}
		if !slices.ContainsFunc(was, func(w text) bool { return w.hash == n.hash }) {
			t.distinct.Embed++
			for _, g := range n.shards {
				t.by[g].Embed++
			}
		}
	}
	for ; i < len(was); i++ {
		t.counter.add(was[i].shards, nil, same)
	}
}
