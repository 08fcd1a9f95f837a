package report

import (
	"context"
	"errors"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// survey is what the posts of the graphs are like. A post in several graphs
// counts once.
type survey struct {
	years   map[int]*pair
	scores  [len(scoreBins)]pair
	answers [maxAnswers + 1]int64 // questions by how many answers the dump has; the last has all above
	links   *linkTable

	candidates candidates // for the example
}

// pair counts questions and answers apart.
type pair struct{ questions, answers int64 }

func (p *pair) add(question bool) {
	if question {
		p.questions++
	} else {
		p.answers++
	}
}

// maxAnswers is where the questions' numbers of answers are no longer told apart.
const maxAnswers = 10

// scoreBins are the steps that scores are counted in: each from its first score
// up to the next one's. Few posts have high scores, so the steps widen. The short
// names are the scores of a step that are nearest to 0.
var scoreBins = [...]struct {
	from        int32
	name, short string
}{
	{-1 << 31, "≤−10", "−10"}, {-9, "−9…−5", "−5"}, {-4, "−4…−1", "−1"}, {0, "0", "0"}, {1, "1", "1"}, {2, "2", "2"},
	{3, "3, 4", "3"}, {5, "5…9", "5"}, {10, "10…19", "10"}, {20, "20…49", "20"}, {50, "50…99", "50"}, {100, "100…499", "100"},
	{500, "≥500", "500"},
}

func scoreBin(score int64) int {
	bin := 0
	for i, b := range scoreBins {
		if score >= int64(b.from) {
			bin = i
		}
	}
	return bin
}

// takeSurvey reads the tables in service. Of links those between the graphs whose
// positions are shown are counted.
func takeSurvey(ctx context.Context, db *tables.DB, langs []schema.Language, other bool, shown []int) (*survey, *threads.Index, error) {
	index, err := threads.Build(ctx, db, langs, other)
	if err != nil {
		return nil, nil, err
	}
	s := &survey{years: map[int]*pair{}, links: newLinkTable(shown)}
	for _, read := range []func(context.Context, *tables.DB, *threads.Index) error{s.readPosts, s.readAnswers, s.readLinks} {
		if err := read(ctx, db, index); err != nil {
			return nil, nil, fmt.Errorf("surveying the posts: %w", err)
		}
	}
	return s, index, nil
}

// each calls use with each row of a query.
func each(ctx context.Context, db *tables.DB, query string, use func(row [][]byte), args ...any) error {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	for rows.Scan() {
		use(rows.Record())
	}
	return errors.Join(rows.Err(), rows.Close())
}

func (s *survey) readPosts(ctx context.Context, db *tables.DB, index *threads.Index) error {
	query := fmt.Sprintf("SELECT Id, YEAR(CreationDate), Score FROM Posts WHERE PostTypeId IN (%d, %d) ORDER BY Id", schema.PostQuestion, schema.PostAnswer)
	return each(ctx, db, query, func(row [][]byte) {
		p, ok := index.Find(tables.Int(row[0]))
		if !ok {
			return
		}
		year := int(tables.Int(row[1]))
		if s.years[year] == nil {
			s.years[year] = &pair{}
		}
		s.years[year].add(p.Question)
		if row[2] != nil {
			s.scores[scoreBin(tables.Int(row[2]))].add(p.Question)
		}
	})
}

// readAnswers counts the answers of questions. The index on ParentId has all that
// it asks for, so no post is read.
func (s *survey) readAnswers(ctx context.Context, db *tables.DB, index *threads.Index) error {
	for p := range index.All() {
		if p.Question && !p.Answered {
			s.answers[0]++
		}
	}
	var q question
	err := each(ctx, db, "SELECT ParentId, Id FROM Posts WHERE ParentId IS NOT NULL ORDER BY ParentId, Id", func(row [][]byte) {
		p, ok := index.Find(tables.Int(row[1]))
		if !ok || p.Question {
			return
		}
		if p.Parent != q.id {
			s.close(q)
			q = question{id: p.Parent}
		}
		q.answers++
		q.accepted = q.accepted || p.IsAccepted
		q.better = q.better || p.IsBetter
	})
	s.close(q)
	return err
}

// close takes a question all of whose answers have been seen.
func (s *survey) close(q question) {
	if q.answers > 0 {
		s.answers[min(q.answers, maxAnswers)]++
		s.candidates.offer(q)
	}
}

func (s *survey) readLinks(ctx context.Context, db *tables.DB, index *threads.Index) error {
	has, err := hasTable(ctx, db, "PostLinks")
	if err != nil || !has {
		return err
	}
	query := fmt.Sprintf("SELECT DISTINCT PostId, RelatedPostId, LinkTypeId FROM PostLinks WHERE LinkTypeId IN (%d, %d)", schema.LinkLinked, schema.LinkDuplicate)
	return each(ctx, db, query, func(row [][]byte) {
		from, ok1 := index.Find(tables.Int(row[0]))
		to, ok2 := index.Find(tables.Int(row[1]))
		duplicate := tables.Int(row[2]) == schema.LinkDuplicate
		if ok1 && ok2 && (!duplicate || from.Question && to.Question) {
			s.links.add(index.Graphs(from.Set), index.Graphs(to.Set), duplicate)
		}
	})
}

// hasTable says whether a table was loaded: a build may do without some.
func hasTable(ctx context.Context, db *tables.DB, name string) (bool, error) {
	var n int
	err := db.SQL().QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", name).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("looking for the table %s: %w", name, err)
	}
	return n > 0, nil
}
