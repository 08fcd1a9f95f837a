package projection

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"s2g/schema"
	"s2g/schema/tables"
)

// Read passes the posts in service in the order of their ids: those of the file, or of
// one scan of the table. begin receives their number, at least, and returns the function
// that receives each; a post is valid until that returns. Where the file turns out to be
// damaged, Read logs it and calls begin again.
func Read(ctx context.Context, db *tables.DB, begin func(rows int64) (use func(*Post), err error)) error {
	key, err := db.DumpKey(ctx)
	if err != nil {
		return err
	}
	folder, _ := db.Folder()
	if folder == "" || key == "" {
		return scan(ctx, db, begin, func(*Post) {})
	}
	name := path(folder, key)
	err = readFile(ctx, db, name, key, begin)
	var unusable *unusableError
	switch {
	case err == nil || !errors.As(err, &unusable):
		return err
	case !errors.Is(err, fs.ErrNotExist):
		db.Log().Warn("the projection of Posts is not usable; scanning the table", "file", name, "error", err)
	}
	return scanAndKeep(ctx, db, key, begin)
}

// unusableError is a fault of the file, for which a scan makes up.
type unusableError struct{ error }

func (e *unusableError) Unwrap() error { return e.error }

func readFile(ctx context.Context, db *tables.DB, name, key string, begin func(int64) (func(*Post), error)) error {
	f, err := schema.OpenRegular(name)
	if err != nil {
		return &unusableError{err}
	}
	defer f.Close()
	r, err := newReader(f, key)
	if err != nil {
		return &unusableError{err}
	}
	// Other programs may change the tables of a user's server.
	if !db.Private() {
		rows, last, err := extent(ctx, db)
		if err != nil {
			return err
		}
		if rows != r.rows || last != r.last {
			return &unusableError{fmt.Errorf("it has %d posts up to %d, the table has %d up to %d", r.rows, r.last, rows, last)}
		}
	}
	use, err := begin(r.rows)
	if err != nil {
		return err
	}
	for {
		p, err := r.next()
		if err != nil {
			return &unusableError{err}
		}
		if p == nil {
			return nil
		}
		use(p)
		if r.read%contextPosts == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// contextPosts is the number of posts after which a reader checks its context.
const contextPosts = 1 << 14

// extent returns the number of posts and the highest id.
func extent(ctx context.Context, db *tables.DB) (rows, last int64, err error) {
	if err := db.ReadRow(ctx, []any{&rows, &last}, "SELECT COUNT(*), COALESCE(MAX(Id), 0) FROM Posts"); err != nil {
		return 0, 0, fmt.Errorf("counting posts: %w", err)
	}
	return rows, last, nil
}

// scanAndKeep scans the table. Under the lock of OUT it also writes the file. Without the
// file the build is the same, so errors of that are logged.
func scanAndKeep(ctx context.Context, db *tables.DB, key string, begin func(int64) (func(*Post), error)) error {
	folder, locked := db.Folder()
	if !locked {
		return scan(ctx, db, begin, func(*Post) {})
	}
	w, failed := NewWriter(folder, key)
	err := scan(ctx, db, begin, func(p *Post) {
		if failed == nil {
			failed = w.Add(p)
		}
	})
	if err == nil && failed == nil {
		failed = w.commitIfInService(ctx, db, folder)
	}
	if w != nil {
		failed = errors.Join(failed, w.Close())
	}
	if failed != nil && err == nil {
		db.Log().Warn("the projection of Posts is not stored; the next stage scans the table again", "error", failed)
	}
	return err
}

// commitIfInService commits the file unless a load has replaced the tables meanwhile.
func (w *Writer) commitIfInService(ctx context.Context, db *tables.DB, folder string) error {
	key, err := db.DumpKey(ctx)
	if err != nil || key != w.key {
		return err
	}
	if err := w.Commit(folder); err != nil {
		return err
	}
	return RemoveOthers(folder, key)
}
