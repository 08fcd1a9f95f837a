package shard

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// readRows is the number of rows that are decoded together.
const readRows = 64

// Reader reads the points of one shard in the order of their ids. It is used as a
// bufio.Scanner is:
//
//	for r.Scan() {
//		use(r.Point())
//	}
//	err := errors.Join(r.Err(), r.Close())
type Reader struct{ rows[Point] }

// Open opens a shard. Where columns are named, the reader decodes these alone, and the
// other fields of its points are zero.
func Open(file string, columns ...string) (*Reader, error) {
	f, err := OpenFile(file)
	if err != nil {
		return nil, err
	}
	r := &Reader{}
	if r.rows, err = newRows[Point](f, columns...); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// Point returns the point that Scan has read. The caller may keep it.
func (r *Reader) Point() *Point { return r.row() }

// SeekRow makes the next Scan read a row by its number, from 0.
func (r *Reader) SeekRow(row int64) error { return r.seek(row) }

// IDs reads the point ids of a shard, and no other column.
func IDs(file string) ([]uint64, error) {
	f, err := OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ids := make([]uint64, 0, f.Rows())
	for _, g := range f.RowGroups() {
		err := ScanColumn(g, "point_id", func(p Page[uint64]) error {
			ids = append(ids, p.Values...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Texts calls use with the id and the content_hash of each point of a shard. It reads no
// other column.
func Texts(file string, use func(point uint64, hash string) error) error {
	r, err := Open(file, "point_id", "content_hash")
	if err != nil {
		return err
	}
	for r.Scan() {
		if err := use(r.Point().PointID, r.Point().ContentHash); err != nil {
			return errors.Join(err, r.Close())
		}
	}
	return errors.Join(r.Err(), r.Close())
}

// ReadRow reads one row of a shard, without its vectors.
func ReadRow(file string, row int64) (*Point, error) {
	f, err := OpenFile(file)
	if err != nil {
		return nil, err
	}
	p, err := readRow[Point](f, row, withoutVectors...)
	return p, errors.Join(err, f.Close())
}

var withoutVectors = func() (names []string) {
	for _, c := range pointColumns {
		if c.Role != RoleVector {
			names = append(names, c.Name)
		}
	}
	return names
}()

func readRow[T any](f *File, row int64, columns ...string) (*T, error) {
	r, err := newRows[T](f, columns...)
	if err != nil {
		return nil, err
	}
	r.encoded = make([]parquet.Row, 1)
	if err := r.seek(row); err != nil {
		return nil, err
	}
	if !r.Scan() {
		return nil, fmt.Errorf("reading row %d of %s: %w", row, f.Name(), errors.Join(r.Err(), io.ErrUnexpectedEOF))
	}
	return r.row(), nil
}

// rows decodes the rows of a file into values of T, whose fields are columns.
type rows[T any] struct {
	file    *File
	reader  *parquet.GenericReader[any]
	schema  *parquet.Schema // of the columns that are decoded
	partial reflect.Type    // a struct of them; nil: T has no others
	fields  []int           // of T, for each field of partial
	encoded []parquet.Row   // as many as are decoded together
	decoded []T
	at      int // number of decoded rows that Scan has returned; the last of these is current
	err     error
}

func newRows[T any](f *File, columns ...string) (r rows[T], err error) {
	defer recoverDamage(f.Name(), &err)
	whole := reflect.TypeFor[T]()
	r = rows[T]{file: f, schema: parquet.SchemaOf(new(T)), encoded: make([]parquet.Row, readRows)}
	if len(columns) > 0 {
		var fields []reflect.StructField
		for _, c := range columnsOf(whole) {
			if slices.Contains(columns, c.Name) {
				fields, r.fields = append(fields, whole.Field(c.field)), append(r.fields, c.field)
			}
		}
		r.partial = reflect.StructOf(fields)
		r.schema = parquet.SchemaOf(reflect.New(r.partial).Interface())
	}
	for _, path := range r.schema.Columns() {
		if _, ok := f.parquet.Schema().Lookup(path...); !ok {
			return r, fmt.Errorf("reading %s: no column %s", f.Name(), path[0])
		}
	}
	r.reader = parquet.NewGenericReader[any](f.parquet, r.schema)
	return r, nil
}

// Rows returns the number of rows of the file.
func (r *rows[T]) Rows() int64 { return r.file.Rows() }

func (r *rows[T]) seek(row int64) error {
	if err := r.reader.SeekToRow(row); err != nil {
		return fmt.Errorf("seeking row %d of %s: %w", row, r.file.Name(), err)
	}
	r.decoded, r.at = nil, 0
	return nil
}

// Scan reads the next row. It returns false after the last row and after an error.
func (r *rows[T]) Scan() bool {
	if r.err != nil {
		return false
	}
	if r.at == len(r.decoded) && !r.fill() {
		return false
	}
	r.at++
	return true
}

// fill decodes more rows, into memory of their own.
func (r *rows[T]) fill() (ok bool) {
	defer recoverDamage(r.file.Name(), &r.err)
	n, err := r.reader.ReadRows(r.encoded)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	r.decoded, r.at = make([]T, n), 0
	for i := 0; i < n && err == nil; i++ {
		err = r.decode(&r.decoded[i], r.encoded[i])
	}
	if err != nil {
		r.err = fmt.Errorf("reading %s: %w", r.file.Name(), err)
		return false
	}
	return n > 0
}

func (r *rows[T]) decode(to *T, row parquet.Row) error {
	if r.partial == nil {
		return r.schema.Reconstruct(to, row)
	}
	some := reflect.New(r.partial)
	if err := r.schema.Reconstruct(some.Interface(), row); err != nil {
		return err
	}
	for i, field := range r.fields {
		reflect.ValueOf(to).Elem().Field(field).Set(some.Elem().Field(i))
	}
	return nil
}

func (r *rows[T]) row() *T { return &r.decoded[r.at-1] }

// Err returns the error that ended Scan, if one did.
func (r *rows[T]) Err() error { return r.err }

// Close closes the file.
func (r *rows[T]) Close() error { return errors.Join(r.reader.Close(), r.file.Close()) }
