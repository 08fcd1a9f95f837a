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

// probeTable is made and dropped to see what the user may do.
const probeTable = "S2GProbe"

// rights are what a load needs of the user of the DSN, in the order in which
// they are tried: a table that cannot be dropped again is not made. Grants are
// not read instead, for they may come by roles, patterns and PUBLIC.
func rights() []struct{ right, statement string } {
	probe, moved := quote(probeTable), quote(retired(probeTable))
	return []struct{ right, statement string }{
		{"DROP", "DROP TABLE IF EXISTS " + probe + ", " + moved},
		{"CREATE", "CREATE TABLE " + probe + " (Id BIGINT NOT NULL PRIMARY KEY, N INT NULL) ENGINE=InnoDB COMMENT='s2g tries its rights'"},
		{"INSERT", "INSERT INTO " + probe + " VALUES (1, 1)"},
		{"SELECT", "SELECT COUNT(*) FROM " + probe},
		{"ALTER", "ALTER TABLE " + probe + " ADD KEY N (N)"},
		{"ALTER", "RENAME TABLE " + probe + " TO " + moved},
		{"DROP", "DROP TABLE " + moved},
	}
}

// CheckRights makes sure, before hours of work, that a load into the user's own
// server can succeed: that the user may do what it needs, and that the server
// takes rows from a client. An error is a usage fault that names what is missing.
func (db *DB) CheckRights(ctx context.Context) error {
	if db.server != nil {
		return nil // it has no grants, and the settings are ours
	}
	for _, r := range rights() {
		if err := db.exec(ctx, r.statement); err != nil {
			_ = db.exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+quote(probeTable)) // the error to tell is the first
			return db.missing(r.right, err)
		}
	}
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return db.explain(err)
	}
	defer conn.Close()
	if err := checkLocalInfile(ctx, conn); err != nil {
		return db.explain(err)
	}
	return db.explain(checkNames(ctx, conn))
}

// checkNames refuses a server that has another idea of a table's name.
func checkNames(ctx context.Context, conn *sql.Conn) error {
	var folding int
	if err := conn.QueryRowContext(ctx, "SELECT @@lower_case_table_names").Scan(&folding); err != nil {
		return err
	}
	if folding == 1 {
		return schema.Faultf(schema.FaultUsage, "use a server with lower_case_table_names=0",
			"the server writes table names in lower case (lower_case_table_names is 1)")
	}
	return nil
}

// missing makes an error of a statement that failed for want of a right; other
// errors it returns as they are.
func (db *DB) missing(right string, err error) error {
	var server *mysql.MySQLError
	if !errors.As(err, &server) || !deniesAccess(server.Number) {
		return fmt.Errorf("trying what the user may do in the database %s: %w", db.cfg.DBName, err)
	}
	name := strings.NewReplacer("_", `\_`, "%", `\%`).Replace(quote(db.cfg.DBName)) // patterns in a GRANT
	remedy := fmt.Sprintf("on the server, as its administrator: GRANT SELECT, INSERT, CREATE, DROP, ALTER, INDEX, CREATE VIEW, CREATE TEMPORARY TABLES ON %s.* TO the user", name)
	return schema.Faultf(schema.FaultUsage, remedy, "the user lacks the right %s on the database %s: %w", right, db.cfg.DBName, err)
}

// deniesAccess tells the errors of a user who may not: to a database, at all, to
// a table, to a column, to an operation, to a routine.
func deniesAccess(number uint16) bool {
	switch number {
	case 1044, 1045, 1142, 1143, 1227, 1370:
		return true
	}
	return false
}
