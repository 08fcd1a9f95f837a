package report

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// example is the thread that is drawn.
type example struct {
	question int64
	language schema.Language // of the graph
	source   string          // IRI of the question
	license  string          // IRI
	better   bool            // it has an answer that may be better than the accepted one
	picture  []byte          // an SVG element
}

// drawExample chooses a question and draws its thread, in its first graph. nil
// where no graph has a question.
func drawExample(ctx context.Context, db *tables.DB, index *threads.Index, c *candidates, o Options) (*example, error) {
	id, err := choose(ctx, db, index, c)
	if err != nil || id == 0 {
		return nil, err
	}
	r := threadReader{db: db, index: index, o: o}
	if err := r.read(ctx, id); err != nil {
		return nil, fmt.Errorf("reading the thread of question %d: %w", id, err)
	}
	q, _ := index.Find(id)
	l := schema.Language{Slug: schema.OtherSlug, Name: otherName}
	if g := index.Graphs(q.Set)[0]; g < len(o.Languages) {
		l = o.Languages[g]
	}
	t, err := readThread(r.scan, o.Site, l.Tag, id)
	if err != nil {
		return nil, fmt.Errorf("drawing the thread of question %d: %w", id, err)
	}
	return &example{question: id, language: l, source: o.Site.Question(id), license: r.license, better: r.better, picture: t.element()}, nil
}

// choose returns the candidate that shows most: edges to other questions, and
// comments, if not too many. 0 where there is none.
func choose(ctx context.Context, db *tables.DB, index *threads.Index, c *candidates) (int64, error) {
	c.thin()
	if len(c.ids) == 0 {
		for p := range index.All() {
			if p.Question {
				return p.ID, nil
			}
		}
		return 0, nil
	}
	comments, err := countComments(ctx, db, c.ids)
	if err != nil {
		return 0, err
	}
	links, err := countLinks(ctx, db, index, c.ids)
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
		if n := links[id]; n > 0 && n <= 3 {
			m += 4
		}
		return m
	}
	slices.Sort(c.ids)
	return slices.MaxFunc(c.ids, func(a, b int64) int { return merit(a) - merit(b) }), nil
}

// countComments counts the comments in the threads of some questions.
func countComments(ctx context.Context, db *tables.DB, questions []int64) (map[int64]int64, error) {
	counts := map[int64]int64{}
	if has, err := hasTable(ctx, db, "Comments"); err != nil || !has {
		return counts, err
	}
	in := list(questions)
	for _, query := range []string{
		"SELECT PostId, COUNT(*) FROM Comments WHERE PostId IN (" + in + ") GROUP BY PostId",
		"SELECT p.ParentId, COUNT(*) FROM Posts p JOIN Comments c ON c.PostId = p.Id WHERE p.ParentId IN (" + in + ") GROUP BY p.ParentId",
	} {
		err := each(ctx, db, query, func(row [][]byte) { counts[tables.Int(row[0])] += tables.Int(row[1]) })
		if err != nil {
			return nil, fmt.Errorf("counting comments: %w", err)
		}
	}
	return counts, nil
}

// countLinks counts the edges from some questions to posts that are in a graph.
func countLinks(ctx context.Context, db *tables.DB, index *threads.Index, questions []int64) (map[int64]int64, error) {
	counts := map[int64]int64{}
	if has, err := hasTable(ctx, db, "PostLinks"); err != nil || !has {
		return counts, err
	}
	err := each(ctx, db, "SELECT PostId, RelatedPostId FROM PostLinks WHERE PostId IN ("+list(questions)+")", func(row [][]byte) {
		if _, ok := index.Find(tables.Int(row[1])); ok {
			counts[tables.Int(row[0])]++
		}
	})
	if err != nil {
		return nil, fmt.Errorf("counting links: %w", err)
	}
	return counts, nil
}

// list writes ids as SQL's IN takes them.
func list(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}
