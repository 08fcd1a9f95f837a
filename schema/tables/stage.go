package tables

import (
	"context"
	"fmt"
	"strings"

	"s2g/schema"
)

// Beside a table NAME in service there may be NAME_new, which is being loaded,
// and NAME_old, which a swap has put out of service.
func staging(name string) string { return name + "_new" }
func retired(name string) string { return name + "_old" }

// Stage makes an empty staging table for t, without secondary indexes. What an
// earlier run has left beside the table is dropped.
func (db *DB) Stage(ctx context.Context, t schema.Table) error {
	create, _ := schema.TableDDL(t, staging(t.Name))
	err := db.exec(ctx, "DROP TABLE IF EXISTS "+quote(staging(t.Name))+", "+quote(retired(t.Name)), create)
	if err != nil {
		return fmt.Errorf("making the staging table of %s: %w", t.Name, err)
	}
	return nil
}

// Index adds the secondary indexes to t's staging table, all in one pass over it.
func (db *DB) Index(ctx context.Context, t schema.Table) error {
	_, indexes := schema.TableDDL(t, staging(t.Name))
	if len(indexes) == 0 {
		return nil
	}
	err := db.exec(ctx, "ALTER TABLE "+quote(staging(t.Name))+" "+strings.Join(indexes, ", "))
	if err != nil {
		return fmt.Errorf("indexing %s: %w", t.Name, err)
	}
	return nil
}

// Swap puts the staging tables of ts in service, and records dumpKey, in one
// RENAME TABLE: readers see all tables of one dump or all of another. Tables of
// the schema that are not in ts go out of service. What was in service before
// is dropped. An error may come after the rename: DumpKey tells.
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
	present, err := db.Names(ctx)
	if err != nil {
		return err
	}
	var moves, old []string
	for _, name := range ours() {
		old = append(old, quote(retired(name)))
		if present[name] {
			moves = append(moves, quote(name)+" TO "+quote(retired(name)))
		}
	}
	for _, name := range incoming {
		moves = append(moves, quote(staging(name))+" TO "+quote(name))
	}
	if err := db.exec(ctx, "DROP TABLE IF EXISTS "+strings.Join(old, ", "), "RENAME TABLE "+strings.Join(moves, ", ")); err != nil {
		return err
	}
	if posts {
		db.makeViews(ctx)
	}
	return db.Tidy(ctx)
}

// Tidy drops what a swap, or a load that did not come to it, has left beside the
// tables in service.
func (db *DB) Tidy(ctx context.Context) error {
	var left []string
	for _, name := range ours() {
		left = append(left, quote(staging(name)), quote(retired(name)))
	}
	if err := db.exec(ctx, "DROP TABLE IF EXISTS "+strings.Join(left, ", ")); err != nil {
		return fmt.Errorf("dropping tables that are out of service: %w", err)
	}
	return nil
}

// ours returns the names of the tables that may be in service.
func ours() []string {
	names := []string{dumpTable}
	for _, t := range schema.Tables() {
		names = append(names, t.Name)
	}
	return names
}

// Names returns the names of the tables in the database, staging tables and
// views included. A build may leave out tables of the schema.
func (db *DB) Names(ctx context.Context) (map[string]bool, error) {
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
	names, err := db.Names(ctx)
	return names[name], err
}

// exec runs statements one after the other.
func (db *DB) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := db.pool.ExecContext(ctx, s); err != nil {
			return db.explain(err)
		}
	}
	return nil
}
