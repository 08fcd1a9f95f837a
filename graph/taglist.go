package graph

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
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

// tagWikis keeps of the wikis that tags name those that are there and of the
// right type, and lists them.
func (b *build) tagWikis(ctx context.Context, l *tagList) error {
	kinds := map[int64]int64{} // of the posts that tags name
	for i := range l.tags {
		kinds[l.tags[i].wiki], kinds[l.tags[i].excerpt] = 0, 0
	}
	delete(kinds, 0)
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(kinds)), wikiBlock) {
		if err := b.kinds(ctx, ids, kinds); err != nil {
			return err
		}
	}
	graphs := map[int64]bits{}
	keep := func(t *tag, id *int64, kind int64) {
		if *id == 0 {
			return
		}
		if kinds[*id] != kind {
			*id = 0
			t.dropped++
			return
		}
		if graphs[*id] == nil {
			graphs[*id] = make(bits, (len(b.graphs)+63)/64)
		}
		graphs[*id].add(t.graphs)
	}
	for i := range l.tags {
		t := &l.tags[i]
		keep(t, &t.wiki, schema.PostTagWiki)
		keep(t, &t.excerpt, schema.PostTagWikiExcerpt)
	}
	for id, g := range graphs {
		l.wikis = append(l.wikis, wiki{id: id, excerpt: kinds[id] == schema.PostTagWikiExcerpt, graphs: g.list()})
	}
	slices.SortFunc(l.wikis, func(a, b wiki) int { return cmp.Compare(a.id, b.id) })
	return nil
}

// kinds looks up the types of posts.
func (b *build) kinds(ctx context.Context, ids []int64, kinds map[int64]int64) error {
	rows, err := b.db.Query(ctx, "SELECT Id, PostTypeId FROM Posts WHERE Id IN ("+commas(ids)+")")
	if err != nil {
		return err
	}
	for rows.Scan() {
		kinds[tables.Int(rows.Record()[0])] = tables.Int(rows.Record()[1])
	}
	return errors.Join(rows.Err(), rows.Close())
}
