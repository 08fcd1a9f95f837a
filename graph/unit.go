package graph

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"s2g/graph/trig"
	"s2g/schema/tables"
)

// The sizes of units. They do not change the files, but checkpoints name units, so
// another size needs a new Version.
const (
	postBlock = 4096 // ids, whether a post has them or not
	tagBlock  = 1024
	wikiBlock = 512
)

// unit is a piece of a phase that one worker renders. Units follow each other in the
// output in the order of at.
type unit struct {
	at     int64 // identifies the unit in checkpoints: the beginning of its block of ids, or a position in the list
	lo, hi int64 // the first and last id or position that it includes
	out    chan *trig.Fragment
	counts counts  // complete when out is closed
	kinds  []int64 // distinct triples by kind; complete when out is closed
}

// cutPosts returns a step's cut of the posts into blocks of ids. A block without posts
// is part of the unit before it, because comments, votes and links can have ids of
// missing posts: each row belongs to exactly one unit.
func cutPosts(db *tables.DB) func(context.Context, int64, func(*unit) error) error {
	return func(ctx context.Context, from int64, emit func(*unit) error) error {
		first, ok, err := nextBlock(ctx, db, math.MinInt64)
		if err != nil || !ok {
			return err
		}
		block, ok := first, true
		if from > first {
			if block, ok, err = nextBlock(ctx, db, from); err != nil {
				return err
			}
		}
		for ok {
			u := &unit{at: block, lo: block, hi: math.MaxInt64}
			if block == first {
				u.lo = math.MinInt64
			}
			ok = block <= math.MaxInt64-postBlock
			if ok {
				if block, ok, err = nextBlock(ctx, db, block+postBlock); err != nil {
					return err
				}
			}
			if ok {
				u.hi = block - 1
			}
			if err := emit(u); err != nil {
				return err
			}
		}
		return nil
	}
}

// nextBlock returns the beginning of the block of the first post with an id of at
// least min; ok is false if there is none.
func nextBlock(ctx context.Context, db *tables.DB, min int64) (block int64, ok bool, err error) {
	var id sql.NullInt64
	err = db.ReadRow(ctx, []any{&id}, "SELECT MIN(Id) FROM Posts WHERE Id >= ?", min)
	if err != nil {
		return 0, false, fmt.Errorf("finding the next posts: %w", err)
	}
	return id.Int64 &^ (postBlock - 1), id.Valid, nil
}

// cutList returns a step's cut of a list of n entries into units of size entries.
func cutList(n, size int) func(context.Context, int64, func(*unit) error) error {
	return func(_ context.Context, from int64, emit func(*unit) error) error {
		for at := from; at < int64(n); at += int64(size) {
			if err := emit(&unit{at: at, lo: at, hi: min(at+int64(size), int64(n)) - 1}); err != nil {
				return err
			}
		}
		return nil
	}
}
