package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// dumpTable has one row: the key of the dump of the tables in service. Swap
// renames it with them, so the two always agree.
const dumpTable = "S2GDump"

// stagingName returns the name of the table that is being loaded for the table NAME.
func stagingName(name string) string { return name + "_new" }

// retiredName returns the name of the table that a swap has replaced.
func retiredName(name string) string { return name + "_old" }

// Stage creates an empty staging table for t, without secondary indexes, and
// drops those of an earlier run.
func (db *DB) Stage(ctx context.Context, t schema.Table) error {
	create, _ := schema.TableDDL(t, stagingName(t.Name))
	err := db.exec(ctx, "DROP TABLE IF EXISTS "+quote(stagingName(t.Name))+", "+quote(retiredName(t.Name)), create)
	if err != nil {
		return fmt.Errorf("creating the staging table of %s: %w", t.Name, err)
	}
	return nil
}

// Index adds the secondary indexes to t's staging table, all in one pass over it.
func (db *DB) Index(ctx context.Context, t schema.Table) error {
	_, indexes := schema.TableDDL(t, stagingName(t.Name))
	if len(indexes) == 0 {
		return nil
	}
	err := db.exec(ctx, "ALTER TABLE "+quote(stagingName(t.Name))+" "+strings.Join(indexes, ", "))
	if err != nil {
		return fmt.Errorf("indexing %s: %w", t.Name, err)
	}
	return nil
}

// Swap puts the staging tables of ts in service and records dumpKey, in one
// RENAME TABLE: readers see either all tables of one dump or all of another.
// Tables of the schema that are not in ts go out of service. Swap then drops the
// replaced tables. After an error the rename may have happened; DumpKey returns
// which dump is in service.
func (db *DB) Swap(ctx context.Context, dumpKey string, ts []schema.Table) error {
	if err := db.swap(ctx, dumpKey, ts); err != nil {
		return fmt.Errorf("putting the tables in service: %w", err)
	}
	return nil
}

func (db *DB) swap(ctx context.Context, dumpKey string, ts []schema.Table) error {
	if err := db.stageDumpKey(ctx, dumpKey); err != nil {
		return err
	}
	incoming := []string{dumpTable}
	posts := false
	for _, t := range ts {
		incoming = append(incoming, t.Name)
		posts = posts || t.Name == "Posts"
	}
	existing, err := db.TableNames(ctx)
	if err != nil {
		return err
	}
	var moves, old []string
	for _, name := range servedNames() {
		old = append(old, quote(retiredName(name)))
		if existing[name] {
			readable, err := db.isReadable(ctx, name)
			if err != nil {
				return err
			}
			if !readable { // it cannot be renamed
				if err := db.exec(ctx, "DROP TABLE "+quote(name)); err != nil {
					return err
				}
				continue
			}
			moves = append(moves, quote(name)+" TO "+quote(retiredName(name)))
		}
	}
	for _, name := range incoming {
		moves = append(moves, quote(stagingName(name))+" TO "+quote(name))
	}
	if err := db.exec(ctx, "DROP TABLE IF EXISTS "+strings.Join(old, ", "), "RENAME TABLE "+strings.Join(moves, ", ")); err != nil {
		return err
	}
	if posts {
		db.createViews(ctx)
	}
	return db.Tidy(ctx)
}

// isReadable reports whether the server can open a table. It cannot where the
// table's file is missing or damaged.
func (db *DB) isReadable(ctx context.Context, name string) (bool, error) {
	err := db.exec(ctx, "SELECT 1 FROM "+quote(name)+" LIMIT 1")
	if isUnreadable(err) {
		db.log.Warn("a table in service is not readable", "table", name, "error", err)
		return false, nil
	}
	return err == nil, err
}

// isUnreadable reports whether err is that of a server which cannot open or read a table.
func isUnreadable(err error) bool {
	fault, _ := schema.FaultOf(err)
	return errors.As(err, new(*mysql.MySQLError)) && (fault == schema.FaultOurs || fault == schema.FaultVerification)
}

// Unreadable returns the name of a table in service that the server cannot open, empty where there is none. Some of
// these can neither be renamed nor dropped; see [RemoveDatabase].
func (db *DB) Unreadable(ctx context.Context) (name string, err error) {
	existing, err := db.TableNames(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range servedNames() {
		if !existing[name] {
			continue
		}
		if readable, err := db.isReadable(ctx, name); err != nil || !readable {
			return name, err
		}
	}
	return "", nil
}

func (db *DB) stageDumpKey(ctx context.Context, key string) error {
	name := quote(stagingName(dumpTable))
	err := db.exec(ctx,
		"DROP TABLE IF EXISTS "+name,
		"CREATE TABLE "+name+" (DumpKey VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL PRIMARY KEY) ENGINE=InnoDB"+
			" COMMENT='One row: the dump that the tables were loaded from'")
	if err != nil {
		return err
	}
	if _, err := db.pool.ExecContext(ctx, "INSERT INTO "+name+" VALUES (?)", key); err != nil {
		return db.explain(fmt.Errorf("recording the dump: %w", err))
	}
	return nil
}

// createViews creates the views of the schema over the tables in service, for
// people. Views name tables, so later swaps leave them unchanged. A view that a
// user's server refuses is logged and left out.
func (db *DB) createViews(ctx context.Context) {
	for _, v := range schema.Views() {
		if err := db.exec(ctx, v.Statement); err != nil {
			db.log.Info("the view "+v.Name+" is missing", "reason", err)
		}
	}
}

// Tidy drops the staging and retired tables of earlier loads.
func (db *DB) Tidy(ctx context.Context) error {
	var left []string
	for _, name := range servedNames() {
		left = append(left, quote(stagingName(name)), quote(retiredName(name)))
	}
	if err := db.exec(ctx, "DROP TABLE IF EXISTS "+strings.Join(left, ", ")); err != nil {
		return fmt.Errorf("dropping tables that are out of service: %w", err)
	}
	return nil
}

// servedNames returns the names of the tables that may be in service.
func servedNames() []string {
	names := []string{dumpTable}
	for _, t := range schema.Tables() {
		names = append(names, t.Name)
	}
	return names
}

// TableIntact reports whether a table is as a load left it: the staging table of
// t, or, with served, the one in service. It must have all its indexes, rows rows
// in each, and last as its highest Id. The check reads the table and its indexes
// once. A killed server may have lost about a second of writes.
func (db *DB) TableIntact(ctx context.Context, t schema.Table, served bool, rows, last int64) (bool, error) {
	name := stagingName(t.Name)
	if served {
		name = t.Name
	}
	intact, err := db.checkTable(ctx, t, name, rows, last)
	if err = db.explain(err); err == nil {
		return intact, nil
	}
	if isUnreadable(err) {
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

// DumpKey returns the key that Swap recorded, empty where no tables are in
// service.
func (db *DB) DumpKey(ctx context.Context) (string, error) {
	var key string
	err := db.pool.QueryRowContext(ctx, "SELECT DumpKey FROM "+quote(dumpTable)).Scan(&key)
	var server *mysql.MySQLError
	if errors.Is(err, sql.ErrNoRows) || errors.As(err, &server) && server.Number == noSuchTable {
		return "", nil
	}
	if err != nil {
		return "", db.explain(fmt.Errorf("reading the key of the tables' dump: %w", err))
	}
	return key, nil
}

// TableNames returns the names of the database's tables, with staging tables and
// views. Tables of the schema that the load left out are missing.
func (db *DB) TableNames(ctx context.Context) (map[string]bool, error) {
	names := make(map[string]bool)
	err := db.EachRow(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()", func(row [][]byte) error {
		names[string(row[0])] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing tables: %w", err)
	}
	return names, nil
}

// HasTable reports whether the database has a table of this name.
func (db *DB) HasTable(ctx context.Context, name string) (bool, error) {
	names, err := db.TableNames(ctx)
	return names[name], err
}
