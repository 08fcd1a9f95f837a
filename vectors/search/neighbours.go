package search

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/vectors/shard"
)

// edgeColumns are the columns of a shard that hold edges, with their names in the graph.
var edgeColumns = []struct{ edge, column string }{{EdgeDuplicate, "duplicate_of"}, {EdgeLinked, "linked_to"}}

// follow returns the neighbours of each question that was found, over the edges from it and
// to it: duplicates first, outgoing edges before incoming ones. They may be of any language
// of the build; follow reads them from a shard of the language slug where that has them. An
// edge that ends at an answer leads to its question where answers are embedded. Otherwise
// follow omits the edge, because the shards do not have the answer's question. The filter
// holds for neighbours, too.
func follow(ctx context.Context, catalog *shard.Catalog, slug string, q *Query, found []Hit, f Filter) ([][]Hit, error) {
	edges, err := incoming(ctx, catalog, found)
	if err != nil {
		return nil, err
	}
	neighbours := make([][]Hit, len(found))
	for i, h := range found {
		list := edges[h.PostID]
		for _, id := range h.DuplicateOf {
			list = append(list, Via{h.PostID, EdgeDuplicate, DirectionOut, id})
		}
		for _, id := range h.LinkedTo {
			list = append(list, Via{h.PostID, EdgeLinked, DirectionOut, id})
		}
		slices.SortFunc(list, Via.compare)
		for _, v := range slices.Compact(list) {
			n, err := findNeighbour(catalog, slug, q, v, f)
			if err != nil {
				return nil, fmt.Errorf("the neighbour %d of %d: %w", v.Post, h.PostID, err)
			}
			listed := func(other Hit) bool { return other.PostID == n.PostID }
			if n != nil && n.PostID != h.PostID && !slices.ContainsFunc(neighbours[i], listed) {
				neighbours[i] = append(neighbours[i], *n)
			}
		}
	}
	return neighbours, nil
}

func (v Via) compare(w Via) int {
	return cmp.Or(cmp.Compare(v.Edge, w.Edge), cmp.Compare(w.Direction, v.Direction), cmp.Compare(v.Post, w.Post))
}

// findNeighbour reads the question at the other end of an edge. It returns nil where no
// shard has it, and where the filter removes it.
func findNeighbour(catalog *shard.Catalog, slug string, q *Query, v Via, f Filter) (*Hit, error) {
	match, err := catalog.FindPost(v.Post, slug)
	if err != nil || match == nil {
		return nil, err
	}
	question := match
	if match.QuestionID != match.PostID {
		if question, err = catalog.FindPost(match.QuestionID, slug); err != nil || question == nil {
			return nil, err
		}
	}
	if !f.Keeps(question) {
		return nil, nil
	}
	if f.HasCode {
		parent, err := catalog.FindParent(match.PostID)
		if err != nil || parent == nil || !HasCodeBlock(parent.Text) {
			return nil, err
		}
	}
	h := q.hit(Found{Question: question, Match: match})
	h.Via = &v
	return &h, nil
}

// incoming returns the edges to questions from the shards of all languages, by question.
func incoming(ctx context.Context, catalog *shard.Catalog, found []Hit) (map[int64][]Via, error) {
	targets := map[int64]bool{}
	for _, h := range found {
		targets[h.PostID] = true
	}
	var mu sync.Mutex
	edges := map[int64][]Via{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, slug := range catalog.Slugs() {
		files, err := catalog.Shards(slug)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			group.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				some, err := edgesTo(file, targets)
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				for _, v := range some {
					edges[v.From] = append(edges[v.From], v)
				}
				return nil
			})
		}
	}
	return edges, group.Wait()
}

// edgesTo returns the edges of a shard that end at one of the targets. It reads the columns
// of edges, and the post ids of row groups with such an edge.
func edgesTo(name string, targets map[int64]bool) ([]Via, error) {
	file, err := shard.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var edges []Via
	for _, g := range file.RowGroups() {
		rows := map[int][]int{} // positions in edges, by the row where the edge begins
		for _, c := range edgeColumns {
			err := shard.ScanLists(g, c.column, func(row int, id int64) {
				if targets[id] {
					rows[row] = append(rows[row], len(edges))
					edges = append(edges, Via{From: id, Edge: c.edge, Direction: DirectionIn})
				}
			})
			if err != nil {
				return nil, err
			}
		}
		if len(rows) == 0 {
			continue
		}
		row := 0
		err := shard.ScanColumn(g, "post_id", func(p shard.Page[int64]) error {
			for _, id := range p.Values {
				for _, at := range rows[row] {
					edges[at].Post = id
				}
				row++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return edges, nil
}
