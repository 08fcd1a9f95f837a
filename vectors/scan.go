package vectors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"
)

// scan is what a search keeps of the points of a language: their ids, ascending,
// how near they are to the query, and where its terms stand.
type scan struct {
	points    []uint64
	questions []int64   // of points; nothing where all posts are questions
	cosines   []float32 // of points; nothing where the query has no dense vector
	matches   []match
	rows      []int // of each shard
}

// match is a term of the query in a point.
type match struct {
	point  int32 // position in scan.points
	term   int32 // position in the query's sparse vector
	weight float32
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
		all.questions = append(all.questions, p.questions...)
		all.cosines = append(all.cosines, p.cosines...)
		for _, m := range p.matches {
			m.point += before
			all.matches = append(all.matches, m)
		}
		all.rows = append(all.rows, len(p.points))
	}
	return all, nil
}

// place returns the shard of a point, by number, and the row in it.
func (s *scan) place(at int) (shard int, row int64) {
	for at >= s.rows[shard] {
		at -= s.rows[shard]
		shard++
	}
	return shard, int64(at)
}

func scanShard(ctx context.Context, name string, q *query) (*scan, error) {
	file, shard, err := openShard(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &scan{}
	for _, group := range shard.RowGroups() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.add(shard.Schema(), group, q); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func openShard(name string) (*os.File, *parquet.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	shard, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, shard, nil
}

// add scans the rows of a row group, a column after the other.
func (s *scan) add(schema *parquet.Schema, group parquet.RowGroup, q *query) error {
	before := len(s.points)
	ids, err := column(schema, group, parquet.Int64, "point_id")
	if err != nil {
		return err
	}
	err = eachPage(ids, func(p parquet.Page) error {
		data := p.Data()
		s.points = append(s.points, data.Uint64()...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("column point_id: %w", err)
	}
	if err := s.addQuestions(schema, group, q); err != nil {
		return fmt.Errorf("column question_id: %w", err)
	}
	if err := s.addCosines(schema, group, q, before); err != nil {
		return fmt.Errorf("column dense: %w", err)
	}
	if err := s.addMatches(schema, group, q, before); err != nil {
		return fmt.Errorf("sparse columns: %w", err)
	}
	return nil
}

// addQuestions reads which questions the points are of, where answers are among them.
func (s *scan) addQuestions(schema *parquet.Schema, group parquet.RowGroup, q *query) error {
	if !q.answers {
		return nil
	}
	chunk, err := column(schema, group, parquet.Int64, "question_id")
	if err != nil {
		return err
	}
	err = eachPage(chunk, func(p parquet.Page) error {
		data := p.Data()
		s.questions = append(s.questions, data.Int64()...)
		return nil
	})
	if err == nil && len(s.questions) != len(s.points) {
		err = fmt.Errorf("%d for %d points", len(s.questions), len(s.points))
	}
	return err
}

// addCosines compares the dense vectors of the points from first on.
func (s *scan) addCosines(schema *parquet.Schema, group parquet.RowGroup, q *query, first int) error {
	if q.dense == nil {
		return nil
	}
	chunk, err := column(schema, group, parquet.Float, "dense", "list", "element")
	if err != nil {
		return err
	}
	s.cosines = append(s.cosines, make([]float32, len(s.points)-first)...)
	cosines := s.cosines[first:]
	row, at := -1, len(q.dense)
	err = eachPage(chunk, func(p parquet.Page) error {
		data := p.Data()
		values, levels := data.Float(), p.RepetitionLevels()
		if len(values) != len(levels) {
			return errors.New("a vector is empty")
		}
		for i, x := range values {
			if levels[i] == 0 {
				if row++; at != len(q.dense) || row == len(cosines) {
					return fmt.Errorf("row %d: a vector of %d dimensions, %d wanted", row, at, len(q.dense))
				}
				at = 0
			}
			if at == len(q.dense) {
				return fmt.Errorf("row %d: a vector of over %d dimensions", row, at)
			}
			cosines[row] += x * q.dense[at]
			at++
		}
		return nil
	})
	if err == nil && (row+1 != len(cosines) || at != len(q.dense)) {
		return fmt.Errorf("%d vectors for %d points", row+1, len(cosines))
	}
	return err
}

// addMatches finds the terms of the query in the sparse vectors of the points
// from first on.
func (s *scan) addMatches(schema *parquet.Schema, group parquet.RowGroup, q *query, first int) error {
	indices, err := column(schema, group, parquet.Int32, "sparse_indices", "list", "element")
	if err != nil {
		return err
	}
	terms := map[uint32]int32{}
	for t, index := range q.sparse.Indices {
		terms[index] = int32(t)
	}
	var places []int // of the matches' weights among the values of the row group
	row, value := first-1, 0
	found := len(s.matches)
	err = eachPage(indices, func(p parquet.Page) error {
		data := p.Data()
		page, repeats, defined := data.Uint32(), p.RepetitionLevels(), p.DefinitionLevels()
		next := 0
		for i, r := range repeats {
			if r == 0 {
				if row++; row == len(s.points) {
					return errors.New("more vectors than points")
				}
			}
			if defined[i] == 0 { // of an empty vector
				continue
			}
			if next == len(page) {
				return errors.New("fewer indices than their levels say")
			}
			if t, ok := terms[page[next]]; ok {
				s.matches = append(s.matches, match{point: int32(row), term: t})
				places = append(places, value)
			}
			next++
			value++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.addWeights(schema, group, s.matches[found:], places)
}

// addWeights fills in the weights of matches from their places, which ascend.
func (s *scan) addWeights(schema *parquet.Schema, group parquet.RowGroup, matches []match, places []int) error {
	values, err := column(schema, group, parquet.Float, "sparse_values", "list", "element")
	if err != nil {
		return err
	}
	before, next := 0, 0
	err = eachPage(values, func(p parquet.Page) error {
		data := p.Data()
		page := data.Float()
		for ; next < len(places) && places[next] < before+len(page); next++ {
			matches[next].weight = page[places[next]-before]
		}
		before += len(page)
		return nil
	})
	if err == nil && next < len(places) {
		return errors.New("fewer values than indices")
	}
	return err
}

// column finds a column of a row group and makes sure of its type.
func column(schema *parquet.Schema, group parquet.RowGroup, kind parquet.Kind, path ...string) (parquet.ColumnChunk, error) {
	leaf, ok := schema.Lookup(path...)
	if !ok || leaf.Node.Type().Kind() != kind {
		return nil, fmt.Errorf("no column %s of type %s", strings.Join(path, "."), kind)
	}
	return group.ColumnChunks()[leaf.ColumnIndex], nil
}

// eachPage calls f for each page of a column. What it gets is valid until it returns.
func eachPage(chunk parquet.ColumnChunk, f func(parquet.Page) error) error {
	pages := chunk.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.Dictionary() == nil {
			err = f(p)
		} else {
			err = errors.New("a dictionary, which s2g does not write for this column")
		}
		parquet.Release(p)
		if err != nil {
			return err
		}
	}
}
