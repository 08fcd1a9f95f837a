package tables

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"s2g/schema"
	"s2g/schema/memory"
)

const (
	pollEvery  = 20 * time.Millisecond
	logEvery   = 5 * time.Second
	startLimit = 10 * time.Minute // recovery after a crash reads the log, which may be a gigabyte
)

// server is a private server from the view of one of its users.
type server struct {
	dir    string // OUT/.s2g, absolute
	socket string
	memory int64    // buffer pool in bytes, where this user starts the server
	users  *os.File // the users lock, held shared
	log    *slog.Logger
}

// join makes this process a user of dir's server and starts the server if it does
// not run. It first waits for the end of a server that is stopping.
func join(ctx context.Context, dir string, memory int64, log *slog.Logger) (*server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the database: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, tempDir), 0o700); err != nil {
		return nil, fmt.Errorf("creating the database's folder: %w", err)
	}
	s := &server{dir: dir, memory: memory, log: log}
	if s.socket, err = socketPath(dir); err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "choose a shorter path with option out", "%w", err)
	}
	if s.users, err = openLock(filepath.Join(dir, usersLock)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err = s.poll(ctx, "waiting for the end of a server that is stopping", func() (bool, error) { return tryLock(s.users, syscall.LOCK_SH) })
	if err == nil {
		err = s.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.users.Close())
	}
	return s, nil
}

// start returns when the server accepts connections. Of several users that call
// it, the one with the server lock starts the supervisor; the others wait.
func (s *server) start(ctx context.Context) error {
	var failed <-chan error // of the supervisor that this process has started
	return s.poll(ctx, "waiting for mariadbd to start", func() (bool, error) {
		select {
		case err := <-failed:
			if s.diskIsFull() || mentionsFullDisk(err.Error()) {
				return false, schema.Faultf(schema.FaultResources, "free disk space and run again",
					"starting the private server: the disk of %s is full: %w", s.dir, err)
			}
			return false, schema.Faultf(schema.FaultService,
				"see the error log; if the database is beyond repair, remove "+filepath.Join(s.dir, dataDir)+" and ingest again",
				"starting the private server: %w", err)
		default:
		}
		if conn, err := s.dial(ctx); err == nil {
			_ = conn.Close() // nothing was sent on it
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
		if locked, err := tryLock(held, syscall.LOCK_EX); err != nil || !locked {
			return false, err // another user is starting the server, or an earlier server is still ending
		}
		failed, err = s.startSupervisor(held)
		return false, err
	})
}

// poll calls done until it returns true or an error. Every logEvery it logs what,
// which describes the wait.
func (s *server) poll(ctx context.Context, what string, done func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	began, logged := time.Now(), time.Now()
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
		if time.Since(logged) > logEvery {
			logged = time.Now()
			s.log.Info(what, "seconds", int(time.Since(began).Seconds()))
		}
	}
}

// dial opens a connection to the server.
func (s *server) dial(ctx context.Context) (driver.Conn, error) {
	if _, err := os.Stat(s.socket); err != nil {
		return nil, err
	}
	conns, err := newConnector(socketConfig(s.socket, ""), s.log)
	if err != nil {
		return nil, err
	}
	return conns.Connect(ctx)
}

// startSupervisor starts this program again as the server's supervisor, which
// inherits the lock held. The channel receives the reason of a start that failed.
func (s *server) startSupervisor(held *os.File) (<-chan error, error) {
	p, err := findProgram()
	if err != nil {
		return nil, err
	}
	pool := s.memory
	if pool == 0 {
		pool = DefaultMemory()
	}
	value, err := json.Marshal(order{p, s.dir, s.socket, pool})
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C interrupts the users, and the last of them stops the server
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the supervisor: %w", err), report.Close())
	}
	failed := make(chan error, 1)
	go func() {
		defer report.Close()
		message, _ := io.ReadAll(report) // ends with the supervisor; a part of the message is better than none
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

// leave ends the use of the server. The last user shuts the server down and waits
// until it and its supervisor have ended. If all users are killed, the supervisor
// stops the server.
func (s *server) leave() error {
	defer s.users.Close()
	last, err := tryLock(s.users, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	if !last {
		// Others use the server; or they have left since, and the supervisor holds the lock and stops the server.
		if others, err := tryLock(s.users, syscall.LOCK_SH); err != nil || others {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*stopTimeout)
	defer cancel()
	if last {
		s.shutdown(ctx)
	}
	return s.poll(ctx, "waiting for mariadbd to stop", s.hasEnded)
}

// shutdown sends SHUTDOWN. A server that refuses the connection has ended, or its
// supervisor stops it.
func (s *server) shutdown(ctx context.Context) {
	c, err := s.dial(ctx)
	if err != nil {
		return
	}
	defer c.Close()
	if x, ok := c.(driver.ExecerContext); ok {
		_, err = x.ExecContext(ctx, "SHUTDOWN", nil)
		s.log.Debug("shut down", "error", err)
	}
}

// hasEnded reports whether neither the server nor its supervisor runs.
func (s *server) hasEnded() (bool, error) {
	held, err := openLock(filepath.Join(s.dir, serverLock))
	if err != nil {
		return false, err
	}
	defer held.Close()
	return tryLock(held, syscall.LOCK_EX)
}

// explain adds the end of the server's log to the error of a connection that broke
// because the server has ended.
func (s *server) explain(err error) error {
	if !isBroken(err) {
		return err
	}
	// The server's sockets are closed a moment before its process ends.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.poll(ctx, "waiting for mariadbd to end", s.hasEnded) != nil {
		return err
	}
	tail := logTail(s.dir)
	if s.diskIsFull() || mentionsFullDisk(tail) {
		return schema.Faultf(schema.FaultResources, "free disk space and run again",
			"the private mariadbd has ended, and the disk of %s is full: %w; its log ends:\n%s", s.dir, err, tail)
	}
	return schema.Faultf(schema.FaultService, "run again; the whole log is "+filepath.Join(s.dir, dataDir, errorLog),
		"the private mariadbd has ended: %w; its log ends:\n%s", err, tail)
}

// diskIsFull reports whether the disk of the database has less free space than a
// server needs: files of tables and indexes grow by up to 4 MiB, and sorts by
// their buffers.
func (s *server) diskIsFull() bool {
	const needed = 32 << 20
	var st syscall.Statfs_t
	return syscall.Statfs(s.dir, &st) == nil && st.Bavail*uint64(st.Bsize) < needed
}

// peakRSS returns the server's largest resident set in bytes, 0 where it does not
// run.
func (s *server) peakRSS() int64 { return memory.PeakOf(readPID(s.dir)) }
