package graph

import (
	"context"
	"errors"

	"s2g/schema/tables"
)

// stream is a result that is ordered by its first column, a post's id, and is
// merged with others. The zero stream is empty.
type stream struct {
	rows *tables.Rows
	id   int64    // of the row that is next
	row  [][]byte // nil at the end
}

// open starts a query and moves to its first row.
func open(ctx context.Context, db *tables.DB, query string, args ...any) (*stream, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return &stream{}, err
	}
	s := &stream{rows: rows}
	s.next()
	return s, nil
}

// next moves to the next row.
func (s *stream) next() {
	s.row = nil
	if s.rows.Scan() {
		s.row = s.rows.Record()
		s.id = tables.Int(s.row[0])
	}
}

// of reports whether the row is one of the post's.
func (s *stream) of(post int64) bool { return s.row != nil && s.id == post }

// before reports whether the row is of a post before this one.
func (s *stream) before(post int64) bool { return s.row != nil && s.id < post }

func (s *stream) close() error {
	if s.rows == nil {
		return nil
	}
	return errors.Join(s.rows.Err(), s.rows.Close())
}
