package vectors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"
)

// scan is what a search keeps of the points of a language: their ids, ascending,
// how near they are to the query, and where its terms stand.
type scan struct {
	points  []uint64
	cosines []float32 // of points; nothing where the query has no dense vector
	matches []match
	rows    []int // of each shard
}

// match is a term of the query in a point.
type match struct {
	point  int32 // position in scan.points
	term   int32 // position in the query's sparse vector
	weight float32
}

// scanned are the columns of a shard that a scan reads.
type scanned struct {
	PointID       uint64    `parquet:"point_id"`
	Dense         []float32 `parquet:"dense,list"`
	SparseIndices []uint32  `parquet:"sparse_indices,list"`
	SparseValues  []float32 `parquet:"sparse_values,list"`
}

// scanShards reads shards side by side, and puts them together in their order.
func scanShards(ctx context.Context, out string, names []string, q *query) (*scan, error) {
	parts := make([]*scan, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		group.Go(func() (err error) {
			if parts[i], err = scanShard(ctx, filepath.Join(out, filepath.FromSlash(name)), q); err != nil {
				return fmt.Errorf("reading %s: %w", name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := &scan{}
	for _, p := range parts {
		before := int32(len(all.points))
		all.points = append(all.points, p.points...)
		all.cosines = append(all.cosines, p.cosines...)
		for _, m := range p.matches {
			m.point += before
			all.matches = append(all.matches, m)
		}
		all.rows = append(all.rows, len(p.points))
	}
	return all, nil
}

func scanShard(ctx context.Context, file string, q *query) (*scan, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	shard, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	r := parquet.NewGenericReader[scanned](shard)
	defer r.Close()
	s := &scan{}
	rows := make([]scanned, 64)
	for {
		n, err := r.Read(rows)
		for i := range rows[:n] {
			if err := s.add(&rows[i], q); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
}

func (s *scan) add(row *scanned, q *query) error {
	if len(row.SparseIndices) != len(row.SparseValues) || q.dense != nil && len(row.Dense) != len(q.dense) {
		return fmt.Errorf("point %d: its vectors have %d indices, %d values and %d dimensions", row.PointID, len(row.SparseIndices), len(row.SparseValues), len(row.Dense))
	}
	at := int32(len(s.points))
	s.points = append(s.points, row.PointID)
	if q.dense != nil {
		s.cosines = append(s.cosines, dot(row.Dense, q.dense))
	}
	// both are ascending
	term := 0
	for i, index := range row.SparseIndices {
		for term < len(q.sparse.Indices) && q.sparse.Indices[term] < index {
			term++
		}
		if term == len(q.sparse.Indices) {
			break
		}
		if q.sparse.Indices[term] == index {
			s.matches = append(s.matches, match{at, int32(term), row.SparseValues[i]})
		}
	}
	return nil
}

func dot(a, b []float32) float32 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
