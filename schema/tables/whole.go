package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// TableIntact reports whether t's staging table, or the one in service, is what a load
// of so many rows with Ids up to last left: there, with all its indexes, each of
// them with all the rows. It reads the table and its indexes once. A server that
// was killed may have lost what it had not written yet, with its settings as
// much as a second's work.
func (db *DB) TableIntact(ctx context.Context, t schema.Table, served bool, rows, last int64) (bool, error) {
	name := staging(t.Name)
	if served {
		name = t.Name
	}
	whole, err := db.whole(ctx, t, name, rows, last)
	if err = db.explain(err); err == nil {
		return whole, nil
	}
	var server *mysql.MySQLError
	if fault, _ := schema.FaultOf(err); errors.As(err, &server) && fault == schema.FaultOurs {
		db.log.Warn("a table cannot be read", "table", name, "error", err)
		return false, nil // damaged: it is dropped with the next Stage
	}
	return false, fmt.Errorf("looking whether %s is whole: %w", t.Name, err)
}

func (db *DB) whole(ctx context.Context, t schema.Table, name string, rows, last int64) (bool, error) {
	_, indexes := schema.TableDDL(t, name)
	var found int
	err := db.pool.QueryRowContext(ctx, "SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics"+
		" WHERE table_schema = DATABASE() AND table_name = ?", name).Scan(&found)
	if err != nil || found != len(indexes)+1 {
		return false, err
	}
	var count, highest int64
	err = db.pool.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(MAX(Id), 0) FROM "+quote(name)+" FORCE INDEX (PRIMARY)").Scan(&count, &highest)
	if err != nil || count != rows || highest != last {
		return false, err
	}
	// QUICK leaves out the pages' inner order, but counts the rows of each index.
	checked, err := db.pool.QueryContext(ctx, "CHECK TABLE "+quote(name)+" QUICK")
	if err != nil {
		return false, err
	}
	defer checked.Close()
	sound := false
	for checked.Next() {
		var of, op, kind string
		var text sql.NullString
		if err := checked.Scan(&of, &op, &kind, &text); err != nil {
			return false, err
		}
		sound = kind == "status" && text.String == "OK" // the last line is the verdict
	}
	return sound, checked.Err()
}
