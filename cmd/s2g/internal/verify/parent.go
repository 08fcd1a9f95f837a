package verify

import (
	"context"
	"strconv"

	"s2g/cmd/s2g/internal/oracle"
)

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
