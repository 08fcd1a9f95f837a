package oracle

import (
	"context"
	"strconv"
)

// threadScan returns a scan of the memberships, which reads no table. It collects what follows from a question and its
// answers together.
func (r *tableReader) threadScan() scan {
	t := newPostTerms()
	s := scan{name: "threads", terms: []Term{t.answered, t.unanswered, t.accepted, t.better, t.hasAnswer, t.hasAccepted, t.hasBetter}}
	if r.options.Fields {
		s.fields = fieldsOfThreads
	}
	s.run = func(ctx context.Context, c *collector) error {
		post, question := subject{countsOnly: r.options.CountsOnly}, subject{countsOnly: r.options.CountsOnly}
		var digits []byte
		for id, m := range r.memberships.all() {
			digits = strconv.AppendInt(digits[:0], id, 10)
			post.set(m.path(), digits)
			if in := r.memberships.graphs(m); m.is(isQuestion) {
				r.addThread(c, &t, m, in, &post)
			} else {
				digits = strconv.AppendInt(digits[:0], r.memberships.ref(id), 10)
				question.set(questionPath, digits)
				r.addEdges(c, &t, m, r.memberships.at(r.memberships.ref(id)), in, &post, &question)
			}
			if r.options.Fields && (m.is(isQuestion) || r.options.Answers) {
				r.addAccepted(c, id, m, &post)
			}
		}
		return ctx.Err()
	}
	return s
}

// addThread adds the quads of a question that follow from its answers.
func (r *tableReader) addThread(c *collector, t *postTerms, m postMembership, in graphSet, s *subject) {
	if m.is(isAnswered) {
		c.addQuad(in, t.answered, s.path, s.typeQuad())
	} else {
		c.addQuad(in, t.unanswered, s.path, s.typeQuad())
	}
	if m.is(names) && !m.is(hasAccepted) {
		c.omitted[AcceptedDropped]++
	}
}

// addEdges adds the quads of an answer that follow from its question.
func (r *tableReader) addEdges(c *collector, t *postTerms, m, question postMembership, in graphSet, s, q *subject) {
	edge := q.quad(markIRI, s.path)
	c.addQuad(in, t.hasAnswer, q.path, edge)
	switch {
	case m.is(isAccepted):
		c.addQuad(in, t.accepted, s.path, s.typeQuad())
		c.addQuad(in, t.hasAccepted, q.path, edge)
	case r.memberships.isBetter(m, question):
		c.addQuad(in, t.better, s.path, s.typeQuad())
		c.addQuad(in, t.hasBetter, q.path, edge)
	}
}

// addAccepted adds the fields of fieldsOfThreads.
func (r *tableReader) addAccepted(c *collector, id int64, m postMembership, s *subject) {
	has, accepted := textFalse, []byte(nil)
	if m.is(hasAccepted) {
		has, accepted = textTrue, strconv.AppendInt(nil, r.memberships.ref(id), 10)
	}
	in := r.memberships.graphs(m)
	c.addField(in, m.is(isAnswer), HasAcceptedAnswer, s.path, FieldCRC(s.crc, has))
	c.addField(in, m.is(isAnswer), AcceptedAnswerID, s.path, FieldCRC(s.crc, accepted))
}
