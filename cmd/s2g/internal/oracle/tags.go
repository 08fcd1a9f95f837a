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

// tagQuery reads the first row of each tag. Wiki and excerpt are NULL where their
// post is not in the dump.
const tagQuery = `SELECT t.TagName, t.Count, w.Id, e.Id,
	(IFNULL(t.WikiPostId,0)<>0 AND w.Id IS NULL)+(IFNULL(t.ExcerptPostId,0)<>0 AND e.Id IS NULL) FROM Tags t
	LEFT JOIN Posts w ON w.Id=t.WikiPostId AND w.PostTypeId=5
	LEFT JOIN Posts e ON e.Id=t.ExcerptPostId AND e.PostTypeId=4
	WHERE t.Id IN (SELECT MIN(Id) FROM Tags GROUP BY TagName)`

// readTags reads the rows of the tags that graphs describe, which are those of their
// questions.
func (r *tableReader) readTags(ctx context.Context) error {
	r.wikis = map[int64]graphMask{}
	described := r.memberships.tags
	r.memberships.tags = nil
	if r.present["Tags"] {
		err := r.db.EachRow(ctx, tagQuery, func(row [][]byte) error {
			mask, ok := described[string(row[0])]
			if !ok {
				return nil
			}
			delete(described, string(row[0]))
			r.tags = append(r.tags, tag{string(row[0]), mask.set(), bytes.Clone(row[1]), bytes.Clone(row[2]), bytes.Clone(row[3]), true, tables.Int(row[4])})
			for _, id := range [][]byte{row[2], row[3]} {
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
