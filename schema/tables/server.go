package tables

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

const (
	pollEvery  = 20 * time.Millisecond
	tellEvery  = 5 * time.Second
	startLimit = 10 * time.Minute // recovery after a crash reads the log, which may be a gigabyte
)

// server is a private server as one of its users sees it.
type server struct {
	dir    string // OUT/.s2g, absolute
	socket string
	memory int64    // buffer pool, should it have to be started
	users  *os.File // holds the users lock, shared
	log    *slog.Logger
}

// join makes this process a user of dir's server, and starts the server if
// nobody has. A server that is being stopped is waited for.
func join(ctx context.Context, dir string, memory int64, log *slog.Logger) (*server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the database: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, tempDir), 0o700); err != nil {
		return nil, fmt.Errorf("making the database's folder: %w", err)
	}
	s := &server{dir: dir, memory: memory, log: log}
	if s.socket, err = socketPath(dir); err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "use a shorter --out", "%w", err)
	}
	if s.users, err = openLock(filepath.Join(dir, usersLock)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return nil, errors.Join(err, s.users.Close())
	}
	return s, nil
}

func (s *server) enter(ctx context.Context) error {
	err := s.poll(ctx, "waiting for a server that is being stopped", func() (bool, error) {
		return tryLock(s.users, syscall.LOCK_SH)
	})
	if err != nil {
		return err
	}
	var failed <-chan error // of the supervisor that this process has started
	return s.poll(ctx, "waiting for mariadbd to start", func() (bool, error) {
		select {
		case err := <-failed:
			if s.diskIsFull() || speaksOfFullDisk(err.Error()) {
				return false, schema.Faultf(schema.FaultResources, "free disk space and run again",
					"starting the private server: the disk of %s is full: %w", s.dir, err)
			}
			return false, schema.Faultf(schema.FaultService,
				"see the error log; if the database is beyond repair, remove "+filepath.Join(s.dir, dataDir)+" and ingest again",
				"starting the private server: %w", err)
		default:
		}
		if s.answers(ctx) {
			return true, nil
		}
		if failed != nil {
			return false, nil
		}
		held, err := openLock(filepath.Join(s.dir, serverLock))
		if err != nil {
			return false, err
		}
		defer held.Close() // the supervisor has its own
		if mine, err := tryLock(held, syscall.LOCK_EX); err != nil || !mine {
			return false, err // another user is starting it, or a killed one is not quite gone
		}
		failed, err = s.startSupervisor(held)
		return false, err
	})
}

// poll calls done until it says so. what is logged from time to time.
func (s *server) poll(ctx context.Context, what string, done func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	began, told := time.Now(), time.Now()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			err := fmt.Errorf("%s: %w", what, context.Cause(ctx))
			if errors.Is(err, context.DeadlineExceeded) {
				return schema.Faultf(schema.FaultService, "see "+filepath.Join(s.dir, dataDir, errorLog), "%w", err)
			}
			return err
		case <-tick.C:
		}
		if time.Since(told) > tellEvery {
			told = time.Now()
			s.log.Info(what, "seconds", int(time.Since(began).Seconds()))
		}
	}
}

// answers tells whether a server takes connections.
func (s *server) answers(ctx context.Context) bool {
	if _, err := os.Stat(s.socket); err != nil {
		return false
	}
	conns, err := newConnector(socketConfig(s.socket, ""), s.log)
	if err != nil {
		return false
	}
	c, err := conns.Connect(ctx)
	if err != nil {
		return false
	}
	_ = c.Close() // a connection that was good
	return true
}

// startSupervisor starts this program again as the server's supervisor, which
// takes over the lock held. The channel gets the reason of a start that failed.
func (s *server) startSupervisor(held *os.File) (<-chan error, error) {
	p, err := findProgram()
	if err != nil {
		return nil, err
	}
	memory := s.memory
	if memory == 0 {
		memory = DefaultMemory()
	}
	value, err := json.Marshal(order{p, s.dir, s.socket, memory})
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	report, reporter, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the supervisor: %w", err)
	}
	defer reporter.Close()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), superviseEnv+"="+string(value))
	cmd.Dir = s.dir
	cmd.ExtraFiles = []*os.File{held, reporter}          // heldFD, reportFD; its standard streams are /dev/null
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is for the user, who then stops it in good order
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the supervisor: %w", err), report.Close())
	}
	failed := make(chan error, 1)
	go func() {
		defer report.Close()
		message, _ := io.ReadAll(report) // ends with the supervisor; a part says more than nothing
		err := cmd.Wait()
		switch {
		case len(message) > 0:
			failed <- errors.New(string(message))
		case err != nil:
			failed <- fmt.Errorf("its supervisor has ended: %w", err)
		default:
			failed <- errors.New("its supervisor has ended")
		}
	}()
	return failed, nil
}

// leave ends the use of the server. The last user shuts it down, and waits
// until it and its supervisor are gone; the supervisor does the same for users
// that are killed.
func (s *server) leave() error {
	defer s.users.Close()
	last, err := tryLock(s.users, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	if !last {
		// Others use it. Or the supervisor, between the two locks, has found it unused, and is stopping it.
		if others, err := tryLock(s.users, syscall.LOCK_SH); err != nil || others {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*stopTimeout)
	defer cancel()
	if last {
		s.shutdown(ctx)
	}
	return s.poll(ctx, "waiting for mariadbd to stop", s.gone)
}

// shutdown asks the server to stop. One that does not answer has ended, or will
// be stopped by its supervisor.
func (s *server) shutdown(ctx context.Context) {
	conns, err := newConnector(socketConfig(s.socket, ""), s.log)
	if err != nil {
		return
	}
	c, err := conns.Connect(ctx)
	if err != nil {
		return
	}
	defer c.Close()
	if x, ok := c.(driver.ExecerContext); ok {
		_, err = x.ExecContext(ctx, "SHUTDOWN", nil)
		s.log.Debug("shut down", "error", err)
	}
}

// gone tells whether neither a server nor its supervisor lives.
func (s *server) gone() (bool, error) {
	held, err := openLock(filepath.Join(s.dir, serverLock))
	if err != nil {
		return false, err
	}
	defer held.Close()
	return tryLock(held, syscall.LOCK_EX)
}

// explain tells of an error of a connection whether the server has ended.
func (s *server) explain(err error) error {
	var network *net.OpError
	if !errors.Is(err, mysql.ErrInvalidConn) && !errors.Is(err, driver.ErrBadConn) && !errors.As(err, &network) {
		return err
	}
	if !s.goneSoon() {
		return err
	}
	tail := logTail(s.dir)
	if s.diskIsFull() || speaksOfFullDisk(tail) {
		return schema.Faultf(schema.FaultResources, "free disk space and run again",
			"the private mariadbd has ended, and the disk of %s is full: %w; its log ends:\n%s", s.dir, err, tail)
	}
	return schema.Faultf(schema.FaultService, "run again; the whole log is "+filepath.Join(s.dir, dataDir, errorLog),
		"the private mariadbd has ended: %w; its log ends:\n%s", err, tail)
}

// fullDisk is how few bytes are left on a disk that a server fails for: files of
// tables and indexes grow by up to 4 MiB, and sorts by their buffers.
const fullDisk = 32 << 20

// diskIsFull tells whether the disk of the database has no room.
func (s *server) diskIsFull() bool {
	var st syscall.Statfs_t
	if err := syscall.Statfs(s.dir, &st); err != nil {
		return false
	}
	return st.Bavail*uint64(st.Bsize) < fullDisk
}

// goneSoon is gone for a server whose connections have just broken: its
// process takes a moment longer to end than its sockets.
func (s *server) goneSoon() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.poll(ctx, "waiting for mariadbd to end", s.gone) == nil
}

// peakRSS is the server's VmHWM.
func (s *server) peakRSS() int64 {
	pid := readInt(filepath.Join(s.dir, dataDir, pidFile))
	if pid == 0 {
		return 0
	}
	return statusKiB(fmt.Sprintf("/proc/%d/status", pid), "VmHWM:")
}
