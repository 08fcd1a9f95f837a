// Package vocab defines the IRIs of the knowledge graph: the terms of the ontology
// and the instances of a site. The terms have the spelling of the paper Stack2Graph;
// docs/graph.md lists them.
package vocab

// NS is the namespace of the ontology, prefix so:.
const NS = "http://stackoverflow.com/schema#"

// The namespaces of other vocabularies in the graph.
const (
	RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	XSD = "http://www.w3.org/2001/XMLSchema#"
	CC  = "https://creativecommons.org/licenses/by-sa/"
)

// Local names of the classes.
const (
	Question             = "Question"
	AnsweredQuestion     = "AnsweredQuestion"
	UnansweredQuestion   = "UnansweredQuestion"
	Answer               = "Answer"
	AcceptedAnswer       = "AcceptedAnswer"
	PossibleBetterAnswer = "PossibleBetterAnswer"
	TagWiki              = "TagWiki"
	TagWikiExcerpt       = "TagWikiExcerpt"
	Comment              = "Comment"
	Tag                  = "Tag"
	Post                 = "Post"    // only inferred, by the ontology
	Content              = "Content" // only inferred, by the ontology
)

// Local names of the object properties.
const (
	HasAnswer               = "HasAnswer"
	HasAcceptedAnswer       = "HasAcceptedAnswer"
	HasPossibleBetterAnswer = "HasPossibleBetterAnswer"
	HasComment              = "HasComment"
	TaggedWith              = "TaggedWith"
	HasTagWiki              = "HasTagWiki"
	HasTagWikiExcerpt       = "HasTagWikiExcerpt"
	LinkedTo                = "LinkedTo"
	DuplicateOf             = "DuplicateOf"
	Author                  = "author"
	License                 = "license"
)

// Local names of the properties with literals.
const (
	PostID             = "postId"
	CommentID          = "commentId"
	HasTitle           = "hasTitle"
	HasBody            = "hasBody"
	Score              = "score"
	UpVotes            = "upVotes"
	DownVotes          = "downVotes"
	ViewCount          = "viewCount"
	AnswerCount        = "answerCount"
	CommentCount       = "commentCount"
	FavoriteCount      = "favoriteCount"
	CreationDate       = "creationDate"
	LastEditDate       = "lastEditDate"
	LastActivityDate   = "lastActivityDate"
	ClosedDate         = "closedDate"
	CommunityOwnedDate = "communityOwnedDate"
	AuthorName         = "authorName"
	TagName            = "tagName"
	TagCount           = "tagCount"
)
