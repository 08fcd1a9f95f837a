package graph

import (
	"context"
	"math"

	"s2g/graph/trig"
	"s2g/schema/postscan"
	"s2g/schema/tables"
)

// The sizes of units, beside that of postscan.Blocks. They do not change the files, but checkpoints name units, so
// another size needs a new Version.
const (
	tagBlock  = 1024
	wikiBlock = 512
)

// unit is a piece of a phase that one worker renders. Units follow each other in the
// output in the order of at.
type unit struct {
	at     int64          // identifies the unit in checkpoints: the beginning of its block of ids, or a position in the list
	lo, hi int64          // the first and last id or position that it includes
	posts  postscan.Range // of phasePosts
	out    chan *trig.Fragment
	counts counts  // complete when out is closed
	kinds  []int64 // distinct triples by kind; complete when out is closed
}

// cutPosts returns a step's cut of the posts into blocks of ids. A block without posts
// is part of the unit before it, because comments, votes and links can have ids of
// missing posts: each row belongs to exactly one unit.
func cutPosts(db *tables.DB, source postscan.Source) func(context.Context, int64, func(*unit) error) error {
	return func(ctx context.Context, from int64, emit func(*unit) error) error {
		first, err := firstBlock(ctx, db)
		if err != nil {
			return err
		}
		var u *unit // without its end
		send := func(hi int64) error {
			u.hi = hi
			u.posts = source.Range(u.lo, u.hi)
			return emit(u)
		}
		for block, err := range postscan.Blocks(ctx, db, max(from, first)) {
			if err != nil {
				return err
			}
			if u != nil {
				if err := send(block - 1); err != nil {
					return err
				}
			}
			begins := u == nil
			if u = (&unit{at: block, lo: block}); block == first {
				u.lo = math.MinInt64
			}
			if begins {
				source.Begin(u.lo)
			}
		}
		if u == nil {
			return nil
		}
		return send(math.MaxInt64)
	}
}

// firstBlock returns the block of the first post, 0 without posts.
func firstBlock(ctx context.Context, db *tables.DB) (int64, error) {
	for block, err := range postscan.Blocks(ctx, db, math.MinInt64) {
		return block, err
	}
	return 0, nil
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
