package threads

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
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
	var posts int64 // with tag wikis: the surplus costs address space, not memory
	if err := db.ReadRow(ctx, []any{&posts}, "SELECT COUNT(*) FROM Posts"); err != nil {
		return nil, fmt.Errorf("counting posts: %w", err)
	}
	if posts > math.MaxUint32 {
		return nil, fmt.Errorf("%d posts are more than %d", posts, uint32(math.MaxUint32))
	}
	b := newBuilder(newGraphSets(langs, other), int(posts))
	if err := scanPosts(ctx, db, posts/rangePosts+1, b.addPost); err != nil {
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

// addPost adds a post; a question that is in no graph is left out.
func (b builder) addPost(r postRow) {
	x := b.x
	set, f := GraphSet(uint32(int32(r.score))), flag(0)
	if r.question {
		if set, f = x.SetOf(r.tags), isQuestion; set == 0 {
			return
		}
	}
	x.ids = append(x.ids, r.id)
	x.linked = append(x.linked, r.linked)
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
		x.flags[q] |= isAnswered
		accepted, ok := b.acceptedOf(q)
		switch {
		case !ok:
		case accepted == i:
			x.flags[i] |= isAccepted
		case int32(x.graphs[i]) > int32(x.graphs[accepted]): // their scores
			x.flags[i] |= isBetter
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

// Several queries read the posts, each a range of ids, because the server reads
// the pages of a query in one thread, and that is most of the time of a scan whose
// pages are not in its memory.
const (
	rangePosts = 1 << 15 // posts of a query, where ids are spread evenly
	batchRows  = 1 << 12 // rows that a query passes on together
	queries    = 4       // limit of concurrent queries
)

// postRow holds the columns of a post that an index needs.
type postRow struct {
	id       int64
	linked   int64 // the answer that a question names, or an answer's question
	score    int64 // of an answer
	tags     []byte
	question bool
}

// scanPosts calls use for the questions and answers in order of their ids. About n
// queries read them. A query that is ahead of use waits when its buffer is full.
func scanPosts(ctx context.Context, db *tables.DB, n int64, use func(postRow)) error {
	var first, last sql.NullInt64
	if err := db.ReadRow(ctx, []any{&first, &last}, "SELECT MIN(Id), MAX(Id) FROM Posts"); err != nil {
		return fmt.Errorf("finding the first and the last post: %w", err)
	}
	if !first.Valid {
		return nil
	}
	concurrent := min(runtime.GOMAXPROCS(0), queries)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrent + 1) // and the goroutine that starts them
	parts := make(chan chan []postRow, concurrent)
	group.Go(func() error {
		defer close(parts)
		for from, to := range idRanges(first.Int64, last.Int64, n) {
			part := make(chan []postRow, rangePosts/batchRows)
			select {
			case parts <- part:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(func() error {
				defer close(part)
				return scanRange(ctx, db, from, to, part)
			})
		}
		return nil
	})
	for part := range parts {
		for batch := range part {
			for _, r := range batch {
				use(r)
			}
		}
	}
	return group.Wait()
}

// idRanges yields at most n ranges, both ends included, that cover the numbers from
// first to last.
func idRanges(first, last, n int64) iter.Seq2[int64, int64] {
	return func(yield func(from, to int64) bool) {
		span := uint64(last) - uint64(first)
		width := span/uint64(n) + 1
		for from := uint64(0); from <= span; from += width {
			to := min(span-from, width-1) + from
			if !yield(first+int64(from), first+int64(to)) || to == span {
				return
			}
		}
	}
}

// scanRange sends the questions and answers of a range of ids, in batches.
func scanRange(ctx context.Context, db *tables.DB, from, to int64, part chan<- []postRow) error {
	query := fmt.Sprintf(
		"SELECT Id, PostTypeId = %d, ParentId, AcceptedAnswerId, Score, Tags FROM Posts WHERE PostTypeId IN (%[1]d, %d) AND Id BETWEEN %d AND %d ORDER BY Id",
		schema.PostQuestion, schema.PostAnswer, from, to)
	var batch []postRow
	send := func() error {
		select {
		case part <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := db.EachRow(ctx, query, func(r [][]byte) error {
		post := postRow{id: tables.Int(r[0]), linked: tables.Int(r[2]), score: tables.Int(r[4])}
		if tables.Int(r[1]) != 0 {
			post.question, post.linked, post.tags = true, tables.Int(r[3]), append([]byte(nil), r[5]...)
		}
		if batch = append(batch, post); len(batch) == batchRows {
			return send()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return send()
}
