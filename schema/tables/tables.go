// Package tables keeps the tables of a dump in MariaDB: it starts or joins the
// server, loads tables in bulk, puts them in service together, and streams
// ordered scans of them to the stages that follow.
//
// By default the server is private: a mariadbd whose data, socket and settings
// lie under OUT/.s2g, shared by all commands on that folder and stopped by the
// last one. Options.DSN names a server of the user's in its place.
//
// A load goes in this order, and nothing of it can be seen before the last step:
//
//	Stage   an empty NAME_new, primary key only
//	Load    rows into it, with LOAD DATA LOCAL INFILE
//	Index   its secondary indexes, cheaper on a full table
//	Swap    every NAME_new becomes NAME in one RENAME TABLE
//
// CheckRights tells beforehand whether a user's server will allow it, TableIntact
// whether an earlier process has got as far as it says.
//
// stage.go, load.go, whole.go, rights.go, views.go and dumpkey.go know tables; the other files know only SQL,
// or only the server process.
package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/go-sql-driver/mysql"
)

// Options says which server to use. One of Dir and DSN is needed.
type Options struct {
	Dir    string       // OUT/.s2g: where the private server lives
	DSN    string       // go-sql-driver's DSN of the user's own server, with a database; empty: the private server
	Memory int64        // buffer pool of a private server that has to be started, bytes; 0: DefaultMemory
	Log    *slog.Logger // nil: nothing is logged
}

// DB is an open set of tables. Its methods may be called concurrently.
type DB struct {
	pool   *sql.DB
	cfg    *mysql.Config
	conns  connector
	idle   queryConns
	server *server // nil on the user's own server
	log    *slog.Logger
	closed sync.Once
}

// Open connects to the user's server, or joins the private one and starts it
// if it does not run. The server is checked to be MariaDB 10.6 or newer.
func Open(ctx context.Context, o Options) (*DB, error) {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if o.DSN != "" {
		cfg, err := parseDSN(o.DSN)
		if err != nil {
			return nil, err
		}
		return connect(ctx, cfg, nil, log)
	}
	srv, err := join(ctx, o.Dir, o.Memory, log)
	if err != nil {
		return nil, err
	}
	cfg := socketConfig(srv.socket, "")
	if err := createDatabase(ctx, cfg); err != nil {
		return nil, errors.Join(srv.explain(err), srv.leave())
	}
	cfg.DBName = privateDatabase
	db, err := connect(ctx, cfg, srv, log)
	if err != nil {
		return nil, errors.Join(srv.explain(err), srv.leave())
	}
	return db, nil
}

func connect(ctx context.Context, cfg *mysql.Config, srv *server, log *slog.Logger) (*DB, error) {
	conns, err := newConnector(cfg, log)
	if err != nil {
		return nil, err
	}
	db := &DB{pool: sql.OpenDB(conns), cfg: cfg, conns: conns, server: srv, log: log}
	if err := checkServer(ctx, db.pool); err != nil {
		return nil, errors.Join(err, db.pool.Close())
	}
	return db, nil
}

// Close lets go of the server. The last user of a private server waits until
// it has stopped. Closing again does nothing.
func (db *DB) Close() error {
	var err error
	db.closed.Do(func() {
		db.idle.close()
		_ = db.pool.Close() // a connection that a server has left cannot be closed in good order, and nothing is lost with it
		if db.server != nil {
			err = db.server.leave()
		}
	})
	if err != nil {
		return fmt.Errorf("closing the tables: %w", err)
	}
	return nil
}

// DSN returns what other clients connect with, without the password.
func (db *DB) DSN() string { return publicDSN(db.cfg) }

// SQL returns the connection pool, for statements whose results are small.
// Its sessions run in UTC and in strict mode; parameters are interpolated by
// the client. Query is the faster way to read many rows.
func (db *DB) SQL() *sql.DB { return db.pool }

// PeakRSS returns the highest resident memory that the private mariadbd has
// had since it started, in bytes; 0 where that is not known.
func (db *DB) PeakRSS() int64 {
	if db.server == nil {
		return 0
	}
	return db.server.peakRSS()
}

// explain adds to an error of a statement what is known about its cause: that
// the private server is gone, or what kind of fault the server named.
func (db *DB) explain(err error) error {
	if db.server != nil {
		err = db.server.explain(err)
	}
	return classify(err)
}
