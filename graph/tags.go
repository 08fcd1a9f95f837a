package graph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"s2g/schema"
	"s2g/schema/postscan"
	"s2g/schema/projection"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// listedTag is a tag that questions of a graph carry, with its row of Tags.
type listedTag struct {
	name          string
	graphs        []int
	hasRow        bool
	count         []byte
	wiki, excerpt int64 // posts of the dump of the right type; 0: none
	dropped       int64 // how many of the row's wiki and excerpt were removed as missing or of another type
}

// listedWiki is a tag wiki or an excerpt, and the graphs of the tags that name it.
type listedWiki struct {
	id      int64
	excerpt bool
	graphs  []int
}

// tagList lists the tags by name and the wikis by id.
type tagList struct {
	tags  []listedTag
	wikis []listedWiki
}

// listTags lists the tags of all questions in graphs. tagged holds the tags of the
// questions that this run has rendered; listTags reads those before the checkpoint.
func listTags(ctx context.Context, src *source, tagged tagGraphs, last checkpoint) (*tagList, error) {
	if last.Phase > phasePosts || last.Unit > 0 {
		err := projection.Read(ctx, src.db, func(int64) (func(*projection.Post), error) {
			return func(p *projection.Post) {
				if !p.Question() || last.Phase == phasePosts && p.ID >= last.Unit {
					return
				}
				if set := src.threads.SetOf(p.Tags); set != 0 {
					for tag := range schema.SplitTags(p.Tags) {
						tagged.record(tag, src.threads.Graphs(set), len(src.graphs))
					}
				}
			}, nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading the tags of questions: %w", err)
		}
	}
	l := &tagList{}
	for _, name := range slices.Sorted(maps.Keys(tagged)) {
		l.tags = append(l.tags, listedTag{name: name, graphs: tagged[name].list()})
	}
	if err := l.readTagRows(ctx, src); err != nil {
		return nil, fmt.Errorf("reading Tags: %w", err)
	}
	if err := l.findWikis(ctx, src); err != nil {
		return nil, fmt.Errorf("finding tag wikis: %w", err)
	}
	return l, nil
}

// readTagRows merges the rows of Tags into the tags; both are ordered by name. The
// first of several rows with the same name counts.
func (l *tagList) readTagRows(ctx context.Context, src *source) error {
	if !src.tables["Tags"] {
		return nil
	}
	i, list := 0, l.tags
	return src.db.EachRow(ctx, "SELECT TagName, Count, WikiPostId, ExcerptPostId FROM Tags ORDER BY TagName, Id", func(row [][]byte) error {
		for i < len(list) && list[i].name < string(row[0]) {
			i++
		}
		if i < len(list) && list[i].name == string(row[0]) {
			t := &list[i]
			t.hasRow, t.count, t.wiki, t.excerpt = true, bytes.Clone(row[1]), tables.Int(row[2]), tables.Int(row[3])
			i++
		}
		return nil
	})
}

// findWikis lists the wikis that tags name. It removes from a tag the ids of posts that
// are missing in the dump or have another type.
func (l *tagList) findWikis(ctx context.Context, src *source) error {
	types := map[int64]int64{} // of the posts that tags name
	for i := range l.tags {
		types[l.tags[i].wiki], types[l.tags[i].excerpt] = 0, 0
	}
	delete(types, 0)
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(types)), wikiBlock) {
		err := src.db.EachRow(ctx, "SELECT Id, PostTypeId FROM Posts WHERE Id IN ("+tables.IDList(ids)+")", func(row [][]byte) error {
			types[tables.Int(row[0])] = tables.Int(row[1])
			return nil
		})
		if err != nil {
			return err
		}
	}
	graphs := map[int64]graphBits{}
	check := func(t *listedTag, id *int64, postType int64) {
		if *id == 0 {
			return
		}
		if types[*id] != postType {
			*id = 0
			t.dropped++
			return
		}
		if graphs[*id] == nil {
			graphs[*id] = newGraphBits(len(src.graphs))
		}
		graphs[*id].include(t.graphs)
	}
	for i := range l.tags {
		t := &l.tags[i]
		check(t, &t.wiki, schema.PostTagWiki)
		check(t, &t.excerpt, schema.PostTagWikiExcerpt)
	}
	for id, g := range graphs {
		l.wikis = append(l.wikis, listedWiki{id: id, excerpt: types[id] == schema.PostTagWikiExcerpt, graphs: g.list()})
	}
	slices.SortFunc(l.wikis, func(a, b listedWiki) int { return cmp.Compare(a.id, b.id) })
	return nil
}

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
func (w *worker) renderWikis(ctx context.Context, wikis []listedWiki) error {
	ids := make([]int64, len(wikis))
	for i := range wikis {
		ids[i] = wikis[i].id
	}
	next := 0
	err := postscan.Selection{}.Each(ctx, w.db, "p.Id IN ("+tables.IDList(ids)+")", func(row [][]byte) error {
		if tables.Int(row[postscan.ID]) != ids[next] {
			return errDisappeared(ids[next])
		}
		w.renderWiki(&wikis[next], row)
		next++
		return w.spill(ctx)
	})
	if err == nil && next < len(ids) {
		err = errDisappeared(ids[next])
	}
	return err
}

func errDisappeared(wiki int64) error {
	return fmt.Errorf("the tag wiki %d has disappeared during the run", wiki)
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

// tagGraphs holds for each tag the graphs of its questions.
type tagGraphs map[string]graphBits

// record adds the graphs of a question to those of one of its tags. n is the number of
// all graphs.
func (t tagGraphs) record(tag []byte, graphs []int, n int) {
	b, ok := t[string(tag)]
	if !ok {
		b = newGraphBits(n)
		t[string(tag)] = b
	}
	b.include(graphs)
}

func (t tagGraphs) union(u tagGraphs) {
	for tag, b := range u {
		if have, ok := t[tag]; ok {
			have.union(b)
		} else {
			t[tag] = b
		}
	}
}

// graphBits is a set of graphs, a bit for each position in the list of graphs.
type graphBits []uint64

func newGraphBits(graphs int) graphBits { return make(graphBits, (graphs+63)/64) }

// include adds positions to the set.
func (b graphBits) include(graphs []int) {
	for _, g := range graphs {
		b[g/64] |= 1 << (g % 64)
	}
}

func (b graphBits) union(c graphBits) {
	for i := range c {
		b[i] |= c[i]
	}
}

// list returns the positions, ascending.
func (b graphBits) list() []int {
	var graphs []int
	for i := range len(b) * 64 {
		if b[i/64]&(1<<(i%64)) != 0 {
			graphs = append(graphs, i)
		}
	}
	return graphs
}
