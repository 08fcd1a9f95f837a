package search

import (
	"errors"
	"slices"
	"strings"
	"time"

	"s2g/vectors/shard"
)

// Filter selects questions by their columns. The zero value selects all.
type Filter struct {
	Tags     []string  // the question has all of them
	MinScore *int32    // the question has at least this score on its site; nil: any
	Since    time.Time // the question was written then or later; zero: any time
	Accepted bool      // the question has an accepted answer
	HasCode  bool      // the post that matched has a block of code
}

// mostChecked is the number of questions that a search examines for code.
const mostChecked = 10_000

// byColumns reports whether the filter depends on columns of the question.
func (f Filter) byColumns() bool {
	return len(f.Tags) > 0 || f.MinScore != nil || !f.Since.IsZero() || f.Accepted
}

// columns returns the columns that Keeps reads.
func (f Filter) columns() []string {
	columns := []string{"post_id", "question_id"}
	for _, c := range []struct {
		name string
		read bool
	}{{"tags", len(f.Tags) > 0}, {"score", f.MinScore != nil}, {"creation_date", !f.Since.IsZero()}, {"has_accepted_answer", f.Accepted}} {
		if c.read {
			columns = append(columns, c.name)
		}
	}
	return columns
}

// Keeps reports whether a question passes the filter. It does not check for code.
func (f Filter) Keeps(question *shard.Point) bool {
	for _, tag := range f.Tags {
		if !slices.Contains(question.Tags, tag) {
			return false
		}
	}
	return (f.MinScore == nil || question.Score != nil && *question.Score >= *f.MinScore) &&
		(f.Since.IsZero() || question.CreationDate >= f.Since.UnixMilli()) &&
		(!f.Accepted || question.HasAcceptedAnswer)
}

// HasCodeBlock reports whether a cleaned text, or a chunk of one, has a fence around code.
func HasCodeBlock(text string) bool {
	return strings.HasPrefix(text, "```") || strings.Contains(text, "\n```")
}

// keptRows returns, for each row of a shard, whether it is of a question that the filter
// keeps, and the ids of these questions. A row of an answer counts as false.
func (f Filter) keptRows(file string) (kept []bool, questions []int64, err error) {
	r, err := shard.Open(file, f.columns()...)
	if err != nil {
		return nil, nil, err
	}
	for r.Scan() {
		p := r.Point()
		keep := p.PostID == p.QuestionID && f.Keeps(p)
		kept = append(kept, keep)
		if n := len(questions); keep && (n == 0 || questions[n-1] != p.PostID) {
			questions = append(questions, p.PostID)
		}
	}
	return kept, questions, errors.Join(r.Err(), r.Close())
}
