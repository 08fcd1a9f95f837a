package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

// probeTable is the table that CheckRights creates and drops.
const probeTable = "S2GProbe"

// rights returns the rights that a load requires, each with a statement that
// needs it, in the order of the attempts: DROP precedes CREATE, so that no table
// remains. Reading the grants would miss those of roles, patterns and PUBLIC.
func rights() []struct{ right, statement string } {
	probe, moved := quote(probeTable), quote(retiredName(probeTable))
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

// CheckRights checks, before hours of work, that a load into a user's server can
// succeed: that the user has the rights, and that the server accepts rows from a
// client. Its error is a usage fault that names what is missing.
func (db *DB) CheckRights(ctx context.Context) error {
	if db.server != nil {
		return nil // it has no grants, and s2g sets its settings
	}
	for _, r := range rights() {
		if err := db.exec(ctx, r.statement); err != nil {
			_ = db.exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+quote(probeTable)) // the first error is the one to return
			return db.rightError(r.right, err)
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
	return db.explain(checkNameCase(ctx, conn))
}

// checkNameCase rejects a server that stores table names in lower case.
func checkNameCase(ctx context.Context, conn *sql.Conn) error {
	var folding int
	if err := conn.QueryRowContext(ctx, "SELECT @@lower_case_table_names").Scan(&folding); err != nil {
		return err
	}
	if folding == 1 {
		return schema.Faultf(schema.FaultUsage, "use a server with lower_case_table_names=0",
			"the server stores table names in lower case (lower_case_table_names is 1)")
	}
	return nil
}

// rightError returns the error of a statement that tried a right: a usage fault
// where the user lacks it.
func (db *DB) rightError(right string, err error) error {
	var server *mysql.MySQLError
	if !errors.As(err, &server) || !slices.Contains(accessDenied, server.Number) {
		return fmt.Errorf("trying the user's rights on the database %s: %w", db.cfg.DBName, err)
	}
	name := strings.NewReplacer("_", `\_`, "%", `\%`).Replace(quote(db.cfg.DBName)) // patterns in a GRANT
	remedy := fmt.Sprintf("on the server, as its administrator: GRANT SELECT, INSERT, CREATE, DROP, ALTER, INDEX, CREATE VIEW, CREATE TEMPORARY TABLES ON %s.* TO the user", name)
	return schema.Faultf(schema.FaultUsage, remedy, "the user lacks the right %s on the database %s: %w", right, db.cfg.DBName, err)
}
