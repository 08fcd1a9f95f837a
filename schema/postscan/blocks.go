package postscan

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math"

	"s2g/schema/tables"
)

// BlockIDs is the number of ids of a block, whether a post has them or not. The graph's
// checkpoints name blocks, so another number needs a new graph.Version.
const BlockIDs = 4096

// Blocks yields the first id of each block that has a post, ascending, from the block of
// the first post with an id of at least from. After an error it yields nothing more.
func Blocks(ctx context.Context, db *tables.DB, from int64) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for {
			var id sql.NullInt64
			if err := db.ReadRow(ctx, []any{&id}, "SELECT MIN(Id) FROM Posts WHERE Id >= ?", from); err != nil {
				yield(0, fmt.Errorf("finding the next posts: %w", err))
				return
			}
			block := id.Int64 &^ (BlockIDs - 1)
			if !id.Valid || !yield(block, nil) || block > math.MaxInt64-BlockIDs {
				return
			}
			from = block + BlockIDs
		}
	}
}
