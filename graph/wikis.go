package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"s2g/schema"
	"s2g/schema/tables"
)

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

// wikiUnit renders a unit of wikis.
func (w *worker) wikiUnit(ctx context.Context, u *unit) error {
	unit := w.list.wikis[u.lo : u.hi+1]
	ids := make([]int64, len(unit))
	for i := range unit {
		ids[i] = unit[i].id
	}
	rows, err := open(ctx, w.db, "SELECT "+postColumns+" FROM Posts WHERE Id IN ("+commas(ids)+") ORDER BY Id")
	if err != nil {
		return fmt.Errorf("reading tag wikis: %w", err)
	}
	for i := range unit {
		if !rows.of(unit[i].id) {
			return errors.Join(fmt.Errorf("post %d has gone", unit[i].id), rows.close())
		}
		w.wiki(&unit[i], rows.row)
		rows.next()
		if err := w.spill(ctx); err != nil {
			return errors.Join(err, rows.close())
		}
	}
	return rows.close()
}

func (w *worker) wiki(k *wiki, row [][]byte) {
	w.out.Begin(k.graphs, w.terms.post, k.id)
	if k.excerpt {
		w.terms.isTagWikiExcerpt.write(w.out)
	} else {
		w.terms.isTagWiki.write(w.out)
	}
	w.common(row)
	w.count(wikisWritten, 1)
}

// commas lists ids as SQL does.
func commas(ids []int64) string {
	var list []byte
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return string(list)
}
