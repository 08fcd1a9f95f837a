package oracle

import (
	"context"
	"strconv"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// linkQuery reads each pair of linked posts once, with the number of rows of each kind
// of link between them.
func (r *tableReader) linkQuery() string {
	return "SELECT PostId, RelatedPostId, SUM(LinkTypeId=1), SUM(LinkTypeId=3) FROM PostLinks WHERE LinkTypeId IN (1,3)" +
		r.selection.posts.in("PostId") + " GROUP BY PostId, RelatedPostId"
}

// postLink is a row of linkQuery.
type postLink struct {
	from, to          postMembership
	linked, duplicate bool

	linkedRows, duplicateRows int64
}

// linkOf returns the link of a row, and whether both posts are in a graph. Only a
// question can be the duplicate of another question.
func (r *tableReader) linkOf(row [][]byte) (l postLink, ok bool) {
	l.from, l.to = r.memberships.at(tables.Int(row[0])), r.memberships.at(tables.Int(row[1]))
	l.linkedRows, l.duplicateRows = tables.Int(row[2]), tables.Int(row[3])
	l.linked = l.linkedRows != 0
	l.duplicate = l.duplicateRows != 0 && l.from.is(isQuestion) && l.to.is(isQuestion)
	return l, l.from.inGraph() && l.to.inGraph()
}

// linkScan returns the scan of PostLinks that collects edges. An edge is in the graphs of
// both of its ends.
func (r *tableReader) linkScan() scan {
	linked, duplicate := mustTerm(vocab.LinkedTo), mustTerm(vocab.DuplicateOf)
	terms := []Term{linked, duplicate}
	var either Term
	if r.options.Materialize {
		either = mustTerm("sioc:links_to")
		terms = append(terms, either)
	}
	return scan{name: "links", terms: terms, run: func(ctx context.Context, c *collector) error {
		s, target := subject{countsOnly: r.options.CountsOnly}, subject{countsOnly: r.options.CountsOnly}
		rows := r.linkGraphs()
		return r.db.EachRow(ctx, r.linkQuery(), func(row [][]byte) error {
			l, ok := r.linkOf(row)
			c.countOmitted(l)
			if !ok {
				return nil
			}
			c.figures.addLink(l, r.memberships.graphs(l.from), r.memberships.graphs(l.to), rows)
			in := r.memberships.either(l.from, l.to)
			s.set(l.from.path(), row[0])
			target.set(l.to.path(), row[1])
			edge := s.quad(markIRI, target.path)
			if l.linked {
				c.addQuad(in, linked, s.path, edge)
			}
			if l.duplicate {
				c.addQuad(in, duplicate, s.path, edge)
			}
			if r.options.Materialize && (l.linked || l.duplicate) {
				c.addQuad(in, either, s.path, edge)
			}
			return nil
		})
	}}
}

// countOmitted counts the rows of a link that the graph does not have.
func (c *collector) countOmitted(l postLink) {
	if !l.from.inGraph() {
		c.omitted[LinksOutside] += l.linkedRows + l.duplicateRows
		return
	}
	for kind, rows := range []int64{l.linkedRows, l.duplicateRows} {
		if rows == 0 {
			continue
		}
		c.omitted[LinksRepeated] += rows - 1
		switch {
		case !l.to.inGraph():
			c.omitted[LinksOutside]++
		case kind == 1 && !l.duplicate:
			c.omitted[DuplicatesNotQuestions]++
		}
	}
}

// linkFieldScan returns the scan of PostLinks that collects the fields of fieldsOfLinks.
// It adds empty lists for every post, and replaces them by the lists of the table.
func (r *tableReader) linkFieldScan() scan {
	return scan{name: "links of posts", fields: fieldsOfLinks, run: func(ctx context.Context, c *collector) error {
		s := subject{}
		for id, m := range r.memberships.all() {
			if m.is(isAnswer) && !r.options.Answers {
				continue
			}
			s.set(m.path(), strconv.AppendInt(nil, id, 10))
			for _, f := range fieldsOfLinks {
				c.addField(r.memberships.graphs(m), m.is(isAnswer), f, s.path, FieldCRC(s.crc, []byte{}))
			}
		}
		if !r.present["PostLinks"] {
			return nil
		}
		post := int64(0)
		var duplicates, links []byte // of post: ids, a comma after each
		replace := func(f Field, list []byte) {
			m := r.memberships.at(post)
			if len(list) == 0 || m.is(isAnswer) && !r.options.Answers {
				return
			}
			s.set(m.path(), strconv.AppendInt(nil, post, 10))
			c.replaceField(r.memberships.graphs(m), m.is(isAnswer), f, s.path, FieldCRC(s.crc, withoutLast(list)), FieldCRC(s.crc, []byte{}))
		}
		endPost := func() {
			replace(DuplicateOf, duplicates)
			replace(LinkedTo, links)
			duplicates, links = duplicates[:0], links[:0]
		}
		err := r.db.EachRow(ctx, r.linkQuery()+" ORDER BY PostId, RelatedPostId", func(row [][]byte) error {
			if from := tables.Int(row[0]); from != post {
				endPost()
				post = from
			}
			l, ok := r.linkOf(row)
			if ok && l.duplicate {
				duplicates = append(append(duplicates, row[1]...), ',')
			}
			if ok && l.linked {
				links = append(append(links, row[1]...), ',')
			}
			return nil
		})
		endPost()
		return err
	}}
}
