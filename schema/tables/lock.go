package tables

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The lock files of the private server. They are locked with flock: the kernel
// frees a lock when the last process that holds it ends, even if it is killed.
//
//	db.users   held shared by every user of the server; held exclusively by the
//	           process that stops it, so that no user joins a stopping server
//	db.server  held exclusively by the supervisor and its mariadbd while either
//	           runs, so that a datadir never has two servers
const (
	usersLock  = "db.users"
	serverLock = "db.server"
)

// openLock opens a lock file. Lock files are never removed, because the lock of a
// file that another process has replaced excludes nobody.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a lock: %w", err)
	}
	return f, nil
}

// tryLock takes the lock and reports whether it was free. how is syscall.LOCK_SH or
// LOCK_EX.
func tryLock(f *os.File, how int) (bool, error) {
	err := flock(f, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock releases a lock and closes its file. Closing alone is not enough: a child
// process that is between fork and exec has a copy of the file, and with it the lock.
func unlock(f *os.File) error {
	return errors.Join(flock(f, syscall.LOCK_UN), f.Close())
}

// flock takes the lock, and waits for it unless how has syscall.LOCK_NB.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("locking %s: %w", f.Name(), err)
		}
	}
}
