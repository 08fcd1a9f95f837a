package build

import (
	"context"
	"maps"
	"slices"
	"sync"

	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// tablesAltered reports whether the tables are not those that the ingest of the given key left, if the manifest has it:
// the database was removed, a table is missing or was changed, or the option dsn names another server. It starts no
// server where the files of the private database are those of the ingest, and reads all rows only where a server may
// have changed them.
func (b *Build) tablesAltered(ctx context.Context, key string) (bool, error) {
	m := b.Dir.Manifest()
	if !m.Fresh(manifest.Ingest, key) {
		return false, nil
	}
	difference, err := b.alteration(ctx, m, key)
	if tables.IsDamage(err) && b.Options.DSN == "" {
		b.damagedTables = true
		difference, err = err.Error(), nil
	}
	if err != nil || difference == "" {
		return false, err
	}
	b.Options.Log.Warn("the tables are not those of the dump; reading it again", "difference", difference)
	return true, nil
}

// alteration returns the first difference between the tables and those that the ingest of the given key left, empty
// where there is none.
func (b *Build) alteration(ctx context.Context, m *manifest.Manifest, key string) (difference string, err error) {
	names := slices.Collect(maps.Keys(m.Dump.Tables))
	files := tables.FilesSame // of a user's server: unknown, and verify's to compare
	if b.Options.DSN == "" {
		files, err = tables.LookAtFiles(b.Dir.Private(), names)
		switch {
		case err != nil:
			return "", err
		case files == tables.FilesMissing:
			return "the database lacks a table", nil
		case files == tables.FilesSame:
			return "", nil
		}
	}
	db, err := b.openTables(ctx)
	if err != nil {
		return "", err
	}
	held, err := db.DumpKey(ctx)
	switch {
	case err != nil:
		return "", err
	case held != key:
		return "they hold another dump, or none", nil
	}
	fingerprints, stored := m.Dump.Fingerprints()
	if files == tables.FilesSame || !stored {
		return db.Look(ctx, names)
	}
	b.Options.Log.Info("comparing the tables with the fingerprints of the ingest, because a server may have changed them")
	difference, err = b.compareTables(ctx, db, m.Dump, fingerprints)
	if err != nil || difference != "" {
		return difference, err
	}
	if readOnly, err := db.ReadOnlyServer(); err != nil || !readOnly {
		return "", err
	}
	return "", tables.RecordFiles(b.Dir.Private())
}

func (b *Build) compareTables(ctx context.Context, db *tables.DB, d manifest.Dump, fingerprints map[string]string) (difference string, err error) {
	var all, read int64
	for _, t := range d.Tables {
		all += t.Rows
	}
	progress, end := b.Options.Progress(manifest.Ingest)
	defer end()
	var mu sync.Mutex
	_, difference, err = db.Compare(ctx, fingerprints, b.Options.Workers, func(rows int64) {
		mu.Lock()
		defer mu.Unlock()
		read += rows
		progress("rows compared", read, all)
	})
	return difference, err
}

// lookAtTables returns the state of the files of the private database that should hold the tables. It starts no server.
func (o *Options) lookAtTables(m *manifest.Manifest) (tables.FilesState, error) {
	has, err := o.HasTables()
	if err != nil || !has || o.DSN != "" || m.Stages[manifest.Ingest] == nil {
		return tables.FilesSame, err
	}
	private, err := o.private()
	if err != nil {
		return tables.FilesSame, err
	}
	return tables.LookAtFiles(private, slices.Collect(maps.Keys(m.Dump.Tables)))
}
