package graph

import (
	"context"
	"errors"
	"fmt"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// renderTags renders a unit of tags.
func (w *worker) renderTags(ctx context.Context, tags []listedTag) error {
	for i := range tags {
		w.renderTag(&tags[i])
		if err := w.spill(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) renderTag(tag *listedTag) {
	t, f := w.terms, w.out
	w.scratch = vocab.AppendSegment(w.scratch[:0], tag.name)
	f.BeginTerm(tag.graphs, t.tag.Open+string(w.scratch)+t.tag.Close)
	t.isTag.write(f)
	t.tagName.text(f, []byte(tag.name))
	w.writeNumber(f, t.tagCount, tag.count)
	if tag.wiki != 0 {
		t.HasTagWiki.int(f, t.post, tag.wiki)
	}
	if tag.excerpt != 0 {
		t.HasTagWikiExcerpt.int(f, t.post, tag.excerpt)
	}
	w.count(tagsWritten, 1)
	w.count(wikisDropped, tag.dropped)
	if !tag.hasRow {
		w.count(tagsWithoutRow, 1)
	}
}

// renderWikis renders a unit of tag wikis and excerpts.
func (w *worker) renderWikis(ctx context.Context, wikis []listedWiki) (err error) {
	ids := make([]int64, len(wikis))
	for i := range wikis {
		ids[i] = wikis[i].id
	}
	rows, err := openScan(ctx, w.db, "SELECT "+postColumns+" FROM Posts WHERE Id IN ("+tables.IDList(ids)+") ORDER BY Id")
	if err != nil {
		return fmt.Errorf("reading tag wikis: %w", err)
	}
	defer func() { err = errors.Join(err, rows.close()) }()
	for i := range wikis {
		if !rows.isOf(wikis[i].id) {
			return fmt.Errorf("the tag wiki %d is missing, which was there before", wikis[i].id)
		}
		w.renderWiki(&wikis[i], rows.row)
		rows.next()
		if err := w.spill(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) renderWiki(k *listedWiki, row [][]byte) {
	w.out.Begin(k.graphs, w.terms.post, k.id)
	if k.excerpt {
		w.terms.isTagWikiExcerpt.write(w.out)
	} else {
		w.terms.isTagWiki.write(w.out)
	}
	w.renderCommon(row)
	w.count(wikisWritten, 1)
}
