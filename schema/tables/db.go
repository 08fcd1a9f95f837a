// Package tables keeps the tables of a dump in MariaDB: it starts or joins the
// server, loads tables in bulk, puts them in service together, and streams
// ordered scans of them to the other stages.
//
// By default the server is private: a mariadbd whose data, socket and settings
// are in OUT/.s2g. All commands on that folder share it, and the last one stops
// it. ServerOptions.DSN names a server of the user instead.
//
// A load has four steps. Readers see the tables of the earlier load until the last:
//
//	Stage   create an empty NAME_new with its primary key only
//	Load    insert the rows with LOAD DATA LOCAL INFILE
//	Index   add the secondary indexes, which is cheaper on a full table
//	Swap    rename every NAME_new to NAME in one RENAME TABLE
//
// CheckRights reports before a load whether a user's server allows it.
// TableIntact reports after an interruption whether a loaded table is complete.
//
// staging.go, load.go and rights.go depend on the tables of
// package schema; the other files depend only on SQL and the server process.
package tables

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
	"s2g/schema/remote"
)

// ServerOptions chooses the server. One of Dir and DSN is required.
type ServerOptions struct {
	Dir    string // OUT/.s2g: the folder of the private server, and of files beside the tables
	DSN    string // go-sql-driver's DSN of a user's server, with a database; empty: the private server
	Access Access // the zero value reads
	Locked bool   // this process holds the lock of OUT alone, until Close

	// Of a private server that Open starts:
	Memory int64 // buffer pool in bytes; 0: DefaultMemory
	Data   int64 // bytes of the dump as XML in UTF-8, for Load; 0: unknown

	Log *slog.Logger // nil: no log
}

// DB is an open set of tables. Its methods may be called concurrently.
type DB struct {
	pool   *sql.DB
	cfg    *mysql.Config
	conns  driver.Connector
	idle   connPool
	server *server // nil: a user's server
	access Access
	folder string // ServerOptions.Dir
	locked bool
	log    *slog.Logger
	closed sync.Once
}

// Open connects to the user's server, or joins the private one and starts it
// where it does not run. The server must be MariaDB 10.6 or newer.
func Open(ctx context.Context, o ServerOptions) (*DB, error) {
	db, err := openServer(ctx, o)
	if err != nil {
		return nil, err
	}
	db.folder, db.locked = o.Dir, o.Locked
	return db, nil
}

func openServer(ctx context.Context, o ServerOptions) (*DB, error) {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if o.DSN != "" {
		cfg, err := parseDSN(o.DSN)
		if err != nil {
			return nil, err
		}
		return connect(ctx, cfg, o.Access, nil, log)
	}
	srv, err := join(ctx, o, log)
	if err != nil {
		return nil, err
	}
	var db *DB
	cfg := socketConfig(srv.socket, "")
	if o.Access != Read {
		err = createDatabase(ctx, cfg)
	}
	if err == nil {
		cfg.DBName = privateDatabase
		db, err = connect(ctx, cfg, o.Access, srv, log)
	}
	if err != nil {
		return nil, errors.Join(srv.explain(err), srv.leave())
	}
	return db, nil
}

func createDatabase(ctx context.Context, cfg *mysql.Config) error {
	conns, err := newConnector(cfg, Load, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(conns)
	defer pool.Close()
	_, err = pool.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+privateDatabase+" CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
	if err != nil {
		return fmt.Errorf("creating the database of the private server: %w", err)
	}
	return nil
}

func connect(ctx context.Context, cfg *mysql.Config, access Access, srv *server, log *slog.Logger) (*DB, error) {
	conns, err := newConnector(cfg, access, log)
	if err != nil {
		return nil, err
	}
	db := &DB{pool: sql.OpenDB(conns), cfg: cfg, conns: conns, server: srv, access: access, log: log}
	if err := db.checkServer(ctx); err != nil {
		return nil, errors.Join(err, db.pool.Close())
	}
	return db, nil
}

// checkServer connects to the server and checks its version.
func (db *DB) checkServer(ctx context.Context) error {
	within, cancel := ctx, context.CancelFunc(func() {})
	if db.server == nil { // another server at the port may wait for a request
		within, cancel = context.WithTimeout(ctx, answerTimeout)
	}
	defer cancel()
	var version string
	err := db.pool.QueryRowContext(within, "SELECT VERSION()").Scan(&version)
	switch {
	case err == nil:
		return checkVersion(version)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	failed := fmt.Errorf("connecting to the database: %w", classify(err))
	if _, answered := errors.AsType[*mysql.MySQLError](err); !answered && db.server == nil {
		return db.describePeer(ctx, failed)
	}
	if fault, _ := schema.FaultOf(failed); fault == schema.FaultOurs {
		return schema.Faultf(schema.FaultService, "check that the server runs and that the DSN is right", "%w", failed)
	}
	return failed
}

// answerTimeout limits the first query to a user's server.
const answerTimeout = 15 * time.Second

// describePeer returns the fault of a user's server that sends no answer of MariaDB, with what answers in its place.
func (db *DB) describePeer(ctx context.Context, err error) error {
	if fault, _ := schema.FaultOf(err); fault == schema.FaultUsage {
		return err // the DSN requires what the server lacks
	}
	remedy := "check that the server runs and that the DSN is right"
	if db.cfg.Net == "tcp" {
		switch p := remote.Identify(ctx, db.cfg.Addr); {
		case p.Protocol == remote.Silent:
			remedy += "; at " + db.cfg.Addr + " is " + p.Name
		case p.Name != "" && p.Name != "MariaDB or MySQL":
			return schema.Faultf(schema.FaultUsage, "give the port of MariaDB, by default 3306", "%s answers at %s in place of MariaDB", p.Name, db.cfg.Addr)
		}
	}
	return schema.Faultf(schema.FaultService, remedy, "%w", err)
}

// Close ends the use of the server. The last user of a private server stops it
// and waits for its end. A second Close does nothing.
func (db *DB) Close() error {
	var err error
	db.closed.Do(func() {
		db.idle.close()
		_ = db.pool.Close() // an error means that the server has closed a connection first
		if db.server != nil {
			err = db.server.leave()
		}
	})
	if err != nil {
		return fmt.Errorf("closing the tables: %w", err)
	}
	return nil
}

// DSN returns the DSN for other clients, without the password.
func (db *DB) DSN() string { return publicDSN(db.cfg) }

// SQL returns the connection pool, for statements with small results; Query reads
// many rows faster. The pool's sessions have UTC and strict mode, and the client
// interpolates parameters.
func (db *DB) SQL() *sql.DB { return db.pool }

// Private reports whether the server is a private one, whose tables no other program
// changes.
func (db *DB) Private() bool { return db.server != nil }

// Folder returns OUT/.s2g, the folder of files beside the tables, and whether this
// process may write there: it holds the lock of OUT. The folder of a user's server may be
// unknown, "".
func (db *DB) Folder() (path string, locked bool) { return db.folder, db.locked }

// Log returns the log of the tables' user.
func (db *DB) Log() *slog.Logger { return db.log }

// Access returns the access that the tables were opened with.
func (db *DB) Access() Access { return db.access }

// ReadOnlyServer reports whether the server is a private one that changes no table.
func (db *DB) ReadOnlyServer() (bool, error) {
	if db.server == nil {
		return false, nil
	}
	running, err := runningAccess(db.server.dir)
	return running == Read, err
}

// PeakRSS returns the largest resident set of the private mariadbd since its
// start, in bytes; 0 if it is unknown.
func (db *DB) PeakRSS() int64 {
	if db.server == nil {
		return 0
	}
	return db.server.peakRSS()
}

// ReadRow runs a query with one row and stores its values in dest, as
// database/sql's Row.Scan does.
func (db *DB) ReadRow(ctx context.Context, dest []any, query string, args ...any) error {
	return db.explain(db.pool.QueryRowContext(ctx, query, args...).Scan(dest...))
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

// explain adds the cause of a statement's error: the end of the private server,
// or the class of the server's error. After one of damaged files the next build
// compares the tables, though the sizes and times of their files are as before.
func (db *DB) explain(err error) error {
	if db.server == nil {
		return classify(err)
	}
	if IsDamage(err) {
		_ = removeFilesRecord(db.server.dir) // the error of the table is the one to report
	}
	return classify(db.server.explain(err))
}

// quote returns name as an SQL identifier.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
