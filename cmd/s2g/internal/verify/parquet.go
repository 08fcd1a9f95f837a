package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// pages are those of a column, one after the other.
type pages struct {
	leaf parquet.LeafColumn
	name string
	from parquet.Pages // of a row group
	page parquet.Page
	old  []parquet.Page // that values of the row are in
}

func (p *pages) begin(group parquet.RowGroup) error {
	err := p.end()
	p.from = group.ColumnChunks()[p.leaf.ColumnIndex].Pages()
	return err
}

// end lets go of a row group.
func (p *pages) end() error {
	p.keep()
	p.release()
	if p.from == nil {
		return nil
	}
	return p.from.Close()
}

// keep leaves the page in memory, for the values of the row that are in it.
func (p *pages) keep() {
	if p.page != nil {
		p.old = append(p.old, p.page)
		p.page = nil
	}
}

// release frees the pages that no row has values in any more.
func (p *pages) release() {
	for _, page := range p.old {
		parquet.Release(page)
	}
	p.old = p.old[:0]
}

func (p *pages) read() (err error) {
	p.keep()
	p.page, err = p.from.ReadPage()
	return err
}

// column is a column whose values are read one by one.
type column struct {
	pages
	values parquet.ValueReader
	buffer [64]parquet.Value
	at, n  int
	row    []parquet.Value // of this row
}

// column asks for a column of a type: values of another are refused, because what
// would be read of them is anything.
func (t *table) column(name string, kind parquet.Kind) *column {
	c := &column{pages: pages{leaf: t.leaf(name), name: name}}
	if t.missing == "" && c.leaf.Node.Type().Kind() != kind {
		t.missing = name + " of the type " + kind.String()
	}
	t.columns = append(t.columns, c)
	return c
}

func (t *table) int64(name string) *column { return t.column(name, parquet.Int64) }
func (t *table) int32(name string) *column { return t.column(name, parquet.Int32) }
func (t *table) text(name string) *column  { return t.column(name, parquet.ByteArray) }

func (c *column) begin(group parquet.RowGroup) error {
	c.values, c.at, c.n = nil, 0, 0
	return c.pages.begin(group)
}

// fill reads more values.
func (c *column) fill() error {
	for {
		if c.values != nil {
			n, err := c.values.ReadValues(c.buffer[:])
			if c.at, c.n = 0, n; n > 0 {
				return nil
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		if err := c.read(); err != nil {
			return err
		}
		c.values = c.page.Values()
	}
}

func (c *column) next() error {
	c.row = c.row[:0]
	c.release()
	for {
		if c.at == c.n {
			if err := c.fill(); errors.Is(err, io.EOF) && len(c.row) > 0 {
				return nil
			} else if err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		v := c.buffer[c.at]
		if len(c.row) > 0 && v.RepetitionLevel() == 0 {
			return nil
		}
		c.row = append(c.row, v)
		c.at++
		if c.leaf.MaxRepetitionLevel == 0 {
			return nil
		}
	}
}

// null tells whether the row has no value here.
func (c *column) null() bool { return c.row[0].IsNull() }

func (c *column) int() int64 {
	if c.leaf.Node.Type().Kind() == parquet.Int32 {
		return int64(c.row[0].Int32())
	}
	return c.row[0].Int64()
}

func (c *column) bool() bool { return c.row[0].Boolean() }

// bytes are valid until the next row.
func (c *column) bytes() []byte { return c.row[0].ByteArray() }

// list are the elements of a list, valid until the next row.
func (c *column) list() []parquet.Value {
	if len(c.row) == 1 && c.row[0].DefinitionLevel() < c.leaf.MaxDefinitionLevel {
		return nil // an empty list is a value that is none
	}
	return c.row
}

// vector is a column of lists of numbers, read as slices of pages: they are most
// of a shard.
type vector[T float32 | uint32] struct {
	pages
	numbers   func(parquet.Page) []T
	page      []T
	reps      []byte // for each number or empty list, whether it goes on with the row before
	defs      []byte // whether it is a number
	at, taken int    // of reps, and of page
	row       []T    // of this row, valid until the next
	joined    []T    // room for a row that is in two pages
}

func vectorOf[T float32 | uint32](t *table, name string, kind parquet.Kind, numbers func(parquet.Page) []T) *vector[T] {
	v := &vector[T]{pages: pages{leaf: t.leaf(name), name: name}, numbers: numbers}
	if t.missing == "" && (v.leaf.Node.Type().Kind() != kind || v.leaf.MaxRepetitionLevel != 1) {
		t.missing = name + " of lists of the type " + kind.String()
	}
	t.columns = append(t.columns, v)
	return v
}

func (t *table) floats(name string) *vector[float32] {
	return vectorOf(t, name, parquet.Float, func(p parquet.Page) []float32 { d := p.Data(); return d.Float() })
}

func (t *table) uints(name string) *vector[uint32] {
	return vectorOf(t, name, parquet.Int32, func(p parquet.Page) []uint32 { d := p.Data(); return d.Uint32() })
}

func (v *vector[T]) begin(group parquet.RowGroup) error {
	v.reps, v.at = nil, 0
	return v.pages.begin(group)
}

func (v *vector[T]) fill() error {
	for v.at == len(v.reps) {
		if err := v.read(); err != nil {
			return err
		}
		p := v.pages.page
		if p.Dictionary() != nil {
			return errors.New("its numbers are in a dictionary")
		}
		v.page, v.reps, v.defs, v.at, v.taken = v.numbers(p), p.RepetitionLevels(), p.DefinitionLevels(), 0, 0
		if len(v.defs) != len(v.reps) || bytes.Count(v.defs, []byte{byte(v.leaf.MaxDefinitionLevel)}) != len(v.page) {
			return errors.New("its levels are not those of its numbers")
		}
	}
	return nil
}

func (v *vector[T]) next() error {
	v.release()
	if err := v.fill(); err != nil {
		return fmt.Errorf("column %s: %w", v.name, err)
	}
	v.row = v.rest(1)
	for v.at == len(v.reps) { // it may go on in the next page
		if err := v.fill(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("column %s: %w", v.name, err)
		}
		if v.reps[0] == 0 {
			return nil
		}
		v.joined = append(append(v.joined[:0], v.row...), v.rest(0)...)
		v.row = v.joined
	}
	return nil
}

// rest takes the numbers of the row from the page. The first so many of its
// levels are the row's for certain.
func (v *vector[T]) rest(from int) []T {
	begin, end := v.at, len(v.reps)
	if i := bytes.IndexByte(v.reps[begin+from:], 0); i >= 0 {
		end = begin + from + i
	}
	n := bytes.Count(v.defs[begin:end], []byte{byte(v.leaf.MaxDefinitionLevel)})
	v.at, v.taken = end, v.taken+n
	return v.page[v.taken-n : v.taken]
}
