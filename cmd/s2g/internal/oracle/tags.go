package oracle

import (
	"bytes"
	"context"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// tag is a tag that some graphs describe. A value is nil where it is NULL in the table
// Tags, or the tag has no row.
type tag struct {
	name                 string
	in                   graphSet
	count, wiki, excerpt []byte // as MariaDB prints them
	hasRow               bool
	dropped              int64 // wiki and excerpt that the row names and the dump does not have
}

// tagQuery returns the statement that reads Tags in the order of ids, and the positions of its last columns: the wiki
// and the excerpt, NULL where the post is not in the dump, and how many of them are not.
func (r *tableReader) tagQuery() (query string, name, count, wiki, excerpt, dropped int) {
	c := r.columnsOf("Tags", "t")
	name, count, wiki, excerpt = c.place("t.TagName"), c.place("t.Count"), c.place("w.Id"), c.place("e.Id")
	dropped = c.place("(IFNULL(t.WikiPostId,0)<>0 AND w.Id IS NULL)+(IFNULL(t.ExcerptPostId,0)<>0 AND e.Id IS NULL)")
	return "SELECT " + c.String() + ` FROM Tags t
	LEFT JOIN Posts w ON w.Id=t.WikiPostId AND w.PostTypeId=5
	LEFT JOIN Posts e ON e.Id=t.ExcerptPostId AND e.PostTypeId=4
	ORDER BY t.Id`, name, count, wiki, excerpt, dropped
}

// readTags reads the rows of the tags that graphs describe, which are those of their
// questions.
func (r *tableReader) readTags(ctx context.Context) error {
	r.wikis = map[int64]graphMask{}
	described := r.memberships.tags
	r.memberships.tags = nil
	if r.present["Tags"] {
		query, name, count, wiki, excerpt, dropped := r.tagQuery()
		print := r.printer("Tags")
		err := r.db.EachRow(ctx, query, func(row [][]byte) error {
			print.add(row)
			mask, ok := described[string(row[name])] // the first row of a tag counts
			if !ok {
				return nil
			}
			delete(described, string(row[name]))
			r.tags = append(r.tags, tag{string(row[name]), mask.set(), bytes.Clone(row[count]), bytes.Clone(row[wiki]), bytes.Clone(row[excerpt]), true, tables.Int(row[dropped])})
			for _, id := range [][]byte{row[wiki], row[excerpt]} {
				if id != nil {
					r.wikis[tables.Int(id)] = r.wikis[tables.Int(id)].with(mask)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for name, mask := range described {
		r.tags = append(r.tags, tag{name: name, in: mask.set()})
	}
	return nil
}

// tagScan returns a scan that collects the quads of the tags of readTags.
func (r *tableReader) tagScan() scan {
	isTag, name, count := mustTerm(vocab.Tag), mustTerm(vocab.TagName), mustTerm(vocab.TagCount)
	wiki, excerpt := mustTerm(vocab.HasTagWiki), mustTerm(vocab.HasTagWikiExcerpt)
	return scan{name: "tags", terms: []Term{isTag, name, count, wiki, excerpt}, run: func(_ context.Context, c *collector) error {
		s := subject{countsOnly: r.options.CountsOnly}
		for _, t := range r.tags {
			c.omitted[WikisDropped] += t.dropped
			if !t.hasRow {
				c.omitted[TagsWithoutRow]++
			}
			s.set(tagPath, []byte(t.name))
			c.addQuad(t.in, isTag, s.path, s.typeQuad())
			c.addQuad(t.in, name, s.path, s.quad(markText, []byte(t.name)))
			if t.count != nil {
				c.addQuad(t.in, count, s.path, s.quad(markInteger, t.count))
			}
			if t.wiki != nil {
				c.addQuad(t.in, wiki, s.path, s.quad(markIRI, []byte(wikiPath), t.wiki))
			}
			if t.excerpt != nil {
				c.addQuad(t.in, excerpt, s.path, s.quad(markIRI, []byte(wikiPath), t.excerpt))
			}
		}
		return nil
	}}
}
