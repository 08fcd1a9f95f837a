package oracle

import (
	"context"
	"strconv"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// postLink is the rows of PostLinks between two posts.
type postLink struct {
	ids               [2]int64
	from, to          postMembership
	linked, duplicate bool

	linkedRows, duplicateRows int64
}

// resolve finds the posts of a link, and reports whether both are in a graph. Only a question can be the duplicate of
// another question.
func (l *postLink) resolve(m *memberships) bool {
	l.from, l.to = m.at(l.ids[0]), m.at(l.ids[1])
	l.linked = l.linkedRows != 0
	l.duplicate = l.duplicateRows != 0 && l.from.is(isQuestion) && l.to.is(isQuestion)
	return l.from.inGraph() && l.to.inGraph()
}

// eachLink reads PostLinks in the order of posts, and calls use with each pair of posts that a link of either kind
// joins.
func (r *tableReader) eachLink(ctx context.Context, use func(l *postLink)) error {
	selected := r.columnsOf("PostLinks", "l")
	from, to, kind := selected.place("l.PostId"), selected.place("l.RelatedPostId"), selected.place("l.LinkTypeId")
	condition := ""
	print := r.printer("PostLinks")
	if print == nil {
		condition = " AND l.LinkTypeId IN (1,3)"
	}
	query := "SELECT " + selected.String() + " FROM PostLinks l WHERE TRUE" + condition + r.selection.posts.in("l.PostId") + " ORDER BY l.PostId, l.RelatedPostId"
	var l postLink
	err := r.db.EachRow(ctx, query, func(row [][]byte) error {
		print.add(row)
		of := tables.Int(row[kind])
		if of != schema.LinkLinked && of != schema.LinkDuplicate {
			return nil
		}
		if ids := [2]int64{tables.Int(row[from]), tables.Int(row[to])}; ids != l.ids || l.linkedRows+l.duplicateRows == 0 {
			if l.linkedRows+l.duplicateRows > 0 {
				use(&l)
			}
			l = postLink{ids: ids}
		}
		if of == schema.LinkLinked {
			l.linkedRows++
		} else {
			l.duplicateRows++
		}
		return nil
	})
	if l.linkedRows+l.duplicateRows > 0 {
		use(&l)
	}
	return err
}

// linkScan returns the scan of PostLinks. An edge is in the graphs of both of its ends.
func (r *tableReader) linkScan() scan {
	linked, duplicate := mustTerm(vocab.LinkedTo), mustTerm(vocab.DuplicateOf)
	s := scan{name: "links"}
	if r.present["PostLinks"] {
		s.terms = []Term{linked, duplicate}
		if r.options.Materialize {
			s.terms = append(s.terms, mustTerm("sioc:links_to"))
		}
	}
	if r.options.Fields {
		s.fields = fieldsOfLinks
	}
	s.run = func(ctx context.Context, c *collector) error {
		lists := linkLists{tableReader: r, to: c}
		lists.addEmpty()
		if !r.present["PostLinks"] {
			return nil
		}
		from, to := subject{countsOnly: r.options.CountsOnly}, subject{countsOnly: r.options.CountsOnly}
		rows := r.linkGraphs()
		err := r.eachLink(ctx, func(l *postLink) {
			ok := l.resolve(r.memberships)
			c.countOmitted(*l)
			if !ok {
				return
			}
			c.figures.addLink(*l, r.memberships.graphs(l.from), r.memberships.graphs(l.to), rows)
			in := r.memberships.either(l.from, l.to)
			from.set(l.from.path(), strconv.AppendInt(nil, l.ids[0], 10))
			to.set(l.to.path(), strconv.AppendInt(nil, l.ids[1], 10))
			edge := from.quad(markIRI, to.path)
			if l.linked {
				c.addQuad(in, linked, from.path, edge)
			}
			if l.duplicate {
				c.addQuad(in, duplicate, from.path, edge)
			}
			if r.options.Materialize && (l.linked || l.duplicate) {
				c.addQuad(in, s.terms[2], from.path, edge)
			}
			lists.add(l)
		})
		lists.endPost()
		return err
	}
	return s
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

// linkLists collects the fields of fieldsOfLinks: empty lists for every post first, which the lists of the table
// replace.
type linkLists struct {
	*tableReader
	to                *collector
	subject           subject
	post              int64
	duplicates, links []byte // of post: ids, a comma after each
}

// has reports whether shards have a post.
func (l *linkLists) has(m postMembership) bool {
	return l.options.Fields && (l.options.Answers || !m.is(isAnswer))
}

func (l *linkLists) addEmpty() {
	if !l.options.Fields {
		return
	}
	for id, m := range l.memberships.all() {
		if !l.has(m) {
			continue
		}
		l.subject.set(m.path(), strconv.AppendInt(nil, id, 10))
		for _, f := range fieldsOfLinks {
			l.to.addField(l.memberships.graphs(m), m.is(isAnswer), f, l.subject.path, FieldCRC(l.subject.crc, []byte{}))
		}
	}
}

// add adds a link, in the order of posts.
func (l *linkLists) add(link *postLink) {
	if link.ids[0] != l.post {
		l.endPost()
		l.post = link.ids[0]
	}
	if link.duplicate {
		l.duplicates = append(strconv.AppendInt(l.duplicates, link.ids[1], 10), ',')
	}
	if link.linked {
		l.links = append(strconv.AppendInt(l.links, link.ids[1], 10), ',')
	}
}

func (l *linkLists) endPost() {
	m := l.memberships.at(l.post)
	if l.has(m) {
		l.subject.set(m.path(), strconv.AppendInt(nil, l.post, 10))
		l.replace(m, DuplicateOf, l.duplicates)
		l.replace(m, LinkedTo, l.links)
	}
	l.duplicates, l.links = l.duplicates[:0], l.links[:0]
}

func (l *linkLists) replace(m postMembership, f Field, list []byte) {
	if len(list) > 0 {
		s := &l.subject
		l.to.replaceField(l.memberships.graphs(m), m.is(isAnswer), f, s.path, FieldCRC(s.crc, withoutLast(list)), FieldCRC(s.crc, []byte{}))
	}
}
