package oracle

import (
	"context"
	"slices"

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
