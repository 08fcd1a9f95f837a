package threads

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/tables"
)

// The server reads a query's pages in one thread, and most of the time of a scan that does not find them in its memory
// goes there. So the posts are read by several queries, of a range of ids each.
const (
	rangePosts = 1 << 15 // of a query, where ids are spread evenly
	batchRows  = 1 << 12 // passed on together
	queries    = 4       // side by side, at most
)

// postRow is what an index needs of a post.
type postRow struct {
	id       int64
	other    int64 // the answer that a question names, or an answer's question
	score    int64
	tags     []byte
	question bool
}

// eachRow calls f for the questions and answers in the order of their ids, which are read by n queries. Those that are
// ahead of f hold some rows, and then wait.
func eachRow(ctx context.Context, db *tables.DB, n int64, f func(postRow)) error {
	var first, last sql.NullInt64
	if err := db.SQL().QueryRowContext(ctx, "SELECT MIN(Id), MAX(Id) FROM Posts").Scan(&first, &last); err != nil {
		return fmt.Errorf("looking for the first and the last post: %w", err)
	}
	if !first.Valid {
		return nil
	}
	side := min(runtime.GOMAXPROCS(0), queries)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(side + 1) // and who starts them
	parts := make(chan chan []postRow, side)
	group.Go(func() error {
		defer close(parts)
		for from, to := range ranges(first.Int64, last.Int64, n) {
			part := make(chan []postRow, rangePosts/batchRows)
			select {
			case parts <- part:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(func() error {
				defer close(part)
				return readRows(ctx, db, from, to, part)
			})
		}
		return nil
	})
	for part := range parts {
		for batch := range part {
			for _, r := range batch {
				f(r)
			}
		}
	}
	return group.Wait()
}

// ranges yields n ranges, or fewer, that cover the numbers from first to last, both included.
func ranges(first, last, n int64) func(yield func(from, to int64) bool) {
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

// readRows passes on the questions and answers of a range of ids.
func readRows(ctx context.Context, db *tables.DB, from, to int64, part chan<- []postRow) error {
	rows, err := db.Query(ctx, fmt.Sprintf(
		"SELECT Id, PostTypeId = %d, ParentId, AcceptedAnswerId, Score, Tags FROM Posts WHERE PostTypeId IN (%[1]d, %d) AND Id BETWEEN %d AND %d ORDER BY Id",
		schema.PostQuestion, schema.PostAnswer, from, to))
	if err != nil {
		return err
	}
	var batch []postRow
	pass := func() error {
		select {
		case part <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for rows.Scan() {
		r := rows.Record()
		post := postRow{id: tables.Int(r[0]), other: tables.Int(r[2]), score: tables.Int(r[4])}
		if tables.Int(r[1]) != 0 {
			post.question, post.other, post.tags = true, tables.Int(r[3]), append([]byte(nil), r[5]...)
		}
		if batch = append(batch, post); len(batch) == batchRows {
			if err := pass(); err != nil {
				return errors.Join(err, rows.Close())
			}
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	return pass()
}
