package verify

import (
	"context"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

// readBuffer is how much of a column is read from the disk at a time.
const readBuffer = 64 << 10

// cancelRows is how many rows are read between two looks at the context.
const cancelRows = 1 << 10

// table is a Parquet file that is read row by row: each of the columns that were
// asked for has the values of one row. The library's own readers build a struct
// of each row by reflection, which takes five times as long.
type table struct {
	file    *parquet.File
	columns []reader
	missing string // a column that was asked for and is not there
}

// reader is a column of a table.
type reader interface {
	begin(parquet.RowGroup) error // the next rows are those of a group
	next() error                  // moves to the next row
	end() error
}

// eachRow reads the columns of a Parquet file that bind asks for, and calls the
// function that it returns after each row, up to the first that finds fault with
// it. Damage to the file is a difference.
func (b *build) eachRow(ctx context.Context, f file, bind func(*table) func() string) (bad string, err error) {
	stored, err := os.Open(b.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer stored.Close()
	// The library panics on some damaged files, out of reach of a check of ours.
	defer func() {
		if p := recover(); p != nil {
			bad = fmt.Sprintf("it cannot be read: %v", p)
		}
	}()
	in, err := parquet.OpenFile(stored, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(readBuffer))
	if err != nil {
		return err.Error(), nil
	}
	t := &table{file: in}
	use := bind(t)
	if t.missing != "" {
		return "it has no column " + t.missing, nil
	}
	rows := int64(0)
	for _, group := range in.RowGroups() {
		for _, c := range t.columns {
			if err := c.begin(group); err != nil {
				return err.Error(), nil
			}
		}
		for range group.NumRows() {
			if rows++; rows%cancelRows == 0 && ctx.Err() != nil {
				return "", ctx.Err()
			}
			for _, c := range t.columns {
				if err := c.next(); err != nil {
					return fmt.Sprintf("row %d: %v", rows, err), nil
				}
			}
			if bad := use(); bad != "" {
				return bad, nil
			}
		}
	}
	for _, c := range t.columns {
		if err := c.end(); err != nil {
			return err.Error(), nil
		}
	}
	if said := in.NumRows(); said != rows {
		return fmt.Sprintf("it has %d rows, and says that it has %d", rows, said), nil
	}
	return "", nil
}

// leaf finds a column. A list's values are the elements of the standard's three
// levels.
func (t *table) leaf(name string) parquet.LeafColumn {
	l, ok := t.file.Schema().Lookup(name)
	if !ok {
		l, ok = t.file.Schema().Lookup(name, "list", "element")
	}
	if !ok && t.missing == "" {
		t.missing = name
	}
	return l
}
