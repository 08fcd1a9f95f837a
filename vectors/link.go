package vectors

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// link is an edge of the graph that starts at a post.
type link struct {
	from, to int64
	kind     int64 // schema.LinkLinked or schema.LinkDuplicate
}

// readLinks returns the edges that start in a unit, each once, ordered by post,
// kind and target. Both ends of an edge are in some graph; a duplicate's both
// ends are questions.
func readLinks(ctx context.Context, db *tables.DB, index *threads.Index, u unit) ([]link, error) {
	query := fmt.Sprintf("SELECT PostId, RelatedPostId, LinkTypeId FROM PostLinks WHERE PostId BETWEEN %d AND %d AND LinkTypeId IN (%d, %d)",
		u.first, u.last, schema.LinkLinked, schema.LinkDuplicate)
	var links []link
	err := db.EachRow(ctx, query, func(r [][]byte) error {
		l := link{tables.Int(r[0]), tables.Int(r[1]), tables.Int(r[2])}
		from, ok1 := index.Find(l.from)
		to, ok2 := index.Find(l.to)
		if ok1 && ok2 && (l.kind == schema.LinkLinked || from.Question && to.Question) {
			links = append(links, l)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading links: %w", err)
	}
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind), cmp.Compare(a.to, b.to))
	})
	return slices.Compact(links), nil
}

// targets returns where a post's edges of a kind lead to.
func targets(links []link, post, kind int64) []int64 {
	at, _ := slices.BinarySearchFunc(links, link{from: post, kind: kind}, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind))
	})
	var ids []int64
	for ; at < len(links) && links[at].from == post && links[at].kind == kind; at++ {
		ids = append(ids, links[at].to)
	}
	return ids
}
