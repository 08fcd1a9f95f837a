package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// topQuestion is a question with a high score.
type topQuestion struct {
	schema.ScoredQuestion
	title, created string // empty: the dump has none
	tags           []string
	answers        int64 // in the dump
	accepted       bool  // one of them is accepted
}

// readTop reads what the page shows of questions.
func readTop(ctx context.Context, db *tables.DB, o Options, best []schema.ScoredQuestion) ([]topQuestion, error) {
	if len(best) == 0 {
		return nil, nil
	}
	var ids []int64
	for _, q := range best {
		ids = append(ids, q.ID)
	}
	index, err := threads.BuildOf(ctx, db, o.Languages, o.Other, ids)
	if err != nil {
		return nil, err
	}
	top := make([]topQuestion, len(best))
	at := map[int64]*topQuestion{}
	for i, q := range best {
		p, _ := index.Find(q.ID)
		top[i] = topQuestion{ScoredQuestion: q, accepted: p.AcceptedAnswer != 0}
		at[q.ID] = &top[i]
	}
	in := tables.IDList(ids)
	err = db.EachRow(ctx, "SELECT Id, Title, Tags, DATE_FORMAT(CreationDate, '%Y-%m-%dT%TZ') FROM Posts WHERE Id IN ("+in+")", func(row [][]byte) error {
		q := at[tables.Int(row[0])]
		q.title, q.created = strings.TrimSpace(string(row[1])), string(row[3])
		for tag := range schema.SplitTags(row[2]) {
			q.tags = append(q.tags, string(tag))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the titles of questions: %w", err)
	}
	query := fmt.Sprintf("SELECT ParentId, COUNT(*) FROM Posts WHERE PostTypeId = %d AND ParentId IN (%s) GROUP BY ParentId", schema.PostAnswer, in)
	err = db.EachRow(ctx, query, func(row [][]byte) error {
		at[tables.Int(row[0])].answers = tables.Int(row[1])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("counting the answers to questions: %w", err)
	}
	return top, nil
}

// questionLine is a question in the list of the page.
type questionLine struct{ Score, Title, Source, Note string }

// questions returns the questions with the highest scores.
func (r *Report) questions() (lines []questionLine) {
	for _, q := range r.top {
		l := questionLine{Score: comma(q.Score), Title: shorten(q.title, 200), Source: r.o.Site.Question(q.ID)}
		if l.Title == "" {
			l.Title = "Question " + comma(q.ID)
		}
		l.Note = day(q.created) + ", " + plural(q.answers, "answer")
		if q.accepted {
			l.Note += ", one accepted"
		}
		if len(q.tags) > 0 {
			l.Note += "; " + strings.Join(q.tags, ", ")
		}
		lines = append(lines, l)
	}
	return lines
}

// searchWords is the largest number of words of the example of a search.
const searchWords = 10

// SearchText returns words that find a question: the title of the one with the highest score
// that has three words, else two or one. They have no character that a shell changes within
// double quotes. The result is empty where no question has a title.
func (r *Report) SearchText() (text string) {
	best := 0
	for _, q := range r.top {
		words := strings.FieldsFunc(q.title, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsNumber(c) && !strings.ContainsRune("-+#.'/_", c)
		})
		words = slices.DeleteFunc(words, func(w string) bool {
			return strings.IndexFunc(w, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }) < 0
		})
		words = words[:min(len(words), searchWords)]
		if n := min(len(words), 3); n > best {
			best, text = n, strings.Trim(strings.Join(words, " "), ".-")
		}
	}
	return text
}
