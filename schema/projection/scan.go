package projection

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"runtime"

	"golang.org/x/sync/errgroup"

	"s2g/schema/tables"
)

// Several queries scan the posts, each a range of ids, because the server reads the
// pages of a query in one thread, and that is most of the time of a scan whose pages are
// not in its memory.
const (
	rangePosts = 1 << 15 // posts of a query, where ids are spread evenly
	batchRows  = 1 << 12 // rows that a query passes on together
	queries    = 4       // limit of concurrent queries
)

// scan reads the posts from the table. keep receives each after the function of begin.
func scan(ctx context.Context, db *tables.DB, begin func(int64) (func(*Post), error), keep func(*Post)) error {
	rows, _, err := extent(ctx, db)
	if err != nil {
		return err
	}
	use, err := begin(rows)
	if err != nil {
		return err
	}
	return scanRanges(ctx, db, rows/rangePosts+1, func(p *Post) {
		use(p)
		keep(p)
	})
}

// scanRanges calls use for the posts in order of their ids. About n queries read them. A
// query that is ahead of use waits when its buffer is full.
func scanRanges(ctx context.Context, db *tables.DB, n int64, use func(*Post)) error {
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
	parts := make(chan chan []Post, concurrent)
	group.Go(func() error {
		defer close(parts)
		for from, to := range idRanges(first.Int64, last.Int64, n) {
			part := make(chan []Post, rangePosts/batchRows)
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
			for i := range batch {
				use(&batch[i])
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

// scanRange sends the posts of a range of ids, in batches.
func scanRange(ctx context.Context, db *tables.DB, from, to int64, part chan<- []Post) error {
	query := fmt.Sprintf("SELECT %s FROM Posts WHERE Id BETWEEN %d AND %d ORDER BY Id", Columns, from, to)
	var batch []Post
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
		if batch = append(batch, OfRow(r)); len(batch) == batchRows {
			return send()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return send()
}
