package tables

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The private server has two lock files, locked with flock: the kernel frees a
// lock when the last process that holds it is gone, however it went.
//
//	db.users   shared by every process that uses the server; exclusive by who
//	           stops it, so nobody can join a server that is on its way out
//	db.server  exclusive by the supervisor and its mariadbd as long as either
//	           lives, so no two servers meet on one datadir
const (
	usersLock  = "db.users"
	serverLock = "db.server"
)

// openLock opens a lock file, which is never removed: a lock on a file that
// another process has replaced would hold nobody off.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a lock: %w", err)
	}
	return f, nil
}

// tryLock takes the lock if nobody is in the way. how is syscall.LOCK_SH or LOCK_EX.
func tryLock(f *os.File, how int) (bool, error) {
	err := flock(f, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

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
