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
	months  map[int]*postCounts // by 12 times the year and the month, January being 0
	scores  [len(scoreBins)]postCounts
	answers [maxAnswers + 1]int64 // questions by the number of their answers in the dump; the last counts all above
	links   *linkCounts

	questions int64                // of the dump, in a graph or not
	tags      map[string]*tagCount // of these questions
	best      []scoredQuestion     // the questions of a graph with the highest scores, in order

	candidates candidates // for the example

	posts    int64 // rows of Posts, for progress; 0: unknown
	progress func(what string, done, total int64)
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

// scanTables reads the tables in service: the posts once, and the index of answers.
func scanTables(ctx context.Context, db *tables.DB, index *threads.Index, posts int64, progress func(string, int64, int64)) (*tableScan, error) {
	s := &tableScan{months: map[int]*postCounts{}, tags: map[string]*tagCount{}, posts: posts, progress: progress}
	for _, read := range []func(context.Context, *tables.DB, *threads.Index) error{s.readPosts, s.readAnswers} {
		if err := read(ctx, db, index); err != nil {
			return nil, fmt.Errorf("counting posts: %w", err)
		}
	}
	return s, nil
}

// progressStep is the number of posts between two reports of progress.
const progressStep = 1 << 14

func (s *tableScan) readPosts(ctx context.Context, db *tables.DB, index *threads.Index) error {
	query := fmt.Sprintf("SELECT Id, EXTRACT(YEAR_MONTH FROM CreationDate), Score, PostTypeId = %[1]d, Tags FROM Posts WHERE PostTypeId IN (%[1]d, %[2]d) ORDER BY Id",
		schema.PostQuestion, schema.PostAnswer)
	var done int64
	return db.EachRow(ctx, query, func(row [][]byte) error {
		if done++; done%progressStep == 0 {
			s.progress("posts by time, score and tag", done, max(s.posts, done))
		}
		p, ok := index.Find(tables.Int(row[0]))
		if tables.Int(row[3]) != 0 {
			s.countTags(row[4], ok)
		}
		if !ok {
			return nil
		}
		month := int(tables.Int(row[1])) // as 201703
		month = month/100*12 + month%100 - 1
		if s.months[month] == nil {
			s.months[month] = &postCounts{}
		}
		s.months[month].count(p.Question)
		if row[2] != nil {
			score := tables.Int(row[2])
			s.scores[scoreBin(score)].count(p.Question)
			if p.Question {
				s.offerBest(scoredQuestion{p.ID, score})
			}
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
	s.progress("answers by question", 0, 0)
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

// readLinks counts links. shown are the positions of the graphs between which it counts them.
func (s *tableScan) readLinks(ctx context.Context, db *tables.DB, index *threads.Index, shown []int) error {
	s.links = newLinkCounts(shown)
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
