package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// tagGraphs holds for each tag the graphs of the questions that carry it, as
// bits.
type tagGraphs map[string]bits

// bits is a set of small numbers.
type bits []uint64

func (b bits) add(graphs []int) {
	for _, g := range graphs {
		b[g/64] |= 1 << (g % 64)
	}
}

func (b bits) merge(c bits) {
	for i := range c {
		b[i] |= c[i]
	}
}

// list returns the numbers, ascending.
func (b bits) list() []int {
	var graphs []int
	for i := range len(b) * 64 {
		if b[i/64]&(1<<(i%64)) != 0 {
			graphs = append(graphs, i)
		}
	}
	return graphs
}

// add notes that a question in these of n graphs carries a tag.
func (t tagGraphs) add(tag []byte, graphs []int, n int) {
	b, ok := t[string(tag)]
	if !ok {
		b = make(bits, (n+63)/64)
		t[string(tag)] = b
	}
	b.add(graphs)
}

func (t tagGraphs) merge(u tagGraphs) {
	for tag, b := range u {
		if have, ok := t[tag]; ok {
			have.merge(b)
		} else {
			t[tag] = b
		}
	}
}

// splitTags returns the tags of |a|b|.
func splitTags(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for tag := range bytes.SplitSeq(list, []byte{'|'}) {
			if len(tag) > 0 && !yield(tag) {
				return
			}
		}
	}
}

// tag is a tag that questions of a graph carry, with its row of Tags.
type tag struct {
	name          string
	graphs        []int
	hasRow        bool
	count         []byte
	wiki, excerpt int64 // posts that are in the dump and of the right type; 0: none
	dropped       int64 // wikis that the row names and the dump does not have
}

// wiki is a tag wiki or an excerpt, and the graphs of the tags that name it.
type wiki struct {
	id      int64
	excerpt bool
	graphs  []int
}

// tagList is the tags by name and the wikis by id.
type tagList struct {
	tags  []tag
	wikis []wiki
}

// listTags lists the tags of all questions in graphs. What the workers have not
// seen, because an interrupted run had written it, is read again.
func (b *build) listTags(ctx context.Context, workers []*worker, last checkpoint) (*tagList, error) {
	seen := tagGraphs{}
	for _, w := range workers {
		seen.merge(w.tagged)
		w.tagged = tagGraphs{}
	}
	if last.Phase > phasePosts || last.Unit > 0 {
		if err := b.tagsBefore(ctx, last, seen); err != nil {
			return nil, fmt.Errorf("reading the tags of questions: %w", err)
		}
	}
	l := &tagList{}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		l.tags = append(l.tags, tag{name: name, graphs: seen[name].list()})
	}
	if err := b.tagRows(ctx, l.tags); err != nil {
		return nil, fmt.Errorf("reading Tags: %w", err)
	}
	if err := b.tagWikis(ctx, l); err != nil {
		return nil, fmt.Errorf("looking for tag wikis: %w", err)
	}
	return l, nil
}

// tagsBefore adds the tags of the questions before a checkpoint.
func (b *build) tagsBefore(ctx context.Context, last checkpoint, seen tagGraphs) error {
	query := fmt.Sprintf("SELECT Tags FROM Posts WHERE PostTypeId = %d", schema.PostQuestion)
	if last.Phase == phasePosts {
		query += fmt.Sprintf(" AND Id < %d", last.Unit)
	}
	rows, err := b.db.Query(ctx, query)
	if err != nil {
		return err
	}
	for rows.Scan() {
		list := rows.Record()[0]
		if set := b.threads.SetOf(list); set != 0 {
			for tag := range splitTags(list) {
				seen.add(tag, b.threads.Graphs(set), len(b.graphs))
			}
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// tagRows merges the rows of Tags into a list of tags that is ordered by name.
// Of rows with the same name the first counts.
func (b *build) tagRows(ctx context.Context, list []tag) error {
	if !b.has["Tags"] {
		return nil
	}
	rows, err := b.db.Query(ctx, "SELECT TagName, Count, WikiPostId, ExcerptPostId FROM Tags ORDER BY TagName, Id")
	if err != nil {
		return err
	}
	for i := 0; i < len(list) && rows.Scan(); {
		r := rows.Record()
		for i < len(list) && list[i].name < string(r[0]) {
			i++
		}
		if i < len(list) && list[i].name == string(r[0]) {
			t := &list[i]
			t.hasRow, t.count, t.wiki, t.excerpt = true, bytes.Clone(r[1]), tables.Int(r[2]), tables.Int(r[3])
			i++
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// tagUnit renders a unit of tags.
func (w *worker) tagUnit(ctx context.Context, u *unit) error {
	for i := u.lo; i <= u.hi; i++ {
		w.tag(&w.list.tags[i])
		if err := w.spill(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) tag(t *tag) {
	w.scratch = vocab.AppendSegment(w.scratch[:0], t.name)
	w.out.BeginTerm(t.graphs, w.terms.tag.Open+string(w.scratch)+w.terms.tag.Close)
	w.terms.isTag.write(w.out)
	w.terms.tagName.text(w.out, []byte(t.name))
	w.number(w.out, w.terms.tagCount, t.count)
	if t.wiki != 0 {
		w.terms.HasTagWiki.int(w.out, w.terms.post, t.wiki)
	}
	if t.excerpt != 0 {
		w.terms.HasTagWikiExcerpt.int(w.out, w.terms.post, t.excerpt)
	}
	w.count(tagsWritten, 1)
	w.count(wikisDropped, t.dropped)
	if !t.hasRow {
		w.count(tagsWithoutRow, 1)
	}
}
