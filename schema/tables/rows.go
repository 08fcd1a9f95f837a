package tables

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// killTimeout bounds how long the end of a query that nobody waits for is tried.
const killTimeout = 5 * time.Second

// Rows is the result of a query, read as the server sends it. It has a
// connection of its own, and is not for concurrent use:
//
//	for rows.Scan() {
//		id := tables.Int(rows.Record()[0])
//	}
//	err := errors.Join(rows.Err(), rows.Close())
//
// Memory does not depend on the number of rows.
type Rows struct {
	db     *DB
	conn   driver.Conn
	id     int64 // of the connection, to kill it by
	rows   driver.Rows
	values []driver.Value
	record [][]byte
	number [][]byte // for each column, room for the digits of a number
	err    error
	ended  bool // the server has sent everything
	closed bool
}

// Query starts a query on a connection of its own. Cancelling ctx ends it, on
// the server too. The caller closes the result.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*Rows, error) {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, fmt.Errorf("parameter %d of a query: %w", i+1, err)
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	conn, err := db.conns.Connect(ctx)
	if err != nil {
		return nil, db.explain(fmt.Errorf("connecting for a query: %w", err))
	}
	r := &Rows{db: db, conn: conn}
	if err := r.start(ctx, query, named); err != nil {
		err = db.explain(fmt.Errorf("querying: %w", err))
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Rows) start(ctx context.Context, query string, args []driver.NamedValue) error {
	q, ok := r.conn.(driver.QueryerContext)
	if !ok {
		return errors.New("the driver runs no queries")
	}
	var err error
	if r.id, err = connectionID(ctx, q); err != nil {
		return err
	}
	if r.rows, err = q.QueryContext(ctx, query, args); err != nil {
		return err
	}
	n := len(r.rows.Columns())
	r.values, r.record, r.number = make([]driver.Value, n), make([][]byte, n), make([][]byte, n)
	room := make([]byte, 32*n)
	for i := range r.number {
		r.number[i] = room[32*i : 32*i : 32*(i+1)]
	}
	return nil
}

func connectionID(ctx context.Context, q driver.QueryerContext) (int64, error) {
	rows, err := q.QueryContext(ctx, "SELECT CONNECTION_ID()", nil)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return 0, err
	}
	switch id := value[0].(type) {
	case int64:
		return id, nil
	case uint64:
		return int64(id), nil
	}
	return 0, fmt.Errorf("the connection's id is a %T", value[0])
}

// Columns returns the names of the result's columns.
func (r *Rows) Columns() []string { return r.rows.Columns() }

// Scan moves to the next row. It returns false at the end, and at an error,
// which Err tells.
func (r *Rows) Scan() bool {
	if r.ended || r.closed || r.err != nil {
		return false
	}
	if err := r.rows.Next(r.values); err != nil {
		r.ended = err == io.EOF
		if !r.ended {
			r.err = r.db.explain(fmt.Errorf("reading rows: %w", err))
		}
		return false
	}
	for i, v := range r.values {
		switch v := v.(type) {
		case []byte:
			r.record[i] = v
		case nil:
			r.record[i] = nil
		case int64:
			r.record[i] = strconv.AppendInt(r.number[i], v, 10)
		case uint64:
			r.record[i] = strconv.AppendUint(r.number[i], v, 10)
		case float32:
			r.record[i] = strconv.AppendFloat(r.number[i], float64(v), 'g', -1, 32)
		case float64:
			r.record[i] = strconv.AppendFloat(r.number[i], v, 'g', -1, 64)
		default:
			r.err = fmt.Errorf("reading rows: column %s is a %T", r.rows.Columns()[i], v)
			return false
		}
	}
	return true
}

// Record returns the values of the row as text, nil for NULL, empty but not
// nil for an empty string. They are valid until the next Scan or Close.
func (r *Rows) Record() [][]byte { return r.record }

// Err returns the error that ended Scan, nil at the end of the result.
func (r *Rows) Err() error { return r.err }

// Close ends the query. What the server has not sent yet is not read: the
// query is killed.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	if r.ended {
		return r.conn.Close()
	}
	// The driver would read the result to its end; closing under it breaks the connection instead.
	_ = r.conn.Close() // it may be broken already, and nothing is lost with it
	if r.id == 0 {
		return nil
	}
	// A server that is still computing notices a closed connection only when it sends.
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	_, _ = r.db.pool.ExecContext(ctx, "KILL "+strconv.FormatInt(r.id, 10)) // an error says that it has ended, or that the server has
	return nil
}

// Int returns the integer that a result column holds as decimal digits, 0 for
// NULL. It does not check: columns hold what their type lets them hold.
func Int(b []byte) int64 {
	var n int64
	for i, c := range b {
		if i == 0 && c == '-' {
			continue
		}
		n = n*10 + int64(c-'0')
	}
	if len(b) > 0 && b[0] == '-' {
		return -n
	}
	return n
}
