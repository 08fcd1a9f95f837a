package search

import (
	"cmp"
	"time"
)

// Hit is a question in the result of a search, as --json prints it.
type Hit struct {
	PostID           int64    `json:"post_id"`
	IRI              string   `json:"iri"`
	Language         string   `json:"language"`                // of the shard that it was read from; empty: the remainder
	Languages        []string `json:"languages,omitempty"`     // all of the question
	Score            float64  `json:"score,omitempty"`         // sparse and dense fused; a neighbour has none
	Strength         float64  `json:"strength,omitempty"`      // of the match, which compares between searches; a neighbour has none
	NoGoodMatch      bool     `json:"no_good_match,omitempty"` // of the search; see [Result]
	Title            string   `json:"title"`
	Tags             []string `json:"tags"`
	Votes            int32    `json:"votes"` // the post's score on its site
	CreationDate     string   `json:"creation_date"`
	AnswerCount      int32    `json:"answer_count"`
	AcceptedAnswerID int64    `json:"accepted_answer_id,omitempty"`
	DuplicateOf      []int64  `json:"duplicate_of,omitempty"`
	LinkedTo         []int64  `json:"linked_to,omitempty"`
	Author           string   `json:"author,omitempty"` // IRI of the profile, else the name
	License          string   `json:"license"`

	Via   *Via  `json:"via,omitempty"` // of a neighbour: the edge to it
	Match Match `json:"match"`

	Text    string   `json:"text,omitempty"`    // the whole cleaned text; see AddThreads
	Answers []Answer `json:"answers,omitempty"` // see AddThreads
}

// Match is the chunk of a hit that matched the query best: of the question, or of an answer
// to it where answers are embedded.
type Match struct {
	PostID  int64  `json:"post_id"`
	Type    string `json:"type"` // question or answer
	Chunk   int32  `json:"chunk"`
	Start   int32  `json:"start"` // code points of the post's whole text,
	End     int32  `json:"end"`   // End excluded
	Snippet string `json:"snippet"`
}

// Via is the edge between a question that was found and its neighbour.
type Via struct {
	From      int64  `json:"from"`      // the question that was found
	Edge      string `json:"edge"`      // DuplicateOf or LinkedTo
	Direction string `json:"direction"` // out: from From to Post; in: from Post to From
	Post      int64  `json:"post"`      // the end of the edge that is not From: the neighbour, or an answer to it
}

// The values of Via.
const (
	EdgeDuplicate = "DuplicateOf"
	EdgeLinked    = "LinkedTo"
	DirectionOut  = "out"
	DirectionIn   = "in"
)

// hit returns a question in the form of the result, with a snippet of the chunk that matched.
func (q *Query) hit(f Found) Hit {
	question, match := f.Question, f.Match
	h := Hit{
		PostID: question.PostID, IRI: question.IRI, Language: question.Language, Languages: question.Languages,
		Score: f.Score, Strength: f.Strength, Title: question.Title, Tags: question.Tags, CreationDate: formatDate(time.UnixMilli(question.CreationDate)),
		AcceptedAnswerID: question.AcceptedAnswerID, DuplicateOf: question.DuplicateOf, LinkedTo: question.LinkedTo,
		Author: cmp.Or(question.Author, question.AuthorName), License: question.License,
		Match: Match{
			PostID: match.PostID, Type: match.Type, Chunk: match.Chunk, Start: match.Start, End: match.End,
			Snippet: q.snippet(match.Text[min(len(match.Title), len(match.Text)):]),
		},
	}
	if question.Score != nil {
		h.Votes = *question.Score
	}
	if question.AnswerCount != nil {
		h.AnswerCount = *question.AnswerCount
	}
	return h
}

// formatDate returns a date as in the graph and in Qdrant's payload.
func formatDate(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
