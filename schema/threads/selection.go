package threads

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"s2g/schema"
	"s2g/schema/projection"
	"s2g/schema/tables"
)

// BuildOf computes the index of the threads of some posts: of the questions among them and
// the questions that the answers among them have, with all answers. It reads no others.
func BuildOf(ctx context.Context, db *tables.DB, langs []schema.Language, other bool, ids []int64) (*Index, error) {
	x, err := buildOf(ctx, db, newGraphSets(langs, other), ids)
	if err != nil {
		return nil, fmt.Errorf("finding the graphs of %d posts: %w", len(ids), err)
	}
	return x, nil
}

func buildOf(ctx context.Context, db *tables.DB, sets *graphSets, ids []int64) (*Index, error) {
	if len(ids) == 0 {
		return newBuilder(sets, 0).finish(), nil
	}
	questions := map[int64]bool{}
	query := fmt.Sprintf("SELECT IF(PostTypeId = %d, ParentId, Id) FROM Posts WHERE Id IN (%s)", schema.PostAnswer, tables.IDList(ids))
	err := db.EachRow(ctx, query, func(row [][]byte) error {
		questions[tables.Int(row[0])] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(questions) == 0 {
		return newBuilder(sets, 0).finish(), nil
	}
	list := tables.IDList(slices.Sorted(maps.Keys(questions)))
	var posts []projection.Post
	for _, rows := range []string{
		fmt.Sprintf("PostTypeId = %d AND Id IN (%s)", schema.PostQuestion, list), fmt.Sprintf("PostTypeId = %d AND ParentId IN (%s)", schema.PostAnswer, list),
	} { // a query each, because MariaDB may use no index for both
		err := db.EachRow(ctx, "SELECT "+projection.Columns+" FROM Posts WHERE "+rows, func(row [][]byte) error {
			posts = append(posts, projection.OfRow(row))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(posts, func(a, b projection.Post) int { return cmp.Compare(a.ID, b.ID) })
	b := newBuilder(sets, len(posts))
	for i := range posts {
		b.addPost(&posts[i])
	}
	return b.finish(), nil
}
