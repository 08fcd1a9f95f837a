package report

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// graphFiles finds nodes in the batches of a graph. The batches hold questions and
// answers in the order of their ids, then tags by name, then tag wikis by id (package
// graph). A binary search, which reads the first node of a few batches, finds the two or
// three that can hold a node.
type graphFiles struct {
	out     string
	site    vocab.Site
	batches []manifest.File
	firsts  map[int]place // by position in batches
	scanned int           // number of batches that read has read whole; tests limit it
}

func openGraphFiles(o Options) *graphFiles {
	f := &graphFiles{out: o.Out, site: o.Site, firsts: map[int]place{}}
	if s := o.Manifest.Stages[manifest.Graph]; s != nil {
		f.batches = s.Batches()
	}
	return f
}

// place is the position of a node in the order of the batches.
type place struct {
	part part
	id   int64  // of a question, an answer or a tag wiki
	tag  string // name of a tag
}

type part int

const (
	partPosts part = iota
	partTags
	partWikis
	partEnd
)

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.part, q.part), cmp.Compare(p.id, q.id), strings.Compare(p.tag, q.tag))
}

// placeOf returns the place of a question, an answer, a tag or a tag wiki, and partEnd
// for another node, which has no place of its own.
func (f *graphFiles) placeOf(iri string) place {
	local := strings.TrimPrefix(iri, string(f.site))
	for stem, part := range map[string]part{"/questions/": partPosts, "/a/": partPosts, "/posts/": partWikis} {
		if digits, ok := strings.CutPrefix(local, stem); ok {
			if id, err := strconv.ParseInt(digits, 10, 64); err == nil {
				return place{part: part, id: id}
			}
		}
	}
	if segment, ok := strings.CutPrefix(local, "/tags/"); ok {
		if name, err := url.PathUnescape(segment); err == nil {
			return place{part: partTags, tag: name}
		}
	}
	return place{part: partEnd}
}

// first returns the place of the first node with one in the batch at position i, or in
// the next batches where that one consists of comments. It reads up to a so:postId or
// so:tagName. Edges are no evidence, because an edge to an answer is at the place of the
// answer.
func (f *graphFiles) first(i int) (place, error) {
	if p, ok := f.firsts[i]; ok {
		return p, nil
	}
	p := place{part: partEnd}
	for j := i; j < len(f.batches) && p.part == partEnd; j++ {
		err := f.scan(f.batches[j], func(q *trig.Quad) (more bool) {
			if name := string(q.Predicate.Value); name == vocab.NS+vocab.PostID || name == vocab.NS+vocab.TagName {
				p = f.placeOf(string(q.Subject.Value))
			}
			return p.part == partEnd
		})
		if err != nil {
			return p, err
		}
	}
	f.firsts[i] = p
	return p, nil
}

// holding returns the range of batches, from and up to but without to, that can hold a
// place. Batches are grouped by graph, so a node can be anywhere in its batch; the places
// of two batches overlap at most at their ends.
func (f *graphFiles) holding(p place) (from, to int, err error) {
	search := func(beyond func(first place) bool) int {
		return sort.Search(len(f.batches), func(i int) bool {
			first, failed := f.first(i)
			err = errors.Join(err, failed)
			return failed != nil || beyond(first)
		})
	}
	from = search(func(first place) bool { return first.compare(p) >= 0 })
	to = search(func(first place) bool { return first.compare(p) > 0 })
	if err == nil && to < len(f.batches) { // a place can continue in all batches that have the same next node
		next := f.firsts[to]
		to = search(func(first place) bool { return first.compare(next) > 0 })
	}
	return max(from-1, 0), to, err
}

// read passes all quads of the batches that can hold one of the places to use, in the
// order of the batches.
func (f *graphFiles) read(ctx context.Context, places []place, use func(*trig.Quad)) error {
	chosen := map[int]bool{}
	for _, p := range places {
		from, to, err := f.holding(p)
		if err != nil {
			return err
		}
		for i := from; i < to; i++ {
			chosen[i] = true
		}
	}
	for i, batch := range f.batches {
		if !chosen[i] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f.scanned++
		if err := f.scan(batch, func(q *trig.Quad) bool { use(q); return true }); err != nil {
			return err
		}
	}
	return nil
}

// scan passes the quads of a batch to use until it returns false. A batch that is
// missing or damaged is a verification fault.
func (f *graphFiles) scan(batch manifest.File, use func(*trig.Quad) (more bool)) error {
	name := filepath.Join(f.out, filepath.FromSlash(batch.Name))
	err := scanBatch(name, use)
	if err != nil {
		return schema.Faultf(schema.FaultVerification, "s2g verify with option files-only lists all damage in "+f.out+"; build the graph again", "%s: %w", name, err)
	}
	return nil
}

func scanBatch(name string, use func(*trig.Quad) (more bool)) error {
	stored, err := schema.OpenRegular(name)
	if err != nil {
		return err
	}
	defer stored.Close()
	text, format, err := trig.OpenText(stored, name)
	if err != nil {
		return err
	}
	defer text.Close()
	quads := trig.NewReader(text, format)
	for quads.Scan() {
		if !use(quads.Record()) {
			return nil
		}
	}
	return quads.Err()
}
