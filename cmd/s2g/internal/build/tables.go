package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/memory"
	"s2g/schema/tables"
)

// noTables is the remedy for missing tables.
const noTables = "run s2g ingest (or s2g build) with this option out and option dump, and the option dsn of that run if it had one; s2g verify with option files-only needs no tables"

// OpenTables starts or joins the private server of Out, or opens the user's, without the lock of Out.
func (o *Options) OpenTables(ctx context.Context, access tables.Access) (*tables.DB, error) {
	return o.openTables(ctx, access, false)
}

func (o *Options) openTables(ctx context.Context, access tables.Access, locked bool) (*tables.DB, error) {
	server, err := o.Server()
	if err != nil {
		return nil, err
	}
	server.Access, server.Locked = access, locked
	if has := memory.Machine(); o.DSN == "" && has > 0 && o.Memory > has {
		return nil, schema.Faultf(schema.FaultResources, "give a smaller option db-memory", "too little memory: option db-memory is %s, this machine has %s",
			humanize.IBytes(uint64(o.Memory)), humanize.IBytes(uint64(has)))
	}
	return tables.Open(ctx, server)
}

// readTables is OpenTables for readers.
func (o *Options) readTables(ctx context.Context) (*tables.DB, error) {
	return o.OpenTables(ctx, tables.Read)
}

// private returns the unpublished folder of Out, which holds the tables; see [manifest.Dir.Private].
func (o *Options) private() (string, error) {
	abs, err := filepath.Abs(o.Out)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", o.Out, err)
	}
	return filepath.Join(abs, ".s2g"), nil
}

// Server returns the MariaDB that holds the tables.
func (o *Options) Server() (tables.ServerOptions, error) {
	private, err := o.private()
	return tables.ServerOptions{Dir: private, DSN: o.DSN, Memory: o.Memory, Log: o.Log}, err
}

// HasTables reports whether there is a database: the user's, or the private one in Out. A copy of a build has none.
func (o *Options) HasTables() (bool, error) {
	private, err := o.private()
	if err != nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(private, "db"))
	return err == nil || o.DSN != "", nil
}

// TablesOfNext reports whether the tables are those of the next build, which has read another dump than the build of the
// manifest and is not complete, or are becoming so.
func TablesOfNext(m *manifest.Manifest) bool {
	if manifest.ReadsNext(m.Base()) {
		return true
	}
	latest, err := manifest.ReadLatest(m.Base())
	return err == nil && m.Root() != latest.Root()
}

// WithTables runs work on the tables of the build in Out, without its lock. A missing database is a usage fault; it
// creates none.
func (o *Options) WithTables(ctx context.Context, m *manifest.Manifest, work func(*tables.DB) error) (err error) {
	if has, err := o.HasTables(); err != nil {
		return err
	} else if !has {
		return schema.Faultf(schema.FaultUsage, noTables, "%s has no tables", o.Out)
	}
	db, _, err := checkedTables(ctx, m, o.readTables)
	if db != nil {
		defer func() { err = errors.Join(err, db.Close()) }()
	}
	if err != nil {
		return err
	}
	return work(db)
}

// tablesKey returns the key of the tables that a manifest names.
func tablesKey(m *manifest.Manifest) (string, error) {
	if done := m.Stages[manifest.Ingest]; done != nil {
		return done.Key, nil
	}
	return "", schema.Faultf(schema.FaultUsage, noTables, "no dump has been read into this folder yet")
}

// checkedTables opens the tables and returns them with the key of their dump. Tables of another dump than the manifest's
// are a usage fault; the caller closes the tables also after an error.
func checkedTables(ctx context.Context, m *manifest.Manifest, open func(context.Context) (*tables.DB, error)) (db *tables.DB, key string, err error) {
	want, err := tablesKey(m)
	if err != nil {
		return nil, "", err
	}
	if db, err = open(ctx); err != nil {
		return nil, "", err
	}
	if key, err = db.DumpKey(ctx); err != nil {
		return db, "", err
	}
	if key != want {
		if TablesOfNext(m) {
			return db, "", schema.Faultf(schema.FaultUsage, "s2g build completes the next build and puts it in service; until then s2g verify with option files-only checks the one in service",
				"the tables are those of the next build, whose graph and vectors are not complete yet")
		}
		return db, "", schema.Faultf(schema.FaultUsage, noTables, "the tables are not those of the manifest: they hold dump %q, it names %q", key, want)
	}
	return db, key, nil
}

// openTables opens the tables at their first use. After an ingest they stay open as they are: a read-only server would
// begin with an empty buffer pool.
func (b *Build) openTables(ctx context.Context) (db *tables.DB, err error) {
	if b.db == nil {
		b.db, err = b.Options.openTables(ctx, tables.Read, true)
	}
	return b.db, err
}

// openForLoad opens the tables for an ingest. A private database with a table that cannot be read is made anew.
func (b *Build) openForLoad(ctx context.Context) (*tables.DB, error) {
	if b.db != nil && b.db.Access() == tables.Load {
		return b.db, nil
	}
	server, err := b.Options.Server()
	if err != nil {
		return nil, err
	}
	server.Access, server.Data, server.Locked = tables.Load, b.xml, true
	if b.damagedTables {
		if err := b.removeDatabase(server.Dir); err != nil {
			return nil, err
		}
	}
	table := ""
	if err = b.reopen(ctx, server); err == nil && b.db.Private() {
		table, err = b.db.Unreadable(ctx)
	}
	if table == "" && (!tables.IsDamage(err) || b.Options.DSN != "") {
		return b.db, err
	}
	if err := b.removeDatabase(server.Dir); err != nil {
		return nil, err
	}
	err = b.reopen(ctx, server)
	return b.db, err
}

// reopen closes the tables, if they are open, and opens them as given.
func (b *Build) reopen(ctx context.Context, server tables.ServerOptions) error {
	err := b.closeTables()
	if err == nil {
		b.db, err = tables.Open(ctx, server)
	}
	return err
}

func (b *Build) closeTables() (err error) {
	if b.db != nil {
		err = b.db.Close()
		b.db = nil
	}
	return err
}

// removeDatabase removes the private database in the given folder, whose tables are damaged.
func (b *Build) removeDatabase(folder string) error {
	b.Options.Log.Warn("files of the database are damaged; making it anew", "folder", folder)
	if err := b.closeTables(); err != nil {
		return err
	}
	b.damagedTables = false
	return tables.RemoveDatabase(folder, b.Dir.Tmp())
}

// Tables returns the tables of the dump in the manifest. Tables of another dump are a usage fault.
func (b *Build) Tables(ctx context.Context) (*tables.DB, error) {
	db, _, err := checkedTables(ctx, b.Dir.Manifest(), b.openTables)
	return db, err
}
