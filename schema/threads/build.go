package threads

import (
	"context"
	"fmt"
	"math"

	"s2g/schema"
	"s2g/schema/tables"
)

// Build reads the Posts in service. langs is the language table in force;
// other puts questions that have none of its tags in the remainder graph.
func Build(ctx context.Context, db *tables.DB, langs []schema.Language, other bool) (*Index, error) {
	x, err := build(ctx, db, langs, other)
	if err != nil {
		return nil, fmt.Errorf("finding the graphs of posts: %w", err)
	}
	return x, nil
}

func build(ctx context.Context, db *tables.DB, langs []schema.Language, other bool) (*Index, error) {
	var posts int64 // wikis included: room for too many costs address space, not memory
	if err := db.SQL().QueryRowContext(ctx, "SELECT COUNT(*) FROM Posts").Scan(&posts); err != nil {
		return nil, fmt.Errorf("counting posts: %w", err)
	}
	if posts > math.MaxUint32 {
		return nil, fmt.Errorf("%d posts are more than %d", posts, uint32(math.MaxUint32))
	}
	b := newBuilder(newSets(langs, other), int(posts))
	if err := eachRow(ctx, db, posts/rangePosts+1, b.row); err != nil {
		return nil, err
	}
	return b.index(), nil
}

// builder takes questions and answers in order of their ids. Until all are
// there it cannot know which count: an answer may come before its question.
// In the index that it fills, graphs of an answer holds its score, and others
// of a question the answer that it names, valid or not.
type builder struct{ x *Index }

func newBuilder(s *sets, posts int) builder {
	return builder{&Index{
		ids:    make([]int64, 0, posts),
		others: make([]int64, 0, posts),
		graphs: make([]GraphSet, 0, posts),
		flags:  make([]flag, 0, posts),
		sets:   s,
	}}
}

func (b builder) row(r postRow) {
	if r.question {
		b.question(r.id, r.other, r.tags)
	} else {
		b.answer(r.id, r.other, r.score)
	}
}

func (b builder) question(id, accepted int64, tags []byte) {
	if set := b.x.SetOf(tags); set != 0 {
		b.add(id, accepted, set, question)
	}
}

func (b builder) answer(id, parent, score int64) {
	b.add(id, parent, GraphSet(uint32(int32(score))), 0)
}

func (b builder) add(id, other int64, word GraphSet, f flag) {
	x := b.x
	x.ids = append(x.ids, id)
	x.others = append(x.others, other)
	x.graphs = append(x.graphs, word)
	x.flags = append(x.flags, f)
}

// index settles what holds between posts, and drops the answers that are in no graph.
func (b builder) index() *Index {
	b.x.near = newLookup(b.x.ids)
	b.compare()
	b.settle()
	b.x.near = newLookup(b.x.ids)
	return b.x
}

// compare sets the flags of answers and of their questions.
func (b builder) compare() {
	x := b.x
	for i, f := range x.flags {
		if f&question != 0 {
			continue
		}
		q, ok := b.questionOf(i)
		if !ok {
			continue
		}
		x.flags[q] |= answered
		best, ok := b.acceptedOf(q)
		switch {
		case !ok:
		case best == i:
			x.flags[i] |= accepted
		case b.score(i) > b.score(best):
			x.flags[i] |= better
		}
	}
}

func (b builder) score(answer int) int32 { return int32(b.x.graphs[answer]) }

// questionOf returns the question that an answer's ParentId names, if it is one in a graph.
func (b builder) questionOf(answer int) (int, bool) {
	q, ok := b.x.position(b.x.others[answer])
	return q, ok && b.x.flags[q]&question != 0
}

// acceptedOf returns the answer that a question names, if it is one of its answers.
func (b builder) acceptedOf(q int) (int, bool) {
	x := b.x
	if x.others[q] == 0 {
		return 0, false
	}
	i, ok := x.position(x.others[q])
	return i, ok && x.flags[i]&question == 0 && x.others[i] == x.ids[q]
}

// settle puts their question's graphs in the place of answers' scores, forgets
// accepted answers that do not count, and drops answers without a question.
func (b builder) settle() {
	x := b.x
	for i, f := range x.flags {
		if f&question != 0 {
			if _, ok := b.acceptedOf(i); !ok {
				x.others[i] = 0
			}
		} else if q, ok := b.questionOf(i); ok {
			x.graphs[i] = x.graphs[q]
		} else {
			x.graphs[i] = 0
		}
	}
	n := 0
	for i, set := range x.graphs {
		if set != 0 {
			x.ids[n], x.others[n], x.graphs[n], x.flags[n] = x.ids[i], x.others[i], set, x.flags[i]
			n++
		}
	}
	x.ids, x.others, x.graphs, x.flags = x.ids[:n], x.others[:n], x.graphs[:n], x.flags[:n]
}
