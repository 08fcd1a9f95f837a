package graph

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"s2g/graph/trig"
)

// The sizes of units. They shape no bytes, but checkpoints name units, so a
// change needs a new Version.
const (
	postBlock = 4096 // ids, of posts that are there or not
	tagBlock  = 1024
	wikiBlock = 512
)

// unit is a piece of work whose place in the output is known before it is done.
type unit struct {
	at     int64 // where it begins: a post's id, or a position in the list of tags or of wikis
	lo, hi int64 // what it holds, both ends included
	out    chan *trig.Fragment
	counts counts  // complete when out is closed, as is kinds
	kinds  []int64 // distinct triples of each kind
}

// cutPosts cuts the posts into blocks of ids, from the block that begins at
// from on. A block without posts is no unit; comments, votes and links of posts
// that are not there belong to the unit before, so that each row is in one unit.
func (b *build) cutPosts(ctx context.Context, from int64, emit func(*unit) error) error {
	first, ok, err := b.blockFrom(ctx, math.MinInt64)
	if err != nil || !ok {
		return err
	}
	block, ok := first, true
	if from > first {
		if block, ok, err = b.blockFrom(ctx, from); err != nil {
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
			if block, ok, err = b.blockFrom(ctx, block+postBlock); err != nil {
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

// blockFrom returns the first block with a post whose id is at least min.
func (b *build) blockFrom(ctx context.Context, min int64) (block int64, ok bool, err error) {
	var id sql.NullInt64
	err = b.db.SQL().QueryRowContext(ctx, "SELECT MIN(Id) FROM Posts WHERE Id >= ?", min).Scan(&id)
	if err != nil {
		return 0, false, fmt.Errorf("looking for the next posts: %w", err)
	}
	return id.Int64 &^ (postBlock - 1), id.Valid, nil
}

// cutList returns a function that cuts a list of n into units of size.
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
