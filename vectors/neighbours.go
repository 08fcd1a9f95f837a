package vectors

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"
)

// edgeColumns are the columns of a shard that hold edges, by their names in the graph.
var edgeColumns = []struct{ edge, column string }{{EdgeDuplicate, "duplicate_of"}, {EdgeLinked, "linked_to"}}

// neighbours returns, for each question that was found, those that an edge leads to
// or from: duplicates first, the edges that stand at the question before those that
// lead to it. They may be of any language of the build. An end that is an answer
// stands for its question, where answers are embedded, and is left out otherwise:
// nothing in the shards says whose answer it is.
func (s *search) neighbours(ctx context.Context, found []Hit) ([][]Hit, error) {
	vias, err := s.incoming(ctx, found)
	if err != nil {
		return nil, err
	}
	all := make([][]Hit, len(found))
	for i, h := range found {
		for _, id := range h.DuplicateOf {
			vias[h.PostID] = append(vias[h.PostID], Via{h.PostID, EdgeDuplicate, DirectionOut, id})
		}
		for _, id := range h.LinkedTo {
			vias[h.PostID] = append(vias[h.PostID], Via{h.PostID, EdgeLinked, DirectionOut, id})
		}
		slices.SortFunc(vias[h.PostID], Via.compare)
		for _, v := range slices.Compact(vias[h.PostID]) {
			n, err := s.neighbour(v)
			if err != nil {
				return nil, fmt.Errorf("the neighbour %d of %d: %w", v.Post, h.PostID, err)
			}
			known := func(of Hit) bool { return of.PostID == n.PostID }
			if n != nil && n.PostID != h.PostID && !slices.ContainsFunc(all[i], known) {
				all[i] = append(all[i], *n)
			}
		}
	}
	return all, nil
}

func (v Via) compare(w Via) int {
	return cmp.Or(cmp.Compare(v.Edge, w.Edge), cmp.Compare(w.Direction, v.Direction), cmp.Compare(v.Post, w.Post))
}

// neighbour reads the question at the other end of an edge; nil where it is in no shard.
func (s *search) neighbour(v Via) (*Hit, error) {
	match, err := s.shelf.find(v.Post, s.Slug)
	if err != nil || match == nil {
		return nil, err
	}
	question := match
	if match.QuestionID != match.PostID {
		if question, err = s.shelf.find(match.QuestionID, s.Slug); err != nil || question == nil {
			return nil, err
		}
	}
	h := s.q.hit(question, match, 0)
	h.Via = &v
	return &h, nil
}

// incoming finds the edges that lead to questions: in the lists of all shards, of which
// it reads no other column unless there is one.
func (s *search) incoming(ctx context.Context, found []Hit) (map[int64][]Via, error) {
	wanted := map[int64]bool{}
	for _, h := range found {
		wanted[h.PostID] = true
	}
	var mu sync.Mutex
	vias := map[int64][]Via{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, slug := range slices.Sorted(maps.Keys(s.shelf.shards)) {
		for _, name := range s.shelf.shards[slug] {
			group.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				some, err := edgesTo(filepath.Join(s.shelf.out, filepath.FromSlash(name)), wanted)
				if err != nil {
					return fmt.Errorf("reading %s: %w", name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, v := range some {
					vias[v.From] = append(vias[v.From], v)
				}
				return nil
			})
		}
	}
	return vias, group.Wait()
}

// edgesTo returns the edges in a shard that lead to one of the questions wanted.
func edgesTo(file string, wanted map[int64]bool) ([]Via, error) {
	f, shard, err := openShard(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var vias []Via
	for _, group := range shard.RowGroups() {
		rows := map[int][]int{} // of vias that have no post yet
		for _, c := range edgeColumns {
			chunk, err := column(shard.Schema(), group, parquet.Int64, c.column, "list", "element")
			if err != nil {
				return nil, err
			}
			err = eachElement(chunk, func(row int, id int64) {
				if wanted[id] {
					rows[row] = append(rows[row], len(vias))
					vias = append(vias, Via{From: id, Edge: c.edge, Direction: DirectionIn})
				}
			})
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.column, err)
			}
		}
		if len(rows) == 0 {
			continue
		}
		posts, err := column(shard.Schema(), group, parquet.Int64, "post_id")
		if err != nil {
			return nil, err
		}
		row := 0
		err = eachPage(posts, func(p parquet.Page) error {
			data := p.Data()
			for _, id := range data.Int64() {
				for _, v := range rows[row] {
					vias[v].Post = id
				}
				row++
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("column post_id: %w", err)
		}
	}
	return vias, nil
}

// eachElement calls f for each element of a column of lists, with its row.
func eachElement(chunk parquet.ColumnChunk, f func(row int, value int64)) error {
	row := -1
	return eachPage(chunk, func(p parquet.Page) error {
		data := p.Data()
		values, repeats, defined := data.Int64(), p.RepetitionLevels(), p.DefinitionLevels()
		next := 0
		for i, r := range repeats {
			if r == 0 {
				row++
			}
			if defined[i] == 0 { // of an empty list
				continue
			}
			if next == len(values) {
				return fmt.Errorf("row %d: fewer values than their levels say", row)
			}
			f(row, values[next])
			next++
		}
		return nil
	})
}
