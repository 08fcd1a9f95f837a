package graph

import (
	"s2g/graph/trig"
	"s2g/schema/vocab"
)

// newSyntax is the syntax of the batches: its prefixes cover the ontology and
// the nodes that are numbered.
func newSyntax(f trig.Format, site vocab.Site) *trig.Syntax {
	return trig.NewSyntax(f,
		trig.Prefix{Name: "so", IRI: vocab.NS},
		trig.Prefix{Name: "xsd", IRI: vocab.XSD},
		trig.Prefix{Name: "q", IRI: questionIRI(site)},
		trig.Prefix{Name: "a", IRI: answerIRI(site)},
		trig.Prefix{Name: "c", IRI: commentIRI(site)},
		trig.Prefix{Name: "w", IRI: postIRI(site)},
		trig.Prefix{Name: "u", IRI: userIRI(site)},
	)
}

// The IRIs of numbered nodes, without the number.
func questionIRI(s vocab.Site) string { return stem(s.Question(0)) }
func answerIRI(s vocab.Site) string   { return stem(s.Answer(0)) }
func commentIRI(s vocab.Site) string  { return stem(s.Comment(0)) }
func postIRI(s vocab.Site) string     { return stem(s.Post(0)) }
func userIRI(s vocab.Site) string     { return stem(s.User(0)) }

func stem(iri string) string { return iri[:len(iri)-1] }

// terms are the constant parts of the graph's triples, spelled.
type terms struct {
	question, answer, comment, post, user trig.Frame
	systemUser                            trig.Frame // a negative number is no prefixed name everywhere
	tag                                   trig.Frame
	integer, dateTime                     trig.Frame
	syntax                                *trig.Syntax

	a                                                                                  string
	Question, AnsweredQuestion, UnansweredQuestion, Answer, AcceptedAnswer             string
	PossibleBetterAnswer, TagWiki, TagWikiExcerpt, Comment, Tag                        string
	HasAnswer, HasAcceptedAnswer, HasPossibleBetterAnswer, HasComment, TaggedWith      string
	HasTagWiki, HasTagWikiExcerpt, LinkedTo, DuplicateOf, author, licenseOf            string
	postID, commentID, hasTitle, hasBody, score, upVotes, downVotes                    string
	viewCount, answerCount, commentCount, favoriteCount, authorName, tagName, tagCount string
	creationDate, lastEditDate, lastActivityDate, closedDate, communityOwnedDate       string
}

func newTerms(s *trig.Syntax, site vocab.Site) *terms {
	so := func(local string) string { return s.IRI(vocab.NS + local) }
	return &terms{
		question: s.Names(questionIRI(site)), answer: s.Names(answerIRI(site)), comment: s.Names(commentIRI(site)),
		post: s.Names(postIRI(site)), user: s.Names(userIRI(site)), systemUser: trig.Brackets(userIRI(site)),
		tag: trig.Brackets(site.Tag("")), integer: s.Datatype(vocab.XSD + "integer"), dateTime: s.Datatype(vocab.XSD + "dateTime"),
		syntax: s, a: s.Predicate(vocab.RDF + "type"),

		Question: so(vocab.Question), AnsweredQuestion: so(vocab.AnsweredQuestion), UnansweredQuestion: so(vocab.UnansweredQuestion),
		Answer: so(vocab.Answer), AcceptedAnswer: so(vocab.AcceptedAnswer), PossibleBetterAnswer: so(vocab.PossibleBetterAnswer),
		TagWiki: so(vocab.TagWiki), TagWikiExcerpt: so(vocab.TagWikiExcerpt), Comment: so(vocab.Comment), Tag: so(vocab.Tag),

		HasAnswer: so(vocab.HasAnswer), HasAcceptedAnswer: so(vocab.HasAcceptedAnswer), HasPossibleBetterAnswer: so(vocab.HasPossibleBetterAnswer),
		HasComment: so(vocab.HasComment), TaggedWith: so(vocab.TaggedWith), HasTagWiki: so(vocab.HasTagWiki), HasTagWikiExcerpt: so(vocab.HasTagWikiExcerpt),
		LinkedTo: so(vocab.LinkedTo), DuplicateOf: so(vocab.DuplicateOf), author: so(vocab.Author), licenseOf: so(vocab.License),

		postID: so(vocab.PostID), commentID: so(vocab.CommentID), hasTitle: so(vocab.HasTitle), hasBody: so(vocab.HasBody),
		score: so(vocab.Score), upVotes: so(vocab.UpVotes), downVotes: so(vocab.DownVotes), viewCount: so(vocab.ViewCount),
		answerCount: so(vocab.AnswerCount), commentCount: so(vocab.CommentCount), favoriteCount: so(vocab.FavoriteCount),
		authorName: so(vocab.AuthorName), tagName: so(vocab.TagName), tagCount: so(vocab.TagCount),
		creationDate: so(vocab.CreationDate), lastEditDate: so(vocab.LastEditDate), lastActivityDate: so(vocab.LastActivityDate),
		closedDate: so(vocab.ClosedDate), communityOwnedDate: so(vocab.CommunityOwnedDate),
	}
}
