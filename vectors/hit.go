package vectors

import "context"

// Hit is a question that was found.
type Hit struct {
	PostID           int64    `json:"post_id"`
	IRI              string   `json:"iri"`
	Language         string   `json:"language"`        // whose shard it was read from; empty: the remainder
	Score            float64  `json:"score,omitempty"` // how well it fits: sparse and dense, each standardised over the language; a neighbour has none
	Title            string   `json:"title"`
	Tags             []string `json:"tags"`
	Votes            int32    `json:"votes"` // the post's score on its site
	AnswerCount      int32    `json:"answer_count"`
	AcceptedAnswerID int64    `json:"accepted_answer_id,omitempty"`
	DuplicateOf      []int64  `json:"duplicate_of,omitempty"`
	LinkedTo         []int64  `json:"linked_to,omitempty"`
	Author           string   `json:"author,omitempty"` // IRI of the profile, else the name
	License          string   `json:"license"`

	Via   *Via  `json:"via,omitempty"` // of a neighbour: the edge that led to it
	Match Match `json:"match"`

	Text    string   `json:"text,omitempty"`    // the whole cleaned text; see Threads
	Answers []Answer `json:"answers,omitempty"` // see Threads
}

// Match is the chunk that made a hit: of the question, or of an answer to it where
// answers are embedded.
type Match struct {
	PostID  int64  `json:"post_id"`
	Type    string `json:"type"` // question or answer
	Chunk   int32  `json:"chunk"`
	Start   int32  `json:"start"` // code points of the post's whole text,
	End     int32  `json:"end"`   // End excluded
	Snippet string `json:"snippet"`
}

// Via is an edge between a question that was found and its neighbour.
type Via struct {
	From      int64  `json:"from"`      // the question that was found
	Edge      string `json:"edge"`      // DuplicateOf or LinkedTo
	Direction string `json:"direction"` // out: it stands at From; in: it stands at Post, and leads to From
	Post      int64  `json:"post"`      // the end of the edge that is not From: the neighbour, or an answer to it
}

// The values of Via.
const (
	EdgeDuplicate = "DuplicateOf"
	EdgeLinked    = "LinkedTo"
	DirectionOut  = "out"
	DirectionIn   = "in"
)

// payload are the columns of a shard that a hit shows.
type payload struct {
	PostID           int64    `parquet:"post_id"`
	QuestionID       int64    `parquet:"question_id"`
	IRI              string   `parquet:"iri"`
	Type             string   `parquet:"type"`
	Language         string   `parquet:"language"`
	Chunk            int32    `parquet:"chunk"`
	Start            int32    `parquet:"start"`
	End              int32    `parquet:"end"`
	Title            string   `parquet:"title"`
	Text             string   `parquet:"text"`
	Tags             []string `parquet:"tags,list"`
	Score            *int32   `parquet:"score,optional"`
	AnswerCount      *int32   `parquet:"answer_count,optional"`
	AcceptedAnswerID int64    `parquet:"accepted_answer_id,optional"`
	DuplicateOf      []int64  `parquet:"duplicate_of,list"`
	LinkedTo         []int64  `parquet:"linked_to,list"`
	Author           string   `parquet:"author,optional"`
	AuthorName       string   `parquet:"author_name,optional"`
	License          string   `parquet:"license"`
}

// hit is a question, by its own row and that of the chunk that matched.
func (q *query) hit(question, match *payload, score float64) Hit {
	h := Hit{
		PostID: question.PostID, IRI: question.IRI, Language: question.Language, Score: score, Title: question.Title, Tags: question.Tags,
		AcceptedAnswerID: question.AcceptedAnswerID, DuplicateOf: question.DuplicateOf, LinkedTo: question.LinkedTo,
		Author: question.Author, License: question.License,
		Match: Match{
			PostID: match.PostID, Type: match.Type, Chunk: match.Chunk, Start: match.Start, End: match.End,
			Snippet: q.snippet(match.Text[min(len(match.Title), len(match.Text)):]),
		},
	}
	if h.Author == "" {
		h.Author = question.AuthorName
	}
	if question.Score != nil {
		h.Votes = *question.Score
	}
	if question.AnswerCount != nil {
		h.AnswerCount = *question.AnswerCount
	}
	return h
}

// HitOf is a hit of rows that something else has found, as a vector database: those of
// a question and of the chunk that matched.
func HitOf(ctx context.Context, text string, question, match *Point, score float64) (Hit, error) {
	q, err := words(ctx, text)
	if err != nil {
		return Hit{}, err
	}
	return q.hit(payloadOf(question), payloadOf(match), score), nil
}

// payloadOf is what a hit shows of a point.
func payloadOf(p *Point) *payload {
	return &payload{
		PostID: p.PostID, QuestionID: p.QuestionID, IRI: p.IRI, Type: p.Type, Language: p.Language, Chunk: p.Chunk, Start: p.Start, End: p.End,
		Title: p.Title, Text: p.Text, Tags: p.Tags, Score: p.Score, AnswerCount: p.AnswerCount, AcceptedAnswerID: p.AcceptedAnswerID,
		DuplicateOf: p.DuplicateOf, LinkedTo: p.LinkedTo, Author: p.Author, AuthorName: p.AuthorName, License: p.License,
	}
}
