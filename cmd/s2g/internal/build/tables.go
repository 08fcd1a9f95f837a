package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// noTables is the remedy where the tables of a build are elsewhere or nowhere.
const noTables = "run s2g ingest (or s2g build) with this --out and --dump, and the --dsn of that run if it had one; s2g verify --files-only needs no tables"

// OpenTables starts or joins the private server of Out, or opens the user's.
func (o *Options) OpenTables(ctx context.Context) (*tables.DB, error) {
	server, err := o.Server()
	if err != nil {
		return nil, err
	}
	return tables.Open(ctx, server)
}

// HasTables reports whether there is a database to read: the user's, or one that an ingest has left in Out. A build
// that was copied elsewhere has none.
func (o *Options) HasTables() (bool, error) {
	private, err := o.private()
	if err != nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(private, "db"))
	return err == nil || o.DSN != "", nil
}

// WithTables runs work on the tables of the build in Out, without its lock. Where there is no database it returns a
// usage fault and makes none.
func (o *Options) WithTables(ctx context.Context, m *manifest.Manifest, work func(*tables.DB) error) (err error) {
	if has, err := o.HasTables(); err != nil {
		return err
	} else if !has {
		return schema.Faultf(schema.FaultUsage, noTables, "%s has no tables", o.Out)
	}
	var db *tables.DB
	defer func() {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	_, err = tablesKey(ctx, m, func(ctx context.Context) (*tables.DB, error) {
		var err error
		db, err = o.OpenTables(ctx)
		return db, err
	})
	if err != nil {
		return err
	}
	return work(db)
}

// tablesKey returns the key of the tables that the manifest names. Where the server holds others it returns a usage
// fault.
func tablesKey(ctx context.Context, m *manifest.Manifest, open func(context.Context) (*tables.DB, error)) (string, error) {
	done := m.Stages[manifest.Ingest]
	if done == nil {
		return "", schema.Faultf(schema.FaultUsage, noTables, "no dump has been read into this folder yet")
	}
	db, err := open(ctx)
	if err != nil {
		return "", err
	}
	held, err := db.DumpKey(ctx)
	if err != nil {
		return "", err
	}
	if held != done.Key {
		return "", schema.Faultf(schema.FaultUsage, noTables, "the tables are not those of the manifest: they hold dump %q, it names %q", held, done.Key)
	}
	return done.Key, nil
}
