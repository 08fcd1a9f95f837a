package tables

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// killTimeout bounds how long the end of a query that nobody waits for is tried.
const killTimeout = 5 * time.Second

// Rows is the result of a query, read as the server sends it. It has a
// connection for itself until it is closed, and is not for concurrent use:
//
//	for rows.Scan() {
//		id := tables.Int(rows.Record()[0])
//	}
//	err := errors.Join(rows.Err(), rows.Close())
//
// Memory does not depend on the number of rows.
type Rows struct {
	db     *DB
	in     queryConn
	rows   driver.Rows
	values []driver.Value
	record [][]byte
	number [][]byte // for each column, room for the digits of a number
	err    error
	ended  bool // the server has sent everything
	closed bool
}

// Query starts a query on a connection that no other uses meanwhile. Cancelling
// ctx ends it, on the server too. The caller closes the result; where it was read
// to its end, the connection serves a later query, which sees what a statement
// such as SET has changed in it.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*Rows, error) {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, fmt.Errorf("parameter %d of a query: %w", i+1, err)
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	for {
		c, used := db.idle.take(ctx)
		if !used {
			var err error
			if c, err = db.connect(ctx); err != nil {
				return nil, err
			}
		}
		r := &Rows{db: db, in: c}
		err := r.start(ctx, query, named)
		if err == nil {
			return r, nil
		}
		// It may have broken while nobody used it, which shows when it is used. Queries only read: asked again, nothing is done twice.
		if used && (errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn)) {
			_ = c.conn.Close()
			continue
		}
		err = db.explain(fmt.Errorf("querying: %w", err))
		return nil, errors.Join(err, r.Close())
	}
}

func (r *Rows) start(ctx context.Context, query string, args []driver.NamedValue) error {
	q, ok := r.in.conn.(driver.QueryerContext)
	if !ok {
		return errors.New("the driver runs no queries")
	}
	var err error
	if r.rows, err = q.QueryContext(ctx, query, args); err != nil {
		r.err = err
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
	if r.ended && r.rows.Close() == nil {
		r.db.idle.give(r.in)
		return nil
	}
	// The driver would read the result to its end; closing under it breaks the connection instead.
	_ = r.in.conn.Close() // it may be broken already, and nothing is lost with it
	var server *mysql.MySQLError
	if r.ended || errors.As(r.err, &server) || errors.Is(r.err, mysql.ErrInvalidConn) {
		return nil // the server has ended it, or is gone
	}
	// A server that is still computing notices a closed connection only when it sends.
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	_, _ = r.db.pool.ExecContext(ctx, "KILL "+strconv.FormatInt(r.in.id, 10)) // an error says that it has ended, or that the server has
	return nil
}

// EachRow runs a query and calls use for each row of its result, in order. A
// row is valid until use returns. An error of use ends the query and is
// returned as it is.
func (db *DB) EachRow(ctx context.Context, query string, use func(row [][]byte) error, args ...any) error {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	for rows.Scan() {
		if err := use(rows.Record()); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// IDList returns ids as the inside of an SQL list: "1,2,3" for "Id IN (1,2,3)".
// An empty list gives NULL, because IN () is no SQL and IN (NULL) is never true.
func IDList(ids []int64) string {
	if len(ids) == 0 {
		return "NULL"
	}
	var list []byte
	for _, id := range ids {
		list = append(strconv.AppendInt(list, id, 10), ',')
	}
	return string(list[:len(list)-1])
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
