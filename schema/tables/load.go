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

// shownWarnings is the number of warnings in the error of a load.
const shownWarnings = 5

// Loaded is the server's report on a load. LOCAL turns every error into a warning
// (a duplicate key is skipped, a value is cut to fit), so a load is good only if
// Affected, the number of rows sent and, once the table is indexed, Count are equal.
type Loaded struct {
	Affected int64 // rows that the server reports as stored
	Warnings int64
}

// loads numbers the readers that are registered with the driver, whose registry
// is global.
var loads atomic.Int64

// Load reads rows of t from tsv into t's staging table. Fields have the order of
// the schema; a tab separates them and a line feed ends each row. \N is NULL;
// backslash, tab, line feed, carriage return and NUL in a field are written
// \\ \t \n \r \0. The text is UTF-8, dates are 2008-07-31 21:42:52.667, truth
// values 0 and 1.
//
// The load fails with an error of tsv, with a warning of the server, which it
// returns together with Loaded, and at the first read from tsv after ctx has
// ended; a reader that blocks must end with ctx itself.
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
	source := &packetReader{r: tsv, stopped: ctx.Err}
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
	if got.Warnings > 0 {
		return got, showWarnings(ctx, conn, got.Warnings)
	}
	return got, nil
}

// Count returns the number of rows of t's staging table. After Index it reads the
// smallest index; before, all of the table.
func (db *DB) Count(ctx context.Context, t schema.Table) (rows int64, err error) {
	err = db.pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+quote(stagingName(t.Name))).Scan(&rows)
	if err != nil {
		return 0, fmt.Errorf("counting the rows of %s: %w", t.Name, db.explain(err))
	}
	return rows, nil
}

// loadStatement returns the LOAD DATA that fills t's staging table from a reader.
// With a character set of single bytes the server finds the ends of fields a sixth
// faster than with utf8mb4 (BenchmarkLoad). Separators and escapes are ASCII, whose
// bytes occur in no longer character of UTF-8, and columns still reject invalid UTF-8.
func loadStatement(t schema.Table, reader string) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = quote(c.Name)
	}
	return "LOAD DATA LOCAL INFILE 'Reader::" + reader + "' INTO TABLE " + quote(stagingName(t.Name)) +
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

// showWarnings returns an error with the first few of n warnings.
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
	return fmt.Errorf("the server has changed or skipped rows, %d warnings: %s", n, strings.Join(shown, "; "))
}

// packetReader passes the rows of a load to the driver. It fills each packet,
// because the driver sends one for each Read, and keeps the error that ended it:
// after an error of its reader the driver ends the load regularly, and the server
// keeps the rows so far.
type packetReader struct {
	r       io.Reader
	stopped func() error // returns why the load must end, nil while it may continue
	err     error
}

func (p *packetReader) Read(b []byte) (n int, err error) {
	if p.err == nil {
		p.err = p.stopped()
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
