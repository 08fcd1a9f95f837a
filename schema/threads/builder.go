package threads

import (
	"context"
	"fmt"
	"math"

	"s2g/schema"
	"s2g/schema/projection"
	"s2g/schema/tables"
)

// Build computes the index of the Posts in service. langs is the language table;
// with other, questions without any of its tags are in the remainder graph.
func Build(ctx context.Context, db *tables.DB, langs []schema.Language, other bool) (*Index, error) {
	x, err := build(ctx, db, langs, other)
	if err != nil {
		return nil, fmt.Errorf("finding the graphs of posts: %w", err)
	}
	return x, nil
}

func build(ctx context.Context, db *tables.DB, langs []schema.Language, other bool) (*Index, error) {
	var b builder
	err := projection.Read(ctx, db, func(posts int64) (func(*projection.Post), error) { // with tag wikis: the surplus costs address space, not memory
		if posts > math.MaxUint32 {
			return nil, fmt.Errorf("%d posts are more than %d", posts, uint32(math.MaxUint32))
		}
		b = newBuilder(newGraphSets(langs, other), int(posts))
		return b.addPost, nil
	})
	if err != nil {
		return nil, err
	}
	return b.finish(), nil
}

// builder fills an index with questions and answers in order of their ids. An
// answer may precede its question, so finish decides which answers are in a graph.
// Until then, linked of a question is the answer that it names, and graphs of an
// answer holds its score.
type builder struct{ x *Index }

func newBuilder(s *graphSets, posts int) builder {
	return builder{&Index{
		ids:       make([]int64, 0, posts),
		linked:    make([]int64, 0, posts),
		graphs:    make([]GraphSet, 0, posts),
		flags:     make([]flag, 0, posts),
		graphSets: s,
	}}
}

// addPost adds a question or an answer. A question that is in no graph is left out.
func (b builder) addPost(p *projection.Post) {
	x := b.x
	var set GraphSet
	var f flag
	switch {
	case p.Question():
		if set, f = x.SetOf(p.Tags), isQuestion; set == 0 {
			return
		}
	case p.Answer():
		set = GraphSet(uint32(p.Score))
	default:
		return
	}
	x.ids = append(x.ids, p.ID)
	x.linked = append(x.linked, p.Linked)
	x.graphs = append(x.graphs, set)
	x.flags = append(x.flags, f)
}

// finish applies the rules that concern several posts and drops the answers that
// are in no graph.
func (b builder) finish() *Index {
	x := b.x
	x.buckets = newBuckets(x.ids)
	for i, f := range x.flags {
		if f&isQuestion != 0 {
			continue
		}
		q, ok := b.questionOf(i)
		if !ok {
			continue
		}
		x.flags[q] = x.flags[q].withAnswer()
		accepted, ok := b.acceptedOf(q)
		switch {
		case !ok:
		case accepted == i:
			x.flags[i] |= isAccepted
		case int32(x.graphs[i]) > int32(x.graphs[accepted]): // their scores
			x.flags[i] |= isBetter
			x.flags[q] |= isBetter
		}
	}
	for i, f := range x.flags {
		if f&isQuestion != 0 {
			if _, ok := b.acceptedOf(i); !ok {
				x.linked[i] = 0
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
			x.ids[n], x.linked[n], x.graphs[n], x.flags[n] = x.ids[i], x.linked[i], set, x.flags[i]
			n++
		}
	}
	x.ids, x.linked, x.graphs, x.flags = x.ids[:n], x.linked[:n], x.graphs[:n], x.flags[:n]
	x.buckets = newBuckets(x.ids)
	return x
}

// questionOf returns the position of the question of an answer's ParentId, if it
// is a question in a graph.
func (b builder) questionOf(answer int) (int, bool) {
	q, ok := b.x.position(b.x.linked[answer])
	return q, ok && b.x.flags[q]&isQuestion != 0
}

// acceptedOf returns the position of the answer that a question names, if it is an
// answer to that question.
func (b builder) acceptedOf(q int) (int, bool) {
	x := b.x
	if x.linked[q] == 0 {
		return 0, false
	}
	i, ok := x.position(x.linked[q])
	return i, ok && x.flags[i]&isQuestion == 0 && x.linked[i] == x.ids[q]
}
