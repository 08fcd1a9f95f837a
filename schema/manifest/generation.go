package manifest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"s2g/schema"
)

// generationLock is the name in OUT/.s2g of the file that readers of a build lock
// shared while they read, and that a swap locks alone.
const generationLock = "generation"

const (
	lockPoll    = 20 * time.Millisecond
	readersWait = time.Minute // a swap takes milliseconds
)

// Generation is a build in service that this process reads. A swap waits until all
// are released.
type Generation struct{ lock *os.File }

// HoldGeneration keeps the build in OUT in service until the result is released or
// the process ends. Where another process swaps, it waits for the end of that, and a
// process that overwrites in place is a service fault; a swap that was interrupted it
// completes. A folder in which this user can create no lock
// file, as a copy on a read-only disk, is read without one. A swap that this user
// cannot complete is a service fault.
func HoldGeneration(ctx context.Context, out string) (*Generation, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	deadline := time.Now().Add(readersWait)
	for {
		g, err := tryHold(abs)
		if err != nil || g != nil && !isInterrupted(abs) {
			return g, err
		}
		if g == nil && exists(overwritePath(abs)) {
			return nil, busyFault(abs, cmp.Or(soleHolder(abs), "(unknown)"))
		}
		if g != nil {
			if err := g.Release(); err != nil {
				return nil, err
			}
			if done, err := tryComplete(abs); done || err != nil {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		if time.Now().After(deadline) {
			return nil, schema.Faultf(schema.FaultService, "run again when the other process has ended; s2g build with the same option out completes the swap",
				"%s is between two builds: its swap has not ended", out)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// tryHold locks the generation shared. It returns nil where a swap holds it, and one
// without a file where this user cannot create one.
func tryHold(base string) (*Generation, error) {
	f, err := openGeneration(base)
	if err != nil {
		if isRefused(err) && !isInterrupted(base) {
			return &Generation{}, nil
		}
		return nil, fmt.Errorf("taking the lock of readers of %s: %w", base, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return &Generation{f}, nil
	}
	err = errors.Join(err, f.Close())
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	if errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EOPNOTSUPP) {
		return &Generation{}, nil // a file system without locks
	}
	return nil, fmt.Errorf("taking the lock of readers of %s: %w", base, err)
}

func openGeneration(base string) (*os.File, error) {
	path := filepath.Join(base, ".s2g", generationLock)
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o600) // of a pipe, too, it returns at once
	if errors.Is(err, syscall.EROFS) {
		f, err = schema.OpenRegular(path)
	}
	return f, err
}

// isRefused reports whether the lock file can neither be created nor opened here: no
// build can swap in such a folder, or not under this user.
func isRefused(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}

// Release ends the reading.
func (g *Generation) Release() error {
	if g == nil || g.lock == nil {
		return nil
	}
	return unlockFolder(g.lock)
}

// lockGeneration locks the generation alone. It calls waiting once if readers hold
// it.
func lockGeneration(ctx context.Context, base string, waiting func()) (*os.File, error) {
	f, err := openGeneration(base)
	if err != nil {
		return nil, fmt.Errorf("taking the lock of readers of %s: %w", base, err)
	}
	for began := true; ; began = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EOPNOTSUPP) {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("taking the lock of readers of %s: %w", base, err), f.Close())
		}
		if began && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-time.After(lockPoll):
		}
	}
}

// CheckComplete returns an error if a run in place has not ended that replaces outputs
// of the build of the manifest, or makes its first ones: a service fault while the run
// lasts, else a usage fault.
func (m *Manifest) CheckComplete() error {
	if m.Stages[Vectors] == nil && exists(marksFolder(m.root, Vectors)) {
		return schema.Faultf(schema.FaultUsage, "let every rank end, then run s2g vectors with option merge", "the vectors of the build in %s are not merged", m.root)
	}
	for _, stage := range []string{Ingest, Graph, Vectors} {
		key, _, err := readJournal(journalPath(m.root, stage))
		if err != nil || key == "" || m.Fresh(stage, key) {
			continue // a folder that cannot be read has no run, either
		}
		f, err := schema.OpenRegular(filepath.Join(m.root, ".s2g", "lock"))
		if err != nil {
			continue
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		_ = unlockFolder(f)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return schema.Faultf(schema.FaultService, "run again when the other command has ended", "another command writes %s into %s", stage, m.root)
		}
		return schema.Faultf(schema.FaultService, "run the same command again, which completes it", "the build in %s is not complete: a run of %s was interrupted", m.root, stage)
	}
	return nil
}

// Overwrite begins runs that overwrite the build in service in place, until
// EndOverwrite or Close: it waits until no process reads that, and calls waiting once if
// it must. Readers end with a service fault meanwhile.
func (d *Dir) Overwrite(ctx context.Context, waiting func()) error {
	if d.overwrites != nil {
		return nil
	}
	lock, err := lockGeneration(ctx, d.base, waiting)
	if err != nil {
		return err
	}
	d.overwrites = lock
	if err := os.WriteFile(overwritePath(d.base), nil, 0o600); err != nil {
		return errors.Join(fmt.Errorf("overwriting the build in %s: %w", d.base, err), d.EndOverwrite())
	}
	return nil
}

// EndOverwrite lets readers in again.
func (d *Dir) EndOverwrite() error {
	if d.overwrites == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(overwritePath(d.base)), unlockFolder(d.overwrites))
	d.overwrites = nil
	return err
}

// overwritePath returns the path of the mark of a process that holds the generation
// alone for longer than a swap. Without such a process it has no meaning.
func overwritePath(base string) string { return filepath.Join(base, ".s2g", "overwrite") }
