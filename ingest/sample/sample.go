// Package sample writes a synthetic Stack Exchange dump of any size: Posts.xml,
// Comments.xml, Votes.xml, PostLinks.xml and Tags.xml, in the form of real dumps.
// With it the program can be tried, tested and measured without a real dump. Its
// posts read as questions and answers, so that searches over them return something.
//
// It reads only the texts embedded from text/, which were written for it. The same
// options write the same bytes everywhere: the only source of chance is [rng], and
// no floating-point number is involved.
//
// How a sample is generated:
//
//  1. A post has a number, its slot, from 0. Slots are divided into blocks of 4096.
//     The contents of a block (which slot is a question, which an answer to which
//     question, which a tag wiki) are a pure function of the seed and the block's
//     number ([block]).
//  2. The text of a post is a pure function of the seed and its slot: a [thread]
//     draws language, topic, tags and words from its question's slot, and each
//     answer, comment and vote draws from its own. So every file is streamed by
//     itself, in any order, without memory of the others.
//  3. Comments, votes, links and edits are events. An event comes later than its
//     post, at the slot at which it is due. An event that is due at or after the last
//     slot has not happened: it has no row, and AnswerCount, CommentCount, Score and
//     AcceptedAnswerId do not count it. A site with more posts and the same clock
//     (Options.Grow) therefore begins with the same rows, except for later events.
//
// Write keeps a few blocks in memory, whatever the number of posts.
//
// [Dressings] rewrites a dump in the formats, encodings and spellings of other
// years, for tests.
package sample

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"s2g/schema"
)

// Values of Options.Tags and Options.Compress.
const (
	TagsAngle    = "angle"
	TagsPipe     = "pipe"
	CompressGzip = "gzip"
)

// DefaultPosts is the number of posts of a sample by default.
const DefaultPosts = 10_000

// Options configure a sample. The zero value with Out set writes a small dump in
// the form that dumps had before 2018.
type Options struct {
	Posts    int    // rows of Posts.xml; 0 is DefaultPosts
	Grow     int    // posts that the site will have at its end; 0 is Posts. Samples with one Grow and more Posts are its later dumps
	Seed     uint64 // another seed generates another site
	Out      string // folder of the five files; created if it is missing
	Tags     string // spelling of Posts.Tags: "angle" (the default) is <a><b>, until 2024; "pipe" is |a|b|, since 2024
	Shuffle  bool   // Posts.xml is not in the order of Id, as since 2024
	Licence  bool   // write ContentLicense attributes and CRLF line ends, as dumps since 2018 have them
	Compress string // "" or "gzip", which writes Posts.xml.gz and so on

	// Progress, unless nil, is called every few thousand posts. what is the file;
	// done and total count posts, not rows.
	Progress func(what string, done, total int64)
}

// Stats count the rows that were written.
type Stats struct {
	Posts, Questions, Answers        int64 // Posts includes tag wikis and excerpts
	Comments, Votes, PostLinks, Tags int64
	Bytes                            int64 // of XML, before compression
}

// siteHost is the site of a sample. Its IRIs are those of Stack Overflow, as the tags are.
const siteHost = "stackoverflow.com"

// Write writes a sample and names its site in the file [schema.DumpSiteFile]. It removes a file that it cannot complete.
func Write(ctx context.Context, o Options) (Stats, error) {
	d, err := newDumpWriter(o)
	if err != nil {
		return Stats{}, err
	}
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return Stats{}, fmt.Errorf("create the folder of the sample: %w", err)
	}
	for _, t := range []struct {
		table string
		write func(context.Context, *xmlFile) error
		rows  *int64
	}{
		{"Posts", d.writePosts, &d.stats.Posts},
		{"Comments", d.writeComments, &d.stats.Comments},
		{"Votes", d.writeVotes, &d.stats.Votes},
		{"PostLinks", d.writeLinks, &d.stats.PostLinks},
		{"Tags", d.writeTags, &d.stats.Tags},
	} {
		f, err := createXML(d.o, t.table, strings.ToLower(t.table))
		if err != nil {
			return d.stats, err
		}
		if err := t.write(ctx, f); err != nil {
			f.abort()
			return d.stats, err
		}
		if err := f.commit(); err != nil {
			return d.stats, err
		}
		*t.rows = f.rows
		d.stats.Bytes += f.bytes
	}
	return d.stats, os.WriteFile(filepath.Join(o.Out, schema.DumpSiteFile), []byte(siteHost+"\n"), 0o666)
}

// A dumpWriter writes one sample.
type dumpWriter struct {
	o         Options
	site      *site
	stats     Stats
	questions []int64  // by tag; known once the posts are written
	blocks    [2]block // the current block and the one before, by number modulo 2
}

func newDumpWriter(o Options) (*dumpWriter, error) {
	if o.Posts == 0 {
		o.Posts = DefaultPosts
	}
	switch {
	case o.Grow != 0 && o.Grow < o.Posts:
		return nil, fmt.Errorf("option grow is %d, less than the %d posts of the sample", o.Grow, o.Posts)
	case o.Posts < 0:
		return nil, fmt.Errorf("option posts is %d: a sample has 1 or more", o.Posts)
	case o.Out == "":
		return nil, errors.New("option out is missing: it is the folder of the sample")
	case o.Tags != "" && o.Tags != TagsAngle && o.Tags != TagsPipe:
		return nil, fmt.Errorf("option tags is %q, not angle or pipe", o.Tags)
	case o.Compress != "" && o.Compress != CompressGzip:
		return nil, fmt.Errorf("option compress is %q, not gzip", o.Compress)
	}
	s, err := newSite(o)
	if err != nil {
		return nil, err
	}
	return &dumpWriter{o: o, site: s, questions: make([]int64, len(s.corpus.tags))}, nil
}

// eachBlock calls visit for each block in order and reports progress.
func (d *dumpWriter) eachBlock(ctx context.Context, table string, visit func(b *block) error) error {
	for n := range d.site.blockCount() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("write %s.xml: %w", table, err)
		}
		b := &d.blocks[n%2]
		b.fill(d.o.Seed, n, len(d.site.corpus.tags))
		if err := visit(b); err != nil {
			return err
		}
		d.report(table, (n+1)*blockSize)
	}
	return nil
}

// blockOf returns the block of a slot: the current one or the one before.
func (d *dumpWriter) blockOf(slot int64) *block { return &d.blocks[slot/blockSize%2] }

func (d *dumpWriter) report(table string, done int64) {
	if d.o.Progress != nil {
		d.o.Progress(table+".xml", min(done, d.site.limit), d.site.limit)
	}
}

// eachDue calls write for the events of all posts in the order of the slots at
// which they are due; events due at one slot keep the order in which they were
// drawn. draw calls add for each event of the post at offset i of b.
func eachDue[E any](ctx context.Context, d *dumpWriter, table string, draw func(b *block, i int, add func(due int64, e E)), write func(e E) error) error {
	var queue [maxDelay][]E // by slot modulo maxDelay
	add := func(due int64, e E) {
		at := &queue[due%maxDelay]
		*at = append(*at, e)
	}
	return d.eachBlock(ctx, table, func(b *block) error {
		for i := range d.site.slots(b) {
			draw(b, i, add)
			at := &queue[b.slot(i)%maxDelay]
			for _, e := range *at {
				if err := write(e); err != nil {
					return err
				}
			}
			*at = (*at)[:0]
		}
		return nil
	})
}

// maxDelay is a limit on how many slots after its post an event is due; a power of
// two.
const maxDelay = 2048
