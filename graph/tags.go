package graph

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"s2g/schema/vocab"
)

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
