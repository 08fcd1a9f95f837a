package report

import (
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

// readExample chooses one of the questions by the tables, and reads its thread from the
// files of its first graph.
func readExample(ctx context.Context, db *tables.DB, o Options, questions []int64) (*example, error) {
	if o.Manifest.Stages[manifest.Graph] == nil {
		return &example{absent: "The build has no graph to read a thread from."}, nil
	}
	if len(questions) == 0 {
		return &example{absent: "There is no question to draw."}, nil
	}
	id, err := choose(ctx, db, o, questions)
	if err != nil {
		return nil, err
	}
	index, err := threads.BuildOf(ctx, db, o.Languages, o.Other, []int64{id})
	if err != nil {
		return nil, err
	}
	question, ok := index.Find(id)
	if !ok {
		return nil, fmt.Errorf("question %d of the manifest is not in the tables", id)
	}
	var answers []int64
	for p := range index.All() {
		if !p.Question {
			answers = append(answers, p.ID)
		}
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

// choose returns the id of the best question: one with a few links to other posts of
// graphs and a few comments.
func choose(ctx context.Context, db *tables.DB, o Options, questions []int64) (int64, error) {
	comments, linked := map[int64]int64{}, map[int64][]int64{}
	ids := tables.IDList(questions)
	err := eachRowOf(ctx, db, "Comments", "SELECT PostId, COUNT(*) FROM Comments WHERE PostId IN ("+ids+") GROUP BY PostId"+
		" UNION ALL SELECT p.ParentId, COUNT(*) FROM Posts p JOIN Comments c ON c.PostId = p.Id WHERE p.ParentId IN ("+ids+") GROUP BY p.ParentId", func(row [][]byte) {
		comments[tables.Int(row[0])] += tables.Int(row[1])
	})
	if err != nil {
		return 0, fmt.Errorf("counting comments: %w", err)
	}
	var others []int64
	err = eachRowOf(ctx, db, "PostLinks", "SELECT PostId, RelatedPostId FROM PostLinks WHERE PostId IN ("+ids+")", func(row [][]byte) {
		from, to := tables.Int(row[0]), tables.Int(row[1])
		linked[from], others = append(linked[from], to), append(others, to)
	})
	if err != nil {
		return 0, fmt.Errorf("counting links: %w", err)
	}
	index, err := threads.BuildOf(ctx, db, o.Languages, o.Other, others)
	if err != nil {
		return 0, err
	}
	merit := func(id int64) (m int) {
		switch n := comments[id]; {
		case n > 0 && n <= 3:
			m += 3
		case n > 6:
			m -= 3
		}
		links := 0
		for _, to := range linked[id] {
			if _, ok := index.Find(to); ok {
				links++
			}
		}
		if links > 0 && links <= 3 {
			m += 4
		}
		return m
	}
	return slices.MaxFunc(questions, func(a, b int64) int { return merit(a) - merit(b) }), nil
}

// eachRowOf passes the rows of a query to use, none if the database lacks the table: a
// build can be without some.
func eachRowOf(ctx context.Context, db *tables.DB, table, query string, use func(row [][]byte)) error {
	if has, err := db.HasTable(ctx, table); err != nil || !has {
		return err
	}
	return db.EachRow(ctx, query, func(row [][]byte) error { use(row); return nil })
}
