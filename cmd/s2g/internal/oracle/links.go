package oracle

import (
	"context"
	"slices"
	"strconv"

	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// linkQuery reads each pair of posts once, with the kinds of link between them.
func (s *survey) linkQuery() string {
	return "SELECT PostId, RelatedPostId, MAX(LinkTypeId=1), MAX(LinkTypeId=3) FROM PostLinks WHERE LinkTypeId IN (1,3)" +
		s.only.posts.in("PostId") + " GROUP BY PostId, RelatedPostId"
}

// linkScan says the edges between posts. They stand in the graphs of both ends,
// each of which is in one; a duplicate's are questions.
func (s *survey) linkScan() scan {
	linked, duplicate := named(vocab.LinkedTo), named(vocab.DuplicateOf)
	terms := []Term{linked, duplicate}
	var either Term
	if s.options.Materialize {
		either = named("sioc:links_to")
		terms = append(terms, either)
	}
	return scan{name: "links", terms: terms, run: func(ctx context.Context, o *out) error {
		n, target := node{mute: s.options.CountsOnly}, node{mute: s.options.CountsOnly}
		return s.each(ctx, s.linkQuery(), func(row [][]byte) error {
			from, to := s.members.at(tables.Int(row[0])), s.members.at(tables.Int(row[1]))
			if from.bits&setMask == 0 || to.bits&setMask == 0 {
				return nil
			}
			in := s.members.both(from, to)
			isLinked := tables.Int(row[2]) != 0
			isDuplicate := tables.Int(row[3]) != 0 && from.bits&to.bits&isQuestion != 0
			n.begin(from.path(), row[0])
			target.begin(to.path(), row[1])
			edge := n.object(asIRI, target.path)
			if isLinked {
				o.quad(in, linked, n.path, edge)
			}
			if isDuplicate {
				o.quad(in, duplicate, n.path, edge)
			}
			if s.options.Materialize && (isLinked || isDuplicate) {
				o.quad(in, either, n.path, edge)
			}
			return nil
		})
	}}
}

// both are the graphs that either of two posts is in.
func (m *members) both(a, b member) graphSet {
	if a.bits&setMask == b.bits&setMask {
		return m.graphs(a)
	}
	in := slices.Concat(m.graphs(a), m.graphs(b))
	slices.Sort(in)
	return slices.Compact(in)
}

// linkFieldScan says where the links of each post lead to: nowhere, and then
// what there is in its place.
func (s *survey) linkFieldScan() scan {
	return scan{name: "links of posts", fields: []Field{DuplicateOf, LinkedTo}, run: func(ctx context.Context, o *out) error {
		n := node{}
		for id, p := range s.members.all() {
			if p.bits&isAnswer != 0 && !s.options.Answers {
				continue
			}
			n.begin(p.path(), strconv.AppendInt(nil, id, 10))
			for _, f := range []Field{DuplicateOf, LinkedTo} {
				o.field(s.members.graphs(p), p.bits&isAnswer != 0, f, n.path, FieldCRC(n.sum, []byte{}))
			}
		}
		if !s.present["PostLinks"] {
			return nil
		}
		l := linkLists{survey: s, out: o}
		err := s.each(ctx, s.linkQuery()+" ORDER BY PostId, RelatedPostId", l.read)
		l.flush()
		return err
	}}
}

// linkLists gathers the links of one post after the other.
type linkLists struct {
	*survey
	out   *out
	from  int64
	lists [2][]byte // by Field less DuplicateOf: ids, a comma after each
}

func (l *linkLists) read(row [][]byte) error {
	if from := tables.Int(row[0]); from != l.from {
		l.flush()
		l.from = from
	}
	from, to := l.members.at(l.from), l.members.at(tables.Int(row[1]))
	if from.bits&setMask == 0 || to.bits&setMask == 0 {
		return nil
	}
	if tables.Int(row[3]) != 0 && from.bits&to.bits&isQuestion != 0 {
		l.lists[0] = append(append(l.lists[0], row[1]...), ',')
	}
	if tables.Int(row[2]) != 0 {
		l.lists[1] = append(append(l.lists[1], row[1]...), ',')
	}
	return nil
}

func (l *linkLists) flush() {
	p := l.members.at(l.from)
	answer := p.bits&isAnswer != 0
	n := node{}
	for i, list := range l.lists {
		if len(list) > 0 && (!answer || l.options.Answers) {
			n.begin(p.path(), strconv.AppendInt(nil, l.from, 10))
			l.out.fieldInstead(l.members.graphs(p), answer, DuplicateOf+Field(i), n.path, FieldCRC(n.sum, trimLast(list)), FieldCRC(n.sum, []byte{}))
		}
		l.lists[i] = list[:0]
	}
}
