package oracle

import (
	"context"
	"fmt"
	"maps"
	"slices"

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

// postReader collects the quads of rows of Posts that follow from the row and the graphs of its post. threadScan
// collects the others.
type postReader struct {
	*tableReader
	terms   postTerms
	columns columns
	rules   []placedRule
	fields  *postFields // nil: no shards
	at      membershipColumns
	text    func(*PostText) // receives the texts of posts in shards; nil: none

	to   *collector
	post subject // of the row
}

func (r *tableReader) newPostReader(to *collector) *postReader {
	p := &postReader{tableReader: r, terms: newPostTerms(), to: to}
	p.columns = r.columnsOf("Posts", "p")
	c := &p.columns
	p.at = placeMembership(c)
	p.rules = c.placeRules(postRules, r.options.CountsOnly)
	if r.options.Fields {
		p.fields = r.newPostFields(c)
	}
	p.post.countsOnly = r.options.CountsOnly
	return p
}

// query returns the statement that reads posts of which a condition holds; it begins with AND, or is empty.
func (p *postReader) query(condition string) string {
	join := ""
	if p.options.Answers {
		join = questionJoin
	}
	return "SELECT " + p.columns.String() + " FROM Posts p" + join + " WHERE TRUE" + condition
}

// postScans returns scans of Posts, by ranges of ids, with memberships that are complete.
func (r *tableReader) postScans() []scan {
	var scans []scan
	for _, condition := range r.idRanges() {
		scans = append(scans, r.postScan(condition+r.selection.threads.in("p.Id")))
	}
	return scans
}

// postScan returns a scan of the posts of which a condition holds.
func (r *tableReader) postScan(condition string) scan {
	p := r.newPostReader(nil)
	t := p.terms
	var fields []Field
	if r.options.Fields {
		fields = slices.DeleteFunc(fieldsOfPosts(), func(f Field) bool { return slices.Contains(fieldsOfThreads, f) })
	}
	return scan{name: "posts", terms: termsOf(p.rules, t.question, t.answer, t.wiki, t.excerpt, t.tagged), fields: fields, run: func(ctx context.Context, c *collector) error {
		p := r.newPostReader(c)
		if r.newText != nil {
			p.text = r.newText()
		}
		return r.db.EachRow(ctx, p.query(condition), func(row [][]byte) error {
			id := tables.Int(row[p.at.id])
			m := r.memberships.at(id)
			in := r.memberships.graphs(m)
			if m.is(isWiki) {
				in = r.wikis[id].set()
			}
			p.add(id, m, in, r.memberships.languages(m), row)
			return nil
		})
	}}
}

// deferredScans returns scans of the posts whose graphs are known only after all posts: early answers, wikis and
// excerpts. They read these by id.
func (r *tableReader) deferredScans() (scans []scan) {
	const most = 2000 // ids in a statement
	ids := append(slices.Sorted(maps.Keys(r.wikis)), r.memberships.early...)
	for part := range slices.Chunk(ids, most) {
		scans = append(scans, r.postScan(postIDs(part).in("p.Id")))
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

// add adds a post of some graphs.
func (p *postReader) add(id int64, m postMembership, in graphSet, languages []byte, row [][]byte) {
	switch tables.Int(row[p.at.kind]) {
	case schema.PostQuestion:
		if m.is(isQuestion) {
			p.to.figures.addPost(id, true, row[p.at.created], row[p.at.score])
			p.addQuestion(m, in, languages, row)
		} else {
			p.to.omitted[QuestionsOutside]++
		}
	case schema.PostAnswer:
		if m.is(isAnswer) {
			p.to.figures.addPost(id, false, row[p.at.created], row[p.at.score])
			p.addAnswer(m, in, languages, row)
		} else {
			p.to.omitted[AnswersOutside]++
		}
	case schema.PostTagWiki:
		p.addWiki(p.terms.wiki, in, row)
	case schema.PostTagWikiExcerpt:
		p.addWiki(p.terms.excerpt, in, row)
	}
}

func (p *postReader) addQuestion(m postMembership, in graphSet, languages []byte, row [][]byte) {
	c, t, s := p.to, &p.terms, &p.post
	s.set(questionPath, row[p.at.id])
	c.addQuad(in, t.question, s.path, s.typeQuad())
	for tag := range schema.SplitTags(row[p.at.tags]) {
		c.addQuad(in, t.tagged, s.path, s.quad(markIRI, []byte(tagPath), tag))
	}
	c.addRow(in, s, p.rules, true, row)
	p.addFields(m, in, languages, row[p.at.id], row)
}

func (p *postReader) addAnswer(m postMembership, in graphSet, languages []byte, row [][]byte) {
	c, t, s := p.to, &p.terms, &p.post
	s.set(answerPath, row[p.at.id])
	c.addQuad(in, t.answer, s.path, s.typeQuad())
	c.addRow(in, s, p.rules, false, row)
	if p.options.Answers {
		p.addFields(m, in, languages, row[p.at.parent], row)
	}
}

// addFields adds what shards and parents hold of a question or answer. question is the id of the question that the
// post is or answers.
func (p *postReader) addFields(m postMembership, in graphSet, languages, question []byte, row [][]byte) {
	if p.fields == nil {
		return
	}
	p.fields.add(p.to, m, in, languages, &p.post, question, row)
	if p.text != nil {
		p.text(&PostText{tables.Int(row[p.at.id]), row[p.fields.title], row[p.fields.tags], row[p.fields.body]})
	}
}

func (p *postReader) addWiki(class Term, in graphSet, row [][]byte) {
	if len(in) == 0 {
		return
	}
	s := &p.post
	s.set(wikiPath, row[p.at.id])
	p.to.addQuad(in, class, s.path, s.typeQuad())
	p.to.addRow(in, s, p.rules, false, row)
}
