// Package sample writes a synthetic Stack Exchange dump of any size: Posts.xml,
// Comments.xml, Votes.xml, PostLinks.xml and Tags.xml in the dress of the real
// ones. It exists so that the program can be tried, tested and measured where no
// real dump is at hand, at any size, and so that the result reads like questions
// and answers: a search over it shows something.
//
// It reads nothing but the texts embedded from text/, all written for it, and it
// writes the same bytes for the same options everywhere: the only source of
// chance is [rng], and no floating-point number is involved.
//
// How it is made:
//
//  1. A post has a number, its slot, from 0. Slots are cut into blocks of 4096.
//     What a block holds (which slot is a question, which an answer to which
//     question, which a tag wiki) is a pure function of the seed and the block's
//     number ([block]).
//  2. What a post says is a pure function of the seed and its slot: a [thread]
//     draws language, topic, tags and words from its question's slot, and each
//     answer, comment and vote draws again from its own. So every file can be
//     streamed by itself, in any order, with no memory of the others.
//  3. Comments and votes come later than their post, at the slot where they are
//     due. What is due at or after the last slot has not happened yet, and
//     AnswerCount, CommentCount, Score and AcceptedAnswerId count only what has.
//     A site with more posts and the same clock (Options.Grow) therefore begins
//     with the same rows, but for such edits.
//
// Memory is a few blocks, whatever the number of posts.
package sample

import (
	"context"
	"fmt"
	"os"
)

// Values of Options.Tags and Options.Compress.
const (
	TagsAngle    = "angle"
	TagsPipe     = "pipe"
	CompressGzip = "gzip"
)

// DefaultPosts is how many posts a sample has unless told.
const DefaultPosts = 10_000

// Options say what to write. The zero value, with Out set, writes a small dump
// as they were before 2018.
type Options struct {
	Posts    int    // rows of Posts.xml; 0 is DefaultPosts
	Grow     int    // posts that the site will have at its end; 0: it is as old as it gets. More Posts of the same are its later dumps
	Seed     uint64 // another seed is another site
	Out      string // folder of the five files; made if it is missing
	Tags     string // how Posts.Tags is spelt: "angle" (the default) <a><b>, until 2024; "pipe" |a|b|, since
	Shuffle  bool   // Posts.xml not in the order of Id, as since 2024
	Licence  bool   // ContentLicense attributes and CRLF ends of lines, as dumps have had them since 2018
	Compress string // "" or "gzip", which writes Posts.xml.gz and so on

	// Progress, unless nil, hears of each few thousand posts done: what is the
	// file, done and total count posts, not rows.
	Progress func(what string, done, total int64)
}

// Stats count what was written.
type Stats struct {
	Posts, Questions, Answers        int64 // Posts includes tag wikis and excerpts
	Comments, Votes, PostLinks, Tags int64
	Bytes                            int64 // of XML, before compression
}

// Write writes the dump. The same options write the same XML anywhere. A file
// that was not finished is not left behind.
func Write(ctx context.Context, o Options) (Stats, error) {
	d, err := newDump(ctx, o)
	if err != nil {
		return Stats{}, err
	}
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return Stats{}, fmt.Errorf("making the folder of the sample: %w", err)
	}
	for _, t := range []struct {
		table, root string
		write       func(*file) error
		rows        *int64
	}{
		{"Posts", "posts", d.posts, &d.stats.Posts},
		{"Comments", "comments", d.comments, &d.stats.Comments},
		{"Votes", "votes", d.votes, &d.stats.Votes},
		{"PostLinks", "postlinks", d.links, &d.stats.PostLinks},
		{"Tags", "tags", d.tags, &d.stats.Tags},
	} {
		f, err := create(d.o, t.table, t.root)
		if err != nil {
			return d.stats, err
		}
		if err := t.write(f); err != nil {
			f.abandon()
			return d.stats, err
		}
		if err := f.commit(); err != nil {
			return d.stats, err
		}
		*t.rows = f.rows
		d.stats.Bytes += f.bytes
	}
	return d.stats, nil
}

// A dump is a sample that is being written.
type dump struct {
	ctx   context.Context
	o     Options
	site  *site
	stats Stats
	count []int64 // of questions, by tag; known once the posts are written
}

func newDump(ctx context.Context, o Options) (*dump, error) {
	if o.Posts == 0 {
		o.Posts = DefaultPosts
	}
	switch {
	case o.Grow != 0 && o.Grow < o.Posts:
		return nil, fmt.Errorf("a sample of %d posts of a site that grows to %d", o.Posts, o.Grow)
	case o.Posts < 0:
		return nil, fmt.Errorf("a sample of %d posts: the number must be positive", o.Posts)
	case o.Out == "":
		return nil, fmt.Errorf("a sample needs a folder to be written to")
	case o.Tags != "" && o.Tags != TagsAngle && o.Tags != TagsPipe:
		return nil, fmt.Errorf("tags spelt %q: angle and pipe are known", o.Tags)
	case o.Compress != "" && o.Compress != CompressGzip:
		return nil, fmt.Errorf("compression %q: only gzip is known", o.Compress)
	}
	s, err := newSite(o)
	if err != nil {
		return nil, err
	}
	return &dump{ctx: ctx, o: o, site: s, count: make([]int64, len(s.corpus.tags))}, nil
}

func newSite(o Options) (*site, error) {
	c, err := newCorpus()
	if err != nil {
		return nil, err
	}
	n := int64(o.Posts)
	return &site{
		corpus: c, seed: o.Seed, limit: n, clock: clock{seed: o.Seed, posts: max(n, int64(o.Grow))},
		pipes: o.Tags == TagsPipe, licence: o.Licence,
	}, nil
}

// blocks calls do for each block in order and reports progress.
func (d *dump) blocks(what string, do func(b *block) error) error {
	// Two blocks take turns, so that do can keep the one before.
	var room [2]block
	for n := range d.site.blockCount() {
		if err := d.ctx.Err(); err != nil {
			return fmt.Errorf("writing %s.xml: %w", what, err)
		}
		b := &room[n%2]
		b.fill(d.o.Seed, n, len(d.site.corpus.tags))
		if err := do(b); err != nil {
			return err
		}
		d.report(what, (n+1)*blockSize)
	}
	return nil
}

func (d *dump) report(what string, done int64) {
	if d.o.Progress != nil {
		d.o.Progress(what+".xml", min(done, d.site.limit), d.site.limit)
	}
}

func (s *site) blockCount() int64 { return (s.limit + blockSize - 1) / blockSize }

// slots is how many slots of a block exist.
func (s *site) slots(b *block) int { return int(min(blockSize, s.limit-b.number*blockSize)) }

func (d *dump) posts(f *file) error {
	w := &postWriter{voice: voice{site: d.site}, tagCounts: d.count}
	row := func(b *block, i int) error {
		w.buf = w.buf[:0]
		w.row(b, i)
		return f.row(w.buf)
	}
	var err error
	if d.o.Shuffle {
		err = d.shuffled(row)
	} else {
		err = d.blocks("Posts", func(b *block) error {
			for i := range d.site.slots(b) {
				if err := row(b, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	d.stats.Questions, d.stats.Answers = w.stats.Questions, w.stats.Answers
	return err
}

func (d *dump) comments(f *file) error {
	var waiting ring[remark]
	var room []remark
	var id int64
	var before *block
	v := &voice{site: d.site}
	return d.blocks("Comments", func(b *block) error {
		for i := range d.site.slots(b) {
			slot := b.slot(i)
			room = d.site.remarks(room[:0], b, i)
			for _, m := range room {
				waiting.add(m.due, m)
			}
			if slot%256 == 9 { // what is left of a deleted post
				waiting.add(slot, remark{slot: slot, due: slot, stray: true})
			}
			for _, m := range waiting.take(slot) {
				of := b
				if m.slot < b.slot(0) {
					of = before
				}
				id += 1 + m.slot%7/6
				v.buf = v.buf[:0]
				v.commentRow(id, m, of)
				if err := f.row(v.buf); err != nil {
					return err
				}
			}
		}
		before = b
		return nil
	})
}

func (d *dump) votes(f *file) error {
	var waiting ring[vote]
	var room []vote
	var buf []byte
	var id int64
	return d.blocks("Votes", func(b *block) error {
		for i := range d.site.slots(b) {
			slot := b.slot(i)
			room = d.site.votes(room[:0], b, i)
			for _, x := range room {
				waiting.add(x.due, x)
			}
			if slot%32 == 7 { // what is left of a deleted post
				waiting.add(slot, vote{post: d.site.lostID(slot), due: slot, kind: voteUp})
			}
			for _, x := range waiting.take(slot) {
				id += 1 + x.post%9/8
				buf = d.site.voteRow(buf[:0], id, x)
				if err := f.row(buf); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (d *dump) links(f *file) error {
	var waiting ring[reference]
	var buf []byte
	var id int64
	return d.blocks("PostLinks", func(b *block) error {
		for i := range d.site.slots(b) {
			duplicate, linked := d.site.references(b, i)
			for _, l := range []reference{duplicate, linked} {
				if l.kind != 0 && l.due < d.site.limit {
					waiting.add(l.due, l)
				}
			}
			for _, l := range waiting.take(b.slot(i)) {
				id += 1 + l.slot%40
				buf = d.site.linkRow(buf[:0], id, l)
				if err := f.row(buf); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (d *dump) tags(f *file) error {
	var buf []byte
	for tag, n := range d.count {
		buf = d.site.tagRow(buf[:0], tag, n)
		if len(buf) == 0 {
			continue
		}
		if err := f.row(buf); err != nil {
			return err
		}
	}
	d.report("Tags", d.site.limit)
	return nil
}

// ringSize is how many slots ahead something can be due, and a power of two.
const ringSize = 2048

// A ring hands out things at the slot at which they are due.
type ring[T any] struct{ due [ringSize][]T }

// add puts x in for a slot, less than ringSize after the one taken last.
func (r *ring[T]) add(slot int64, x T) {
	at := &r.due[slot%ringSize]
	*at = append(*at, x)
}

// take returns what is due at a slot, in the order in which it was added; the
// slice is valid until add puts something in a whole ring later.
func (r *ring[T]) take(slot int64) []T {
	at := &r.due[slot%ringSize]
	x := *at
	*at = x[:0]
	return x
}
