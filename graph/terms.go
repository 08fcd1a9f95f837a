package graph

import (
	"slices"

	"s2g/graph/trig"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// newSyntax is the syntax of the batches: its prefixes cover the ontology, the
// nodes that are numbered and, where they are written, the terms of others.
func newSyntax(f trig.Format, site vocab.Site, aligned bool) *trig.Syntax {
	prefixes := []trig.Prefix{
		{Name: "so", IRI: vocab.NS},
		{Name: "xsd", IRI: vocab.XSD},
		{Name: "q", IRI: questionIRI(site)},
		{Name: "a", IRI: answerIRI(site)},
		{Name: "c", IRI: commentIRI(site)},
		{Name: "w", IRI: postIRI(site)},
		{Name: "u", IRI: userIRI(site)},
	}
	if aligned {
		prefixes = append(prefixes, alignedPrefixes...)
	}
	return trig.NewSyntax(f, prefixes...)
}

// alignedPrefixes shorten what the ontology is aligned with.
var alignedPrefixes = []trig.Prefix{
	{Name: "sioc", IRI: "http://rdfs.org/sioc/ns#"},
	{Name: "sioct", IRI: "http://rdfs.org/sioc/types#"},
	{Name: "schema", IRI: "https://schema.org/"},
	{Name: "skos", IRI: "http://www.w3.org/2004/02/skos/core#"},
	{Name: "dcterms", IRI: "http://purl.org/dc/terms/"},
}

// The IRIs of numbered nodes, without the number.
func questionIRI(s vocab.Site) string { return stem(s.Question(0)) }
func answerIRI(s vocab.Site) string   { return stem(s.Answer(0)) }
func commentIRI(s vocab.Site) string  { return stem(s.Comment(0)) }
func postIRI(s vocab.Site) string     { return stem(s.Post(0)) }
func userIRI(s vocab.Site) string     { return stem(s.User(0)) }

func stem(iri string) string { return iri[:len(iri)-1] }

// standing is how an answer stands to its question's accepted answer.
type standing int

const (
	ordinary standing = iota
	accepted
	better
	standings
)

func standingOf(p threads.Post) standing {
	switch {
	case p.IsAccepted:
		return accepted
	case p.IsBetter:
		return better
	}
	return ordinary
}

// terms are the constant parts of the graph's triples, spelled.
type terms struct {
	question, answer, comment, post, user trig.Frame
	systemUser                            trig.Frame // a negative number is no prefixed name everywhere
	tag                                   trig.Frame
	integer, dateTime                     trig.Frame
	syntax                                *trig.Syntax
	kinds                                 kinds

	isAnswered, isUnanswered, isComment, isTag, isTagWiki, isTagWikiExcerpt types
	isAnswer                                                                [standings]types

	HasAnswer                                                                          [standings]property
	HasComment, TaggedWith, HasTagWiki, HasTagWikiExcerpt, LinkedTo, DuplicateOf       property
	DuplicateToo                                                                       property // where LinkedTo leads to the same post
	author, licenseOf, postID, commentID, hasTitle, hasBody, score, upVotes, downVotes property
	viewCount, answerCount, commentCount, favoriteCount, authorName, tagName, tagCount property
	creationDate, lastEditDate, lastActivityDate, closedDate, communityOwnedDate       property
}

func newTerms(s *trig.Syntax, site vocab.Site, above hierarchy) *terms {
	t := &terms{
		question: s.Names(questionIRI(site)), answer: s.Names(answerIRI(site)), comment: s.Names(commentIRI(site)),
		post: s.Names(postIRI(site)), user: s.Names(userIRI(site)), systemUser: trig.Brackets(userIRI(site)),
		tag: trig.Brackets(site.Tag("")), integer: s.Datatype(vocab.XSD + "integer"), dateTime: s.Datatype(vocab.XSD + "dateTime"),
		syntax: s,
	}
	is := func(classes ...string) types { return t.types(above, classes...) }
	t.isAnswered, t.isUnanswered = is(vocab.Question, vocab.AnsweredQuestion), is(vocab.Question, vocab.UnansweredQuestion)
	t.isAnswer = [standings]types{is(vocab.Answer), is(vocab.Answer, vocab.AcceptedAnswer), is(vocab.Answer, vocab.PossibleBetterAnswer)}
	t.isComment, t.isTag, t.isTagWiki, t.isTagWikiExcerpt = is(vocab.Comment), is(vocab.Tag), is(vocab.TagWiki), is(vocab.TagWikiExcerpt)

	so := func(locals ...string) property { return t.property(above, locals...) }
	t.HasAnswer = [standings]property{so(vocab.HasAnswer), so(vocab.HasAnswer, vocab.HasAcceptedAnswer), so(vocab.HasAnswer, vocab.HasPossibleBetterAnswer)}
	t.HasComment, t.TaggedWith, t.HasTagWiki, t.HasTagWikiExcerpt = so(vocab.HasComment), so(vocab.TaggedWith), so(vocab.HasTagWiki), so(vocab.HasTagWikiExcerpt)
	t.LinkedTo, t.DuplicateOf = so(vocab.LinkedTo), so(vocab.DuplicateOf)
	t.DuplicateToo = slices.DeleteFunc(slices.Clone(t.DuplicateOf), func(p trig.Predicate) bool { return slices.Contains(t.LinkedTo, p) })
	t.author, t.licenseOf = so(vocab.Author), so(vocab.License)
	t.postID, t.commentID, t.hasTitle, t.hasBody = so(vocab.PostID), so(vocab.CommentID), so(vocab.HasTitle), so(vocab.HasBody)
	t.score, t.upVotes, t.downVotes = so(vocab.Score), so(vocab.UpVotes), so(vocab.DownVotes)
	t.viewCount, t.answerCount, t.commentCount, t.favoriteCount = so(vocab.ViewCount), so(vocab.AnswerCount), so(vocab.CommentCount), so(vocab.FavoriteCount)
	t.authorName, t.tagName, t.tagCount = so(vocab.AuthorName), so(vocab.TagName), so(vocab.TagCount)
	t.creationDate, t.lastEditDate, t.lastActivityDate = so(vocab.CreationDate), so(vocab.LastEditDate), so(vocab.LastActivityDate)
	t.closedDate, t.communityOwnedDate = so(vocab.ClosedDate), so(vocab.CommunityOwnedDate)
	return t
}

// types spells what a node of some classes is.
func (t *terms) types(above hierarchy, classes ...string) types {
	a := t.syntax.Predicate(vocab.RDF + "type")
	list := make(types, 0, len(classes))
	for _, class := range above.closure(inNS(classes)...) {
		a.Tally = t.kinds.add(class, true)
		list = append(list, struct {
			predicate trig.Predicate
			class     string
		}{a, t.syntax.IRI(class)})
	}
	return list
}

// property spells the predicates of an edge or a literal that has some names.
func (t *terms) property(above hierarchy, names ...string) property {
	var p property
	for _, iri := range above.closure(inNS(names)...) {
		q := t.syntax.Predicate(iri)
		q.Tally = t.kinds.add(iri, false)
		p = append(p, q)
	}
	return p
}

func inNS(names []string) []string {
	iris := make([]string, len(names))
	for i, n := range names {
		iris[i] = vocab.NS + n
	}
	return iris
}
