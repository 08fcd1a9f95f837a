package oracle

import (
	"context"
	"fmt"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// postTerms are the terms of posts that rules of columns do not say.
type postTerms struct {
	question, answered, unanswered, answer, accepted, better, wiki, excerpt Term
	hasAnswer, hasAccepted, hasBetter, tagged                               Term
}

func newPostTerms() postTerms {
	return postTerms{
		question: named(vocab.Question), answered: named(vocab.AnsweredQuestion), unanswered: named(vocab.UnansweredQuestion),
		answer: named(vocab.Answer), accepted: named(vocab.AcceptedAnswer), better: named(vocab.PossibleBetterAnswer),
		wiki: named(vocab.TagWiki), excerpt: named(vocab.TagWikiExcerpt),
		hasAnswer: named(vocab.HasAnswer), hasAccepted: named(vocab.HasAcceptedAnswer), hasBetter: named(vocab.HasPossibleBetterAnswer),
		tagged: named(vocab.TaggedWith),
	}
}

// postReader says the quads of rows of Posts.
type postReader struct {
	*survey
	t       postTerms
	columns columns
	rules   []placed
	fields  *fieldReader // nil: no shards

	// positions of columns
	id, kind, parent, score, tags int

	out          *out
	node, parted node // the post, and the question that it answers
}

func (s *survey) postReader() *postReader {
	r := &postReader{survey: s, t: newPostTerms()}
	c := &r.columns
	r.id, r.kind, r.parent, r.score, r.tags = c.place("p.Id"), c.place("p.PostTypeId"), c.place("p.ParentId"), c.place("p.Score"), c.place("p.Tags")
	r.rules = place(c, slices.Concat(questionRules, postRules), s.options.CountsOnly)
	if s.options.Fields {
		r.fields = s.fieldReader(c)
	}
	r.node.mute, r.parted.mute = s.options.CountsOnly, s.options.CountsOnly
	return r
}

// postScans reads Posts in ranges of ids, one after the other where there is one
// connection.
func (s *survey) postScans() []scan {
	r := s.postReader()
	t := r.t
	terms := termsOf(r.rules, t.question, t.answered, t.unanswered, t.answer, t.accepted, t.better, t.wiki, t.excerpt,
		t.hasAnswer, t.hasAccepted, t.hasBetter, t.tagged)
	var fields []Field
	join := ""
	if s.options.Fields {
		fields = allButLinks
	}
	if s.options.Answers {
		join = fieldJoin
	}
	var scans []scan
	for _, where := range s.ranges("p.Id") {
		query := "SELECT " + r.columns.String() + " FROM Posts p" + join + " WHERE p.PostTypeId IN (1,2,4,5)" + where + s.only.threads.in("p.Id")
		scans = append(scans, scan{name: "posts", terms: terms, fields: fields, run: func(ctx context.Context, o *out) error {
			r := s.postReader()
			r.out = o
			return s.each(ctx, query, r.read)
		}})
	}
	return scans
}

// ranges are conditions that part the rows of a table for the connections to
// share, a few for each, because posts are not spread evenly.
func (s *survey) ranges(column string) []string {
	const each = 4
	parts := int64(s.options.Lanes * each)
	step := (s.most - s.least) / parts
	if s.options.Lanes == 1 || step == 0 {
		return []string{""}
	}
	where := []string{fmt.Sprintf(" AND %s<%d", column, s.least+step)}
	for i := range parts - 2 {
		where = append(where, fmt.Sprintf(" AND %s>=%d AND %[1]s<%[3]d", column, s.least+(i+1)*step, s.least+(i+2)*step))
	}
	return append(where, fmt.Sprintf(" AND %s>=%d", column, s.least+(parts-1)*step))
}

func (r *postReader) read(row [][]byte) error {
	id := tables.Int(row[r.id])
	switch tables.Int(row[r.kind]) {
	case schema.PostQuestion:
		if p := r.members.at(id); p.bits&isQuestion != 0 {
			r.question(p, row)
		}
	case schema.PostAnswer:
		if p := r.members.at(id); p.bits&isAnswer != 0 {
			r.answer(p, row)
		}
	case schema.PostTagWiki:
		r.wiki(r.t.wiki, r.wikis[id].set(), row)
	case schema.PostTagWikiExcerpt:
		r.wiki(r.t.excerpt, r.wikis[id].set(), row)
	}
	return nil
}

func (r *postReader) question(p member, row [][]byte) {
	o, n, in := r.out, &r.node, r.members.graphs(p)
	n.begin(questionPath, row[r.id])
	o.quad(in, r.t.question, n.path, n.typed())
	if p.bits&isAnswered != 0 {
		o.quad(in, r.t.answered, n.path, n.typed())
	} else {
		o.quad(in, r.t.unanswered, n.path, n.typed())
	}
	for tag := range tagsOf(row[r.tags]) {
		o.quad(in, r.t.tagged, n.path, n.object(asIRI, []byte(tagPath), tag))
	}
	say(o, in, n, r.rules, true, row)
	if r.fields != nil {
		r.fields.say(o, p, in, n, row[r.id], row)
	}
}

func (r *postReader) answer(p member, row [][]byte) {
	o, n, q, in := r.out, &r.node, &r.parted, r.members.graphs(p)
	n.begin(answerPath, row[r.id])
	q.begin(questionPath, row[r.parent])
	edge := q.object(asIRI, n.path)
	o.quad(in, r.t.answer, n.path, n.typed())
	o.quad(in, r.t.hasAnswer, q.path, edge)
	question := r.members.at(tables.Int(row[r.parent]))
	switch {
	case p.bits&isAccepted != 0:
		o.quad(in, r.t.accepted, n.path, n.typed())
		o.quad(in, r.t.hasAccepted, q.path, edge)
	case question.bits&hasAccepted != 0 && tables.Int(row[r.score]) > int64(question.score):
		o.quad(in, r.t.better, n.path, n.typed())
		o.quad(in, r.t.hasBetter, q.path, edge)
	}
	say(o, in, n, r.rules, false, row)
	if r.fields != nil && r.options.Answers {
		r.fields.say(o, p, in, n, row[r.parent], row)
	}
}

func (r *postReader) wiki(kind Term, in graphSet, row [][]byte) {
	if len(in) == 0 {
		return
	}
	n := &r.node
	n.begin(wikiPath, row[r.id])
	r.out.quad(in, kind, n.path, n.typed())
	say(r.out, in, n, r.rules, false, row)
}
