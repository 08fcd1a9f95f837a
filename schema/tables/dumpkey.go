package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"
)

// dumpTable has one row: the key of the dump that the tables in service were
// loaded from. It is swapped with them, so it is never of another dump.
const dumpTable = "S2GDump"

const noSuchTable = 1146 // ER_NO_SUCH_TABLE

// DumpKey returns the key that Swap recorded, empty if no tables are in service.
func (db *DB) DumpKey(ctx context.Context) (string, error) {
	var key string
	err := db.pool.QueryRowContext(ctx, "SELECT DumpKey FROM "+quote(dumpTable)).Scan(&key)
	var server *mysql.MySQLError
	if errors.Is(err, sql.ErrNoRows) || errors.As(err, &server) && server.Number == noSuchTable {
		return "", nil
	}
	if err != nil {
		return "", db.explain(fmt.Errorf("reading which dump the tables are of: %w", err))
	}
	return key, nil
}

func (db *DB) stageDumpKey(ctx context.Context, key string) error {
	name := quote(staging(dumpTable))
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
