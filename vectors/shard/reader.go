package shard

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// readRows is how many rows are decoded together.
const readRows = 64

// Reader reads the points of one shard in their order, which is that of their
// ids. It is used as a bufio.Scanner is:
//
//	for r.Scan() {
//		use(r.Point())
//	}
//	err := errors.Join(r.Err(), r.Close())
type Reader struct{ rows[Point] }

// Open opens a shard.
func Open(file string) (*Reader, error) {
	r := &Reader{}
	return r, r.open(file)
}

// Point is the point that Scan has read. It may be kept.
func (r *Reader) Point() *Point { return r.row() }

// Rows returns how many points the shard has.
func (r *Reader) Rows() int64 { return r.reader.NumRows() }

// SeekRow makes the next Scan read the row of a number, from 0.
func (r *Reader) SeekRow(row int64) error {
	if err := r.reader.SeekToRow(row); err != nil {
		return fmt.Errorf("seeking row %d of %s: %w", row, r.file.Name(), err)
	}
	r.buffer, r.at = nil, 0
	return nil
}

// IDs reads the point ids of a shard, and no other column.
func IDs(file string) (ids []uint64, err error) {
	r := rows[struct {
		PointID uint64 `parquet:"point_id"`
	}]{}
	if err := r.open(file); err != nil {
		return nil, err
	}
	ids = make([]uint64, 0, r.reader.NumRows())
	for r.Scan() {
		ids = append(ids, r.row().PointID)
	}
	return ids, errors.Join(r.Err(), r.Close())
}

// rows reads rows of T, whose fields are some of a file's columns.
type rows[T any] struct {
	file   *os.File
	reader *parquet.GenericReader[T]
	buffer []T // rows that were decoded, of which that at at-1 is the current one
	at     int
	err    error
}

// open opens the file. One that is damaged may make the library panic.
func (r *rows[T]) open(file string) (err error) {
	defer func() {
		if err != nil && r.file != nil {
			err = errors.Join(err, r.file.Close())
		}
	}()
	if r.file, err = os.Open(file); err != nil {
		return err
	}
	defer recovered(file, &err)
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	in, err := parquet.OpenFile(r.file, info.Size())
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	columns := in.Schema()
	for _, path := range parquet.SchemaOf(new(T)).Columns() {
		if _, ok := columns.Lookup(path...); !ok {
			return fmt.Errorf("reading %s: no column %s", file, path[0])
		}
	}
	r.reader = parquet.NewGenericReader[T](in)
	return nil
}

// Scan reads the next row, and says whether there was one.
func (r *rows[T]) Scan() bool {
	if r.err != nil {
		return false
	}
	if r.at == len(r.buffer) && !r.fill() {
		return false
	}
	r.at++
	return true
}

// fill decodes more rows, into memory of their own.
func (r *rows[T]) fill() (ok bool) {
	defer recovered(r.file.Name(), &r.err)
	r.buffer, r.at = make([]T, readRows), 0
	n, err := r.reader.Read(r.buffer)
	r.buffer = r.buffer[:n]
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = fmt.Errorf("reading %s: %w", r.file.Name(), err)
		return false
	}
	return n > 0
}

func (r *rows[T]) row() *T { return &r.buffer[r.at-1] }

// Err is the error that ended Scan, if one did.
func (r *rows[T]) Err() error { return r.err }

// Close closes the file.
func (r *rows[T]) Close() error { return errors.Join(r.reader.Close(), r.file.Close()) }

// recovered makes an error of a panic.
func recovered(file string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("reading %s: it is damaged: %v", file, p)
	}
}

// Texts gives the id and the content_hash of each point of a shard to use, and
// reads no other column.
func Texts(file string, use func(point uint64, hash string) error) error {
	r := rows[struct {
		PointID     uint64 `parquet:"point_id"`
		ContentHash string `parquet:"content_hash"`
	}]{}
	if err := r.open(file); err != nil {
		return err
	}
	for r.Scan() {
		if err := use(r.row().PointID, r.row().ContentHash); err != nil {
			return errors.Join(err, r.Close())
		}
	}
	return errors.Join(r.Err(), r.Close())
}
