package shard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"s2g/schema"
)

// File is an open file of shards or parents. Its columns are read page by page, with
// [ScanColumn]; its rows with a [Reader].
type File struct {
	*os.File
	parquet *parquet.File
}

// OpenFile opens a file of shards or parents.
func OpenFile(name string) (_ *File, err error) {
	f := &File{}
	if f.File, err = schema.OpenRegular(name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	defer recoverDamage(name, &err)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if f.parquet, err = parquet.OpenFile(f.File, info.Size()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return f, nil
}

// recoverDamage turns a panic into an error: parquet-go panics on some damaged files.
func recoverDamage(file string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("reading %s: it is damaged: %v", file, p)
	}
}

// Rows returns the number of rows.
func (f *File) Rows() int64 { return f.parquet.NumRows() }

// RowGroup is a range of rows whose columns are stored side by side.
type RowGroup struct {
	file  *File
	group parquet.RowGroup
}

// RowGroups returns the row groups in the order of their rows.
func (f *File) RowGroups() []RowGroup {
	var groups []RowGroup
	for _, g := range f.parquet.RowGroups() {
		groups = append(groups, RowGroup{f, g})
	}
	return groups
}

// Page is a page of a column. Its slices are valid until the next page is read.
type Page[T any] struct {
	Values []T
	// A column of lists has both levels for each value and for each empty list.
	Repeated []byte // 0: a row begins
	Defined  []byte // 0: the list is empty
}

// ScanColumn calls use for each page of a column, in the order of the rows. T is the type
// of the column's values, or of its lists' elements.
func ScanColumn[T int64 | uint64 | uint32 | float32](g RowGroup, column string, use func(Page[T]) error) (err error) {
	defer recoverDamage(g.file.Name(), &err)
	chunk, err := columnChunk[T](g, column)
	if err != nil {
		return fmt.Errorf("reading %s: %w", g.file.Name(), err)
	}
	pages := chunk.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && p.Dictionary() != nil {
			err = errors.New("a dictionary, which s2g does not write for this column")
		}
		if err == nil {
			page := Page[T]{Repeated: p.RepetitionLevels(), Defined: p.DefinitionLevels()}
			data := p.Data()
			switch values := any(&page.Values).(type) {
			case *[]int64:
				*values = data.Int64()
			case *[]uint64:
				*values = data.Uint64()
			case *[]uint32:
				*values = data.Uint32()
			case *[]float32:
				*values = data.Float()
			}
			err = use(page)
		}
		parquet.Release(p)
		if err != nil {
			return fmt.Errorf("reading %s: column %s: %w", g.file.Name(), column, err)
		}
	}
}

// columnChunk returns the pages of a column whose values are of type T.
func columnChunk[T any](g RowGroup, column string) (parquet.ColumnChunk, error) {
	var zero T
	kind := parquet.Int64
	switch any(zero).(type) {
	case uint32:
		kind = parquet.Int32
	case float32:
		kind = parquet.Float
	}
	schema := g.file.parquet.Schema()
	leaf, ok := schema.Lookup(column)
	if !ok {
		leaf, ok = schema.Lookup(column, "list", "element")
	}
	if !ok || leaf.Node.Type().Kind() != kind {
		return nil, fmt.Errorf("no column %s of type %s", column, kind)
	}
	return g.group.ColumnChunks()[leaf.ColumnIndex], nil
}

// ScanLists calls use for each element of a column of lists, with its row in the row group.
func ScanLists(g RowGroup, column string, use func(row int, element int64)) error {
	row := -1
	return ScanColumn(g, column, func(p Page[int64]) error {
		next := 0
		for i, r := range p.Repeated {
			if r == 0 {
				row++
			}
			if p.Defined[i] == 0 {
				continue
			}
			if next == len(p.Values) {
				return fmt.Errorf("row %d: fewer values than levels", row)
			}
			use(row, p.Values[next])
			next++
		}
		return nil
	})
}

// findRow returns the row that has a value in a column. The column ascends.
func (f *File) findRow(column string, value uint64) (row int64, found bool, err error) {
	before := int64(0)
	for _, g := range f.RowGroups() {
		err := ScanColumn(g, column, func(p Page[uint64]) error {
			if at, ok := slices.BinarySearch(p.Values, value); ok {
				row, found = before+int64(at), true
			}
			before += int64(len(p.Values))
			return nil
		})
		if err != nil || found {
			return row, found, err
		}
	}
	return 0, false, nil
}

// postBounds returns the first and the last value of the column post_id, which ascends, from
// the statistics of the row groups.
func (f *File) postBounds() (first, last int64, err error) {
	groups := f.RowGroups()
	for i, g := range groups {
		chunk, err := columnChunk[int64](g, "post_id")
		if err != nil {
			return 0, 0, fmt.Errorf("reading %s: %w", f.Name(), err)
		}
		statistics, ok := chunk.(*parquet.FileColumnChunk)
		if !ok {
			return 0, 0, fmt.Errorf("reading %s: unknown kind of column", f.Name())
		}
		low, high, ok := statistics.Bounds()
		if !ok {
			return 0, 0, fmt.Errorf("reading %s: column post_id has no bounds", f.Name())
		}
		if i == 0 {
			first = low.Int64()
		}
		last = high.Int64()
	}
	if len(groups) == 0 {
		return 0, 0, fmt.Errorf("reading %s: it has no rows", f.Name())
	}
	return first, last, nil
}
