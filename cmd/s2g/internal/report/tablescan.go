package report

import (
	"context"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// tableScan is the counts of the posts that are in a graph. A post in several graphs
// counts once.
type tableScan struct {
	years   map[int]*postCounts
	scores  [len(scoreBins)]postCounts
	answers [maxAnswers + 1]int64 // questions by the number of their answers in the dump; the last counts all above
	links   *linkCounts

	candidates candidates // for the example
}

// postCounts counts questions and answers.
type postCounts struct{ questions, answers int64 }

func (c *postCounts) count(question bool) {
	if question {
		c.questions++
	} else {
		c.answers++
	}
}

func (c postCounts) sum() int64 { return c.questions + c.answers }

// maxAnswers is the number of answers from which on questions count together.
const maxAnswers = 10

// scoreBins are the ranges of scores that are counted, each from its first score up to
// the first of the next. They widen, because few posts have high scores. short is the
// score of the range that is nearest to 0.
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

// scanTables reads the tables in service: the posts once, and the indexes of answers and
// links. shown are the positions of the graphs between which it counts links.
func scanTables(ctx context.Context, db *tables.DB, index *threads.Index, shown []int) (*tableScan, error) {
	s := &tableScan{years: map[int]*postCounts{}, links: newLinkCounts(shown)}
	for _, read := range []func(context.Context, *tables.DB, *threads.Index) error{s.readPosts, s.readAnswers, s.readLinks} {
		if err := read(ctx, db, index); err != nil {
			return nil, fmt.Errorf("counting posts: %w", err)
		}
	}
	return s, nil
}

func (s *tableScan) readPosts(ctx context.Context, db *tables.DB, index *threads.Index) error {
	query := fmt.Sprintf("SELECT Id, YEAR(CreationDate), Score FROM Posts WHERE PostTypeId IN (%d, %d) ORDER BY Id", schema.PostQuestion, schema.PostAnswer)
	return db.EachRow(ctx, query, func(row [][]byte) error {
		p, ok := index.Find(tables.Int(row[0]))
		if !ok {
			return nil
		}
		year := int(tables.Int(row[1]))
		if s.years[year] == nil {
			s.years[year] = &postCounts{}
		}
		s.years[year].count(p.Question)
		if row[2] != nil {
			s.scores[scoreBin(tables.Int(row[2]))].count(p.Question)
		}
		return nil
	})
}

// readAnswers counts the answers of each question. The index on ParentId holds
// both columns, so MariaDB reads no post.
func (s *tableScan) readAnswers(ctx context.Context, db *tables.DB, index *threads.Index) error {
	for p := range index.All() {
		if p.Question && !p.Answered {
			s.answers[0]++
		}
	}
	var q answeredQuestion
	complete := func() {
		if q.answers > 0 {
			s.answers[min(q.answers, maxAnswers)]++
			s.candidates.offer(q)
		}
	}
	err := db.EachRow(ctx, "SELECT ParentId, Id FROM Posts WHERE ParentId IS NOT NULL ORDER BY ParentId, Id", func(row [][]byte) error {
		p, ok := index.Find(tables.Int(row[1]))
		if !ok || p.Question {
			return nil
		}
		if p.Parent != q.id {
			complete()
			q = answeredQuestion{id: p.Parent}
		}
		q.answers++
		q.accepted = q.accepted || p.IsAccepted
		q.better = q.better || p.IsBetter
		return nil
	})
	complete()
	return err
}

func (s *tableScan) readLinks(ctx context.Context, db *tables.DB, index *threads.Index) error {
	query := fmt.Sprintf("SELECT DISTINCT PostId, RelatedPostId, LinkTypeId FROM PostLinks WHERE LinkTypeId IN (%d, %d)", schema.LinkLinked, schema.LinkDuplicate)
	return eachRowOf(ctx, db, "PostLinks", query, func(row [][]byte) {
		from, ok1 := index.Find(tables.Int(row[0]))
		to, ok2 := index.Find(tables.Int(row[1]))
		duplicate := tables.Int(row[2]) == schema.LinkDuplicate
		if ok1 && ok2 && (!duplicate || from.Question && to.Question) {
			s.links.count(index.Graphs(from.Set), index.Graphs(to.Set), duplicate)
		}
	})
}

// eachRowOf passes the rows of a query to use, none if the database lacks the table: a
// build can be without some.
func eachRowOf(ctx context.Context, db *tables.DB, table, query string, use func(row [][]byte)) error {
	if has, err := db.HasTable(ctx, table); err != nil || !has {
		return err
	}
	return db.EachRow(ctx, query, func(row [][]byte) error { use(row); return nil })
}
