package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"s2g/schema"
)

// readBuffer is how many bytes of a column are read from the disk at a time.
const readBuffer = 64 << 10

// cancelRows is how many rows are read between two checks of the context.
const cancelRows = 1 << 10

// rowReader reads a Parquet file row by row. After each step its columns have the
// values of one row. The library's own readers build a struct of each row by
// reflection, which takes several times as long: BenchmarkReadShard.
type rowReader struct {
	file    *parquet.File
	columns []columnReader
	missing string        // the first column that the file does not have; empty: none
	refused string        // why the file is not read; empty: it is
	end     func() string // called after the last row; nil: nothing
}

// refuse is what bind returns for a file that is not to be read because of a difference.
func (r *rowReader) refuse(difference string) func() string {
	r.refused = difference
	return nil
}

// columnReader is a column of a rowReader.
type columnReader interface {
	begin(parquet.RowGroup) error // the next rows are those of a group
	next() error                  // moves to the next row
	end() error                   // releases the pages
}

// readRows reads a Parquet file row by row. bind chooses its columns and returns check,
// which readRows calls after each row, up to the first difference that check returns.
// Damage to the file is a difference; a file that cannot be opened is an error.
// Differences begin with the file's name.
func (v *verifier) readRows(ctx context.Context, f file, bind func(*rowReader) (check func() string)) (difference string, err error) {
	stored, err := schema.OpenRegular(v.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer stored.Close()
	defer func() {
		if difference != "" {
			difference = f.name + ": " + difference
		}
	}()
	defer recoverDamage(&difference)
	in, err := parquet.OpenFile(stored, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(readBuffer))
	if err != nil {
		return err.Error(), nil
	}
	r := &rowReader{file: in}
	check := bind(r)
	if r.refused != "" {
		return r.refused, nil
	}
	if r.missing != "" {
		return "it has no column " + r.missing, nil
	}
	rows := int64(0)
	for _, group := range in.RowGroups() {
		for _, c := range r.columns {
			if err := c.begin(group); err != nil {
				return err.Error(), nil
			}
		}
		for range group.NumRows() {
			if rows++; rows%cancelRows == 0 && ctx.Err() != nil {
				return "", ctx.Err()
			}
			for _, c := range r.columns {
				if err := c.next(); err != nil {
					return fmt.Sprintf("row %d: %v", rows, err), nil
				}
			}
			if d := check(); d != "" {
				return d, nil
			}
		}
	}
	for _, c := range r.columns {
		if err := c.end(); err != nil {
			return err.Error(), nil
		}
	}
	if n := in.NumRows(); n != rows {
		return fmt.Sprintf("it has %d rows, its footer counts %d", rows, n), nil
	}
	if r.end != nil {
		return r.end(), nil
	}
	return "", nil
}

// recoverDamage, which is deferred, turns a panic into a difference: the library panics
// on some damaged files.
func recoverDamage(difference *string) {
	if p := recover(); p != nil {
		*difference = fmt.Sprintf("it cannot be read: %v", p)
	}
}

// leaf finds a column by its name. A list's column is the leaf of the three levels that
// the Parquet format requires: NAME, list, element.
func (r *rowReader) leaf(name string) parquet.LeafColumn {
	l, ok := r.file.Schema().Lookup(name)
	if !ok {
		l, ok = r.file.Schema().Lookup(name, "list", "element")
	}
	if !ok && r.missing == "" {
		r.missing = name
	}
	return l
}

// columnPages reads the pages of a column, one after the other.
type columnPages struct {
	leaf    parquet.LeafColumn
	name    string
	inGroup parquet.Pages // of the row group
	page    parquet.Page
	old     []parquet.Page // earlier pages that still hold values of the row
}

func (p *columnPages) begin(group parquet.RowGroup) error {
	err := p.end()
	p.inGroup = group.ColumnChunks()[p.leaf.ColumnIndex].Pages()
	return err
}

// end releases the remaining pages of a row group.
func (p *columnPages) end() error {
	p.retain()
	p.release()
	if p.inGroup == nil {
		return nil
	}
	return p.inGroup.Close()
}

// read moves to the next page. The page before it stays in memory until release,
// because it may hold values of the row.
func (p *columnPages) read() (err error) {
	p.retain()
	p.page, err = p.inGroup.ReadPage()
	return err
}

func (p *columnPages) retain() {
	if p.page != nil {
		p.old = append(p.old, p.page)
		p.page = nil
	}
}

// release frees the pages before this one, which hold values of earlier rows only.
func (p *columnPages) release() {
	for _, page := range p.old {
		parquet.Release(page)
	}
	p.old = p.old[:0]
}

// valueColumn is a column whose values are read one by one.
type valueColumn struct {
	columnPages
	values parquet.ValueReader
	buffer [64]parquet.Value
	at, n  int             // of buffer
	row    []parquet.Value // of this row
}

// column adds a column. A column of another type counts as missing.
func (r *rowReader) column(name string, kind parquet.Kind) *valueColumn {
	c := &valueColumn{columnPages: columnPages{leaf: r.leaf(name), name: name}}
	if r.missing == "" && c.leaf.Node.Type().Kind() != kind {
		r.missing = name + " of the type " + kind.String()
	}
	r.columns = append(r.columns, c)
	return c
}

func (r *rowReader) int64s(name string) *valueColumn { return r.column(name, parquet.Int64) }
func (r *rowReader) int32s(name string) *valueColumn { return r.column(name, parquet.Int32) }
func (r *rowReader) texts(name string) *valueColumn  { return r.column(name, parquet.ByteArray) }

func (c *valueColumn) begin(group parquet.RowGroup) error {
	c.values, c.at, c.n = nil, 0, 0
	return c.columnPages.begin(group)
}

// fill reads more values into the buffer.
func (c *valueColumn) fill() error {
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

func (c *valueColumn) next() error {
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

// null reports whether the row has no value here.
func (c *valueColumn) null() bool { return c.row[0].IsNull() }

// integer returns the value of an int32 or int64 column.
func (c *valueColumn) integer() int64 {
	if c.leaf.Node.Type().Kind() == parquet.Int32 {
		return int64(c.row[0].Int32())
	}
	return c.row[0].Int64()
}

func (c *valueColumn) boolean() bool { return c.row[0].Boolean() }

// bytes returns the value, valid until the next row.
func (c *valueColumn) bytes() []byte { return c.row[0].ByteArray() }

// list returns the elements of a list, valid until the next row.
func (c *valueColumn) list() []parquet.Value {
	if len(c.row) == 1 && c.row[0].DefinitionLevel() < c.leaf.MaxDefinitionLevel {
		return nil // Parquet stores an empty list as one NULL of a lower definition level
	}
	return c.row
}

// string returns the value as a string, empty for NULL.
func (c *valueColumn) string() string { return string(c.bytes()) }

// optionalInt32 returns the value, nil for NULL.
func (c *valueColumn) optionalInt32() *int32 {
	if c.null() {
		return nil
	}
	n := c.row[0].Int32()
	return &n
}

// strings returns the elements of a list of texts.
func (c *valueColumn) strings() (list []string) {
	for _, v := range c.list() {
		list = append(list, string(v.ByteArray()))
	}
	return list
}

// int64s returns the elements of a list of numbers.
func (c *valueColumn) int64s() (list []int64) {
	for _, v := range c.list() {
		list = append(list, v.Int64())
	}
	return list
}

// vectorColumn is a column of lists of numbers. Its rows are slices of pages, without a
// call for each number, because vectors are most of a shard: BenchmarkReadShard.
type vectorColumn[T float32 | uint32] struct {
	columnPages
	numbersOf func(parquet.Page) []T
	numbers   []T    // of the page
	reps      []byte // repetition levels, of each number or empty list: 0 where a row begins
	defs      []byte // definition levels: the maximum for a number
	at, taken int    // positions of the next row in reps, and in numbers
	row       []T    // of this row, valid until the next
	joined    []T    // room for a row that is in two pages
}

func addVector[T float32 | uint32](r *rowReader, name string, kind parquet.Kind, numbersOf func(parquet.Page) []T) *vectorColumn[T] {
	v := &vectorColumn[T]{columnPages: columnPages{leaf: r.leaf(name), name: name}, numbersOf: numbersOf}
	if r.missing == "" && (v.leaf.Node.Type().Kind() != kind || v.leaf.MaxRepetitionLevel != 1) {
		r.missing = name + " of lists of the type " + kind.String()
	}
	r.columns = append(r.columns, v)
	return v
}

func (r *rowReader) float32Lists(name string) *vectorColumn[float32] {
	return addVector(r, name, parquet.Float, func(p parquet.Page) []float32 { d := p.Data(); return d.Float() })
}

func (r *rowReader) uint32Lists(name string) *vectorColumn[uint32] {
	return addVector(r, name, parquet.Int32, func(p parquet.Page) []uint32 { d := p.Data(); return d.Uint32() })
}

func (v *vectorColumn[T]) begin(group parquet.RowGroup) error {
	v.reps, v.at = nil, 0
	return v.columnPages.begin(group)
}

// fill reads pages up to one with rows.
func (v *vectorColumn[T]) fill() error {
	for v.at == len(v.reps) {
		if err := v.read(); err != nil {
			return err
		}
		if v.page.Dictionary() != nil {
			return errors.New("its numbers are in a dictionary")
		}
		v.numbers, v.reps, v.defs, v.at, v.taken = v.numbersOf(v.page), v.page.RepetitionLevels(), v.page.DefinitionLevels(), 0, 0
		if len(v.defs) != len(v.reps) || bytes.Count(v.defs, []byte{byte(v.leaf.MaxDefinitionLevel)}) != len(v.numbers) {
			return errors.New("its levels are not those of its numbers")
		}
	}
	return nil
}

func (v *vectorColumn[T]) next() error {
	v.release()
	if err := v.fill(); err != nil {
		return fmt.Errorf("column %s: %w", v.name, err)
	}
	v.row = v.take(1)
	for v.at == len(v.reps) { // the row may continue in the next page
		if err := v.fill(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("column %s: %w", v.name, err)
		}
		if v.reps[0] == 0 {
			return nil
		}
		v.joined = append(append(v.joined[:0], v.row...), v.take(0)...)
		v.row = v.joined
	}
	return nil
}

// take returns the row's numbers in the page, and moves behind them. The row has the
// first levels whatever their value (1 where the row begins here, else 0), then those
// up to the next 0.
func (v *vectorColumn[T]) take(first int) []T {
	begin, end := v.at, len(v.reps)
	if i := bytes.IndexByte(v.reps[begin+first:], 0); i >= 0 {
		end = begin + first + i
	}
	n := bytes.Count(v.defs[begin:end], []byte{byte(v.leaf.MaxDefinitionLevel)})
	v.at, v.taken = end, v.taken+n
	return v.numbers[v.taken-n : v.taken]
}
