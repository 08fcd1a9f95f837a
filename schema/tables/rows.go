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

// killTimeout is the limit of the time that Close takes to kill a query.
const killTimeout = 5 * time.Second

// Rows is the result of a query, read while the server sends it. It occupies a
// connection until it is closed, and must not be used concurrently:
//
//	for rows.Scan() {
//		id := tables.Int(rows.Record()[0])
//	}
//	err := errors.Join(rows.Err(), rows.Close())
//
// Its memory does not depend on the number of rows.
type Rows struct {
	db     *DB
	conn   queryConn
	rows   driver.Rows
	values []driver.Value
	record [][]byte
	number [][]byte // for each column, a buffer for the digits of a number
	err    error
	ended  bool // the server has sent all rows
	closed bool
}

// Query starts a query on a connection of its own. Cancelling ctx ends it, on the
// server too. The caller closes the result. After a result that was read to its
// end, the connection serves later queries, with the session variables that a SET
// has changed.
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
			if c, err = db.openConn(ctx); err != nil {
				return nil, err
			}
		}
		r := &Rows{db: db, conn: c}
		err := r.start(ctx, query, named)
		if err == nil {
			return r, nil
		}
		// An idle connection may have broken. A query only reads, so it can be repeated.
		if used && (errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn)) {
			_ = c.conn.Close()
			continue
		}
		err = db.explain(fmt.Errorf("querying: %w", err))
		return nil, errors.Join(err, r.Close())
	}
}

func (r *Rows) start(ctx context.Context, query string, args []driver.NamedValue) error {
	if r.rows, r.err = r.conn.query(ctx, query, args); r.err != nil {
		return r.err
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

// Scan advances to the next row. It returns false at the end and at an error,
// which Err returns.
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

// Record returns the values of the row as text: nil for NULL, empty but not nil
// for an empty string. They are valid until the next Scan or Close.
func (r *Rows) Record() [][]byte { return r.record }

// Err returns the error that ended Scan, nil at the end of the result.
func (r *Rows) Err() error { return r.err }

// Close ends the query. It kills a query whose rows were not all read.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	if r.ended && r.rows.Close() == nil {
		r.db.idle.put(r.conn)
		return nil
	}
	// rows.Close would read the result to its end; closing the connection does not.
	_ = r.conn.conn.Close() // it may be broken already
	var server *mysql.MySQLError
	if r.ended || errors.As(r.err, &server) || errors.Is(r.err, mysql.ErrInvalidConn) {
		return nil // the server has ended the query, or has ended itself
	}
	// A server that is still computing detects a closed connection only when it sends.
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	_, _ = r.db.pool.ExecContext(ctx, "KILL "+strconv.FormatInt(r.conn.id, 10)) // an error means that the query or the server has ended
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

// Int returns the integer of a value in decimal digits, 0 for NULL. It does not
// validate b: the column's type is an integer.
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
