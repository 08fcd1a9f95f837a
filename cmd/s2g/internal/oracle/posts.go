package oracle

import (
	"context"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// postRules are the rules of posts: questions, answers, wikis and excerpts.
var postRules = []rule{
	{term: vocab.HasTitle, mark: markText, object: "p.Title", questionsOnly: true},
	{term: vocab.ViewCount, mark: markInteger, object: "p.ViewCount", questionsOnly: true},
	{term: vocab.AnswerCount, mark: markInteger, object: "p.AnswerCount", questionsOnly: true},
	{term: vocab.FavoriteCount, mark: markInteger, object: "p.FavoriteCount", questionsOnly: true},
	{term: vocab.ClosedDate, mark: markDate, object: "p.ClosedDate", questionsOnly: true},
	{term: vocab.PostID, mark: markInteger, object: "p.Id"},
	{term: vocab.Score, mark: markInteger, object: "p.Score"},
	{term: vocab.HasBody, mark: markText, object: "p.Body"},
	{term: vocab.CommentCount, mark: markInteger, object: "p.CommentCount"},
	{term: vocab.CreationDate, mark: markDate, object: "p.CreationDate"},
	{term: vocab.LastEditDate, mark: markDate, object: "p.LastEditDate"},
	{term: vocab.LastActivityDate, mark: markDate, object: "p.LastActivityDate"},
	{term: vocab.CommunityOwnedDate, mark: markDate, object: "p.CommunityOwnedDate"},
	{term: vocab.AuthorName, mark: markText, object: "p.OwnerDisplayName"},
	{term: vocab.Author, mark: markIRI, object: postAuthor, presence: "p.OwnerUserId"},
	{term: vocab.License, mark: markIRI, object: postLicense, presence: "1"},
}

const postAuthor = "CONCAT('/users/',p.OwnerUserId)"

// postLicense is the licence at the last edit, or at the creation where there is no edit
// or the site itself (user -1) made it.
var postLicense = license("p.ContentLicense", "IFNULL(IF(p.LastEditorUserId<=>-1,NULL,p.LastEditDate),p.CreationDate)")

// postTerms are the terms of posts without a rule.
type postTerms struct {
	question, answered, unanswered, answer, accepted, better, wiki, excerpt Term
	hasAnswer, hasAccepted, hasBetter, tagged                               Term
}

func newPostTerms() postTerms {
	return postTerms{
		question: mustTerm(vocab.Question), answered: mustTerm(vocab.AnsweredQuestion), unanswered: mustTerm(vocab.UnansweredQuestion),
		answer: mustTerm(vocab.Answer), accepted: mustTerm(vocab.AcceptedAnswer), better: mustTerm(vocab.PossibleBetterAnswer),
		wiki: mustTerm(vocab.TagWiki), excerpt: mustTerm(vocab.TagWikiExcerpt),
		hasAnswer: mustTerm(vocab.HasAnswer), hasAccepted: mustTerm(vocab.HasAcceptedAnswer), hasBetter: mustTerm(vocab.HasPossibleBetterAnswer),
		tagged: mustTerm(vocab.TaggedWith),
	}
}

// postReader collects the quads of rows of Posts.
type postReader struct {
	*tableReader
	terms   postTerms
	columns columns
	rules   []placedRule
	fields  *postFields // nil: no shards

	// positions of columns
	id, kind, parent, score, tags, accepted, created int

	to             *collector
	post, question subject // of the row, and of the question that it answers
}

func (r *tableReader) newPostReader(to *collector) *postReader {
	p := &postReader{tableReader: r, terms: newPostTerms(), to: to}
	c := &p.columns
	p.id, p.kind, p.parent, p.score, p.tags = c.place("p.Id"), c.place("p.PostTypeId"), c.place("p.ParentId"), c.place("p.Score"), c.place("p.Tags")
	p.accepted, p.created = c.place("p.AcceptedAnswerId"), c.place("p.CreationDate")
	p.rules = c.placeRules(postRules, r.options.CountsOnly)
	if r.options.Fields {
		p.fields = r.newPostFields(c)
	}
	p.post.countsOnly, p.question.countsOnly = r.options.CountsOnly, r.options.CountsOnly
	return p
}

// postScans returns scans of Posts, by ranges of ids.
func (r *tableReader) postScans() []scan {
	p := r.newPostReader(nil)
	t := p.terms
	terms := termsOf(p.rules, t.question, t.answered, t.unanswered, t.answer, t.accepted, t.better, t.wiki, t.excerpt,
		t.hasAnswer, t.hasAccepted, t.hasBetter, t.tagged)
	var fields []Field
	join := ""
	if r.options.Fields {
		fields = fieldsOfPosts()
	}
	if r.options.Answers {
		join = questionJoin
	}
	var scans []scan
	for _, condition := range r.idRanges() {
		query := "SELECT " + p.columns.String() + " FROM Posts p" + join + " WHERE p.PostTypeId IN (1,2,4,5)" + condition + r.selection.threads.in("p.Id")
		scans = append(scans, scan{name: "posts", terms: terms, fields: fields, run: func(ctx context.Context, c *collector) error {
			return r.db.EachRow(ctx, query, r.newPostReader(c).addPost)
		}})
	}
	return scans
}

// idRanges returns SQL conditions on p.Id that split the posts among the connections. A
// connection has four ranges, because ids are not spread evenly; a single one has all.
func (r *tableReader) idRanges() []string {
	parts := int64(r.options.Connections * 4)
	least := r.memberships.least
	step := (r.memberships.most - least) / parts
	if r.options.Connections == 1 || step == 0 {
		return []string{""}
	}
	conditions := []string{fmt.Sprintf(" AND p.Id<%d", least+step)}
	for i := range parts - 2 {
		conditions = append(conditions, fmt.Sprintf(" AND p.Id>=%d AND p.Id<%d", least+(i+1)*step, least+(i+2)*step))
	}
	return append(conditions, fmt.Sprintf(" AND p.Id>=%d", least+(parts-1)*step))
}

func (p *postReader) addPost(row [][]byte) error {
	id := tables.Int(row[p.id])
	switch tables.Int(row[p.kind]) {
	case schema.PostQuestion:
		if m := p.memberships.at(id); m.is(isQuestion) {
			p.to.figures.addPost(id, true, row[p.created], row[p.score])
			p.addQuestion(m, row)
		} else {
			p.to.omitted[QuestionsOutside]++
		}
	case schema.PostAnswer:
		if m := p.memberships.at(id); m.is(isAnswer) {
			p.to.figures.addPost(id, false, row[p.created], row[p.score])
			p.addAnswer(m, row)
		} else {
			p.to.omitted[AnswersOutside]++
		}
	case schema.PostTagWiki:
		p.addWiki(p.terms.wiki, p.wikis[id].set(), row)
	case schema.PostTagWikiExcerpt:
		p.addWiki(p.terms.excerpt, p.wikis[id].set(), row)
	}
	return nil
}

func (p *postReader) addQuestion(m postMembership, row [][]byte) {
	c, t, s, in := p.to, &p.terms, &p.post, p.memberships.graphs(m)
	s.set(questionPath, row[p.id])
	c.addQuad(in, t.question, s.path, s.typeQuad())
	if m.is(isAnswered) {
		c.addQuad(in, t.answered, s.path, s.typeQuad())
	} else {
		c.addQuad(in, t.unanswered, s.path, s.typeQuad())
	}
	if row[p.accepted] != nil && !m.is(hasAccepted) {
		c.omitted[AcceptedDropped]++
	}
	for tag := range schema.SplitTags(row[p.tags]) {
		c.addQuad(in, t.tagged, s.path, s.quad(markIRI, []byte(tagPath), tag))
	}
	c.addRow(in, s, p.rules, true, row)
	if p.fields != nil {
		p.fields.add(c, m, in, s, row[p.id], row)
	}
}

func (p *postReader) addAnswer(m postMembership, row [][]byte) {
	c, t, s, q, in := p.to, &p.terms, &p.post, &p.question, p.memberships.graphs(m)
	s.set(answerPath, row[p.id])
	q.set(questionPath, row[p.parent])
	edge := q.quad(markIRI, s.path)
	c.addQuad(in, t.answer, s.path, s.typeQuad())
	c.addQuad(in, t.hasAnswer, q.path, edge)
	question := p.memberships.at(tables.Int(row[p.parent]))
	switch {
	case m.is(isAccepted):
		c.addQuad(in, t.accepted, s.path, s.typeQuad())
		c.addQuad(in, t.hasAccepted, q.path, edge)
	case question.is(hasAccepted) && tables.Int(row[p.score]) > int64(question.acceptedScore):
		c.addQuad(in, t.better, s.path, s.typeQuad())
		c.addQuad(in, t.hasBetter, q.path, edge)
	}
	c.addRow(in, s, p.rules, false, row)
	if p.fields != nil && p.options.Answers {
		p.fields.add(c, m, in, s, row[p.parent], row)
	}
}

func (p *postReader) addWiki(class Term, in graphSet, row [][]byte) {
	if len(in) == 0 {
		return
	}
	s := &p.post
	s.set(wikiPath, row[p.id])
	p.to.addQuad(in, class, s.path, s.typeQuad())
	p.to.addRow(in, s, p.rules, false, row)
}
