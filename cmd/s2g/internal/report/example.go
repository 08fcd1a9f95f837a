package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// example is the thread that the page shows.
type example struct {
	question int64
	language schema.Language // of the graph that it is drawn from
	thread   *thread
	absent   string // the reason why there is no thread; empty: there is one
}

// readExample chooses a question by the tables, and reads its thread from the files of its
// first graph.
func readExample(ctx context.Context, db *tables.DB, index *threads.Index, c *candidates, o Options) (*example, error) {
	if o.Manifest.Stages[manifest.Graph] == nil {
		return &example{absent: "The build has no graph to read a thread from."}, nil
	}
	id, err := choose(ctx, db, index, c)
	if err != nil {
		return nil, err
	}
	question, ok := index.Find(id)
	if !ok {
		return &example{absent: "There is no question to draw."}, nil
	}
	var answers []int64
	err = db.EachRow(ctx, "SELECT Id FROM Posts WHERE ParentId = ? ORDER BY Id", func(row [][]byte) error {
		if a, ok := index.Find(tables.Int(row[0])); ok && !a.Question {
			answers = append(answers, a.ID)
		}
		return nil
	}, id)
	if err != nil {
		return nil, fmt.Errorf("listing the answers to question %d: %w", id, err)
	}
	e := &example{question: id, language: schema.OtherLanguage()}
	if g := index.Graphs(question.Set)[0]; g < len(o.Languages) {
		e.language = o.Languages[g]
	}
	if e.thread, err = readThread(ctx, openGraphFiles(o), e.language.Tag, id, answers); err != nil {
		return nil, fmt.Errorf("reading the thread of question %d: %w", id, err)
	}
	if e.thread == nil {
		e.absent = fmt.Sprintf("The graph does not hold question %s: it was made from other tables. s2g graph makes it anew.", comma(id))
	}
	return e, nil
}

// choose returns the id of the best candidate: one with a few links to other posts and a
// few comments. It returns 0 where no graph has a question.
func choose(ctx context.Context, db *tables.DB, index *threads.Index, c *candidates) (int64, error) {
	c.thin()
	if len(c.ids) == 0 { // no question has an answer
		for p := range index.All() {
			if p.Question {
				return p.ID, nil
			}
		}
		return 0, nil
	}
	comments, links := map[int64]int64{}, map[int64]int64{}
	ids := tables.IDList(c.ids)
	err := eachRowOf(ctx, db, "Comments", "SELECT PostId, COUNT(*) FROM Comments WHERE PostId IN ("+ids+") GROUP BY PostId"+
		" UNION ALL SELECT p.ParentId, COUNT(*) FROM Posts p JOIN Comments c ON c.PostId = p.Id WHERE p.ParentId IN ("+ids+") GROUP BY p.ParentId", func(row [][]byte) {
		comments[tables.Int(row[0])] += tables.Int(row[1])
	})
	if err != nil {
		return 0, fmt.Errorf("counting comments: %w", err)
	}
	err = eachRowOf(ctx, db, "PostLinks", "SELECT PostId, RelatedPostId FROM PostLinks WHERE PostId IN ("+ids+")", func(row [][]byte) {
		if _, ok := index.Find(tables.Int(row[1])); ok {
			links[tables.Int(row[0])]++
		}
	})
	if err != nil {
		return 0, fmt.Errorf("counting links: %w", err)
	}
	merit := func(id int64) (m int) {
		switch n := comments[id]; {
		case n > 0 && n <= 3:
			m += 3
		case n > 6:
			m -= 3
		}
		if n := links[id]; n > 0 && n <= 3 {
			m += 4
		}
		return m
	}
	slices.Sort(c.ids)
	return slices.MaxFunc(c.ids, func(a, b int64) int { return merit(a) - merit(b) }), nil
}

// answeredQuestion has the properties by which a question is a good example.
type answeredQuestion struct {
	id       int64
	answers  int
	accepted bool // one of the answers is accepted
	better   bool // one of the answers is possibly better
}

// rank is higher for a question that shows more of the graph with few answers.
func (q answeredQuestion) rank() int {
	few := q.answers == 2 || q.answers == 3
	switch {
	case few && q.accepted && q.better:
		return 3
	case few && q.accepted:
		return 2
	case q.answers <= 4:
		return 1
	}
	return 0
}

// keptCandidates is the number of questions that choose compares.
const keptCandidates = 256

// candidates are the questions of the highest rank. Of too many it keeps a sample that
// depends only on their ids.
type candidates struct {
	rank int
	ids  []int64
}

func (c *candidates) offer(q answeredQuestion) {
	switch rank := q.rank(); {
	case len(c.ids) == 0 || rank > c.rank:
		c.rank, c.ids = rank, append(c.ids[:0], q.id)
	case rank == c.rank:
		if c.ids = append(c.ids, q.id); len(c.ids) == 8*keptCandidates {
			c.thin()
		}
	}
}

// thin keeps the keptCandidates ids with the smallest hashes.
func (c *candidates) thin() {
	slices.SortFunc(c.ids, func(a, b int64) int { return cmp.Compare(schema.Mix64(uint64(a)), schema.Mix64(uint64(b))) })
	c.ids = c.ids[:min(len(c.ids), keptCandidates)]
}
