package oracle

import (
	"context"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// questionsOnly are the rules of questions beside those of all posts.
var questionRules = []rule{
	{term: vocab.HasTitle, mark: asText, object: "p.Title", only: true},
	{term: vocab.ViewCount, mark: asInt, object: "p.ViewCount", only: true},
	{term: vocab.AnswerCount, mark: asInt, object: "p.AnswerCount", only: true},
	{term: vocab.FavoriteCount, mark: asInt, object: "p.FavoriteCount", only: true},
	{term: vocab.ClosedDate, mark: asDate, object: "p.ClosedDate", only: true},
}

// edited is when a post was edited by someone else than the site.
const edited = "IF(p.LastEditorUserId<=>-1,NULL,p.LastEditDate)"

const postAuthor = "CONCAT('/users/',p.OwnerUserId)"

var postLicense = license("p.ContentLicense", "IFNULL("+edited+",p.CreationDate)")

// postRules are the rules of questions, answers, wikis and excerpts alike.
var postRules = []rule{
	{term: vocab.PostID, mark: asInt, object: "p.Id"},
	{term: vocab.Score, mark: asInt, object: "p.Score"},
	{term: vocab.HasBody, mark: asText, object: "p.Body"},
	{term: vocab.CommentCount, mark: asInt, object: "p.CommentCount"},
	{term: vocab.CreationDate, mark: asDate, object: "p.CreationDate"},
	{term: vocab.LastEditDate, mark: asDate, object: "p.LastEditDate"},
	{term: vocab.LastActivityDate, mark: asDate, object: "p.LastActivityDate"},
	{term: vocab.CommunityOwnedDate, mark: asDate, object: "p.CommunityOwnedDate"},
	{term: vocab.AuthorName, mark: asText, object: "p.OwnerDisplayName"},
	{term: vocab.Author, mark: asIRI, object: postAuthor, null: "p.OwnerUserId"},
	{term: vocab.License, mark: asIRI, object: postLicense, null: "1"},
}

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
