package tables

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// shownWarnings is how many of a load's warnings its error repeats.
const shownWarnings = 5

// Loaded is what the server says about a load. LOCAL makes a warning of every
// error (a duplicate key is skipped, a value is cut to fit), so a load is good
// only if all of Affected, Count and the rows that were sent are equal.
type Loaded struct {
	Affected int64 // rows the server says it stored
	Warnings int64 // problems it met
	Count    int64 // rows in the table afterwards
}

// loads numbers the readers registered with the driver, whose registry is one
// for the whole process.
var loads atomic.Int64

// Load reads rows of t from tsv into t's staging table. Fields stand in the
// schema's order, parted by a tab, and a line feed ends each row; \N is NULL;
// backslash, tab, line feed, carriage return and NUL within a field are written
// \\ \t \n \r \0. The text is UTF-8, dates are 2008-07-31 21:42:52.667, truth
// values 0 and 1.
//
// Cancelling ctx fails the load at the next read from tsv: a reader that blocks
// should end with ctx too. An error of tsv fails the load. So does a warning of the server; Loaded is
// then filled in beside the error.
func (db *DB) Load(ctx context.Context, t schema.Table, tsv io.Reader) (Loaded, error) {
	got, err := db.load(ctx, t, tsv)
	if err != nil {
		return got, fmt.Errorf("loading %s: %w", t.Name, err)
	}
	return got, nil
}

func (db *DB) load(ctx context.Context, t schema.Table, tsv io.Reader) (got Loaded, err error) {
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return got, db.explain(err)
	}
	defer conn.Close()
	if err := checkLocalInfile(ctx, conn); err != nil {
		return got, db.explain(err)
	}
	source := &packets{ctx: ctx, r: tsv}
	name := fmt.Sprintf("s2g-load-%d", loads.Add(1))
	mysql.RegisterReaderHandler(name, func() io.Reader { return source })
	defer mysql.DeregisterReaderHandler(name)

	result, err := conn.ExecContext(ctx, loadStatement(t, name))
	if source.err != nil && source.err != io.EOF {
		return got, fmt.Errorf("reading its rows: %w", source.err)
	}
	if err != nil {
		return got, db.explain(err)
	}
	if got.Affected, err = result.RowsAffected(); err != nil {
		return got, err
	}
	if err := conn.QueryRowContext(ctx, "SELECT @@warning_count").Scan(&got.Warnings); err != nil {
		return got, db.explain(err)
	}
	var warnings error
	if got.Warnings > 0 {
		warnings = showWarnings(ctx, conn, got.Warnings)
	}
	if err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+quote(staging(t.Name))).Scan(&got.Count); err != nil {
		return got, db.explain(err)
	}
	return got, warnings
}

// loadStatement is the LOAD DATA that fills t's staging table from a reader.
// With a character set of single bytes the server finds the ends of fields a
// sixth faster than with utf8mb4; separators and escapes are ASCII, which no
// character of UTF-8 contains, and columns still refuse what is not UTF-8.
func loadStatement(t schema.Table, reader string) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = quote(c.Name)
	}
	return "LOAD DATA LOCAL INFILE 'Reader::" + reader + "' INTO TABLE " + quote(staging(t.Name)) +
		` CHARACTER SET binary FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (` +
		strings.Join(columns, ", ") + ")"
}

func checkLocalInfile(ctx context.Context, conn *sql.Conn) error {
	var on bool
	if err := conn.QueryRowContext(ctx, "SELECT @@local_infile").Scan(&on); err != nil {
		return err
	}
	if !on {
		return schema.Faultf(schema.FaultUsage, "on the server: SET GLOBAL local_infile=1",
			"the server does not take rows from a client (local_infile is off)")
	}
	return nil
}

// showWarnings makes an error of the first few of n warnings.
func showWarnings(ctx context.Context, conn *sql.Conn, n int64) error {
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SHOW WARNINGS LIMIT %d", shownWarnings))
	if err != nil {
		return err
	}
	defer rows.Close()
	var shown []string
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			return err
		}
		shown = append(shown, fmt.Sprintf("%s (%d)", message, code))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return fmt.Errorf("the server has changed or left out rows, %d warnings: %s", n, strings.Join(shown, "; "))
}

// packets hands a load's rows to the driver. It fills each packet, since the
// driver sends one a Read, and keeps the error that ended it: after an error
// the driver ends the load in good order, and the server keeps what it got.
type packets struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (p *packets) Read(b []byte) (n int, err error) {
	if p.err == nil {
		p.err = p.ctx.Err()
	}
	empty := 0
	for n < len(b) && p.err == nil {
		var m int
		m, p.err = p.r.Read(b[n:])
		if n += m; m > 0 {
			empty = 0
		} else if empty++; empty > 100 && p.err == nil {
			p.err = io.ErrNoProgress
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, p.err
}
