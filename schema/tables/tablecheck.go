package tables

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// TableIntact reports whether a table is as a load left it: the staging table of
// t, or, with served, the one in service. It must have all its indexes, rows rows
// in each, and last as its highest Id. The check reads the table and its indexes
// once. A killed server may have lost about a second of writes.
func (db *DB) TableIntact(ctx context.Context, t schema.Table, served bool, rows, last int64) (bool, error) {
	name := staging(t.Name)
	if served {
		name = t.Name
	}
	intact, err := db.checkTable(ctx, t, name, rows, last)
	if err = db.explain(err); err == nil {
		return intact, nil
	}
	var server *mysql.MySQLError
	if fault, _ := schema.FaultOf(err); errors.As(err, &server) && fault == schema.FaultOurs {
		db.log.Warn("a table is not readable", "table", name, "error", err)
		return false, nil // damaged: the next Stage drops it
	}
	return false, fmt.Errorf("checking the table %s: %w", t.Name, err)
}

func (db *DB) checkTable(ctx context.Context, t schema.Table, name string, rows, last int64) (bool, error) {
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
	// QUICK skips the order within pages, and still counts the rows of each index.
	// The columns are Table, Op, Msg_type and Msg_text; the last row is the verdict.
	sound := false
	err = db.EachRow(ctx, "CHECK TABLE "+quote(name)+" QUICK", func(row [][]byte) error {
		sound = string(row[2]) == "status" && string(row[3]) == "OK"
		return nil
	})
	return sound, err
}
