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
	"s2g/schema/private"
)

const (
	pollEvery  = 20 * time.Millisecond
	logEvery   = 5 * time.Second
	startLimit = 10 * time.Minute // recovery after a crash reads the log, which may be a gigabyte
	endLimit   = 10 * time.Second // of a server whose connections have broken
)

// server is a private server from the view of one of its users.
type server struct {
	dir    string // OUT/.s2g, absolute
	socket string
	access Access
	memory int64    // buffer pool in bytes, where this user starts the server
	data   int64    // bytes of the dump's XML, where this user starts the server
	users  *os.File // the users lock, held shared
	entry  *os.File // this user's file in usersFolder
	log    *slog.Logger
}

// join makes this process a user of the server of o.Dir and starts the server if it
// does not run. It first waits for the end of a server that is stopping. A server
// that other users have started for another access is a service fault.
func join(ctx context.Context, o ServerOptions, log *slog.Logger) (*server, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the database: %w", err)
	}
	for _, folder := range []string{dir, filepath.Join(dir, tempDir)} {
		tightened, err := private.MakeFolder(folder)
		if err != nil {
			return nil, err
		}
		if tightened {
			log.Warn("other users could enter the folder of the database; its mode is 700 now", "folder", folder)
		}
	}
	s := &server{dir: dir, access: o.Access, memory: o.Memory, data: o.Data, log: log}
	if s.socket, err = socketPath(dir); err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "choose a shorter path with option out", "%w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		if err := s.use(ctx); err != nil {
			return nil, err
		}
		running, err := runningAccess(dir)
		if err == nil && running.admits(s.access) {
			return s, nil
		}
		others := otherUsers(dir, s.entry)
		// Without others, leave stops the server, and the next one has the right access.
		err = errors.Join(err, s.leave())
		if err == nil && len(others) > 0 {
			err = inUse(s.access, running, others)
		}
		if err != nil {
			return nil, err
		}
	}
}

// use takes the users lock, enters, and returns when the server accepts
// connections.
func (s *server) use(ctx context.Context) (err error) {
	if s.users, err = openLock(filepath.Join(s.dir, usersLock)); err != nil {
		return err
	}
	err = s.poll(ctx, "waiting for the end of a server that is stopping", func() (bool, error) { return tryLock(s.users, syscall.LOCK_SH) })
	if err == nil {
		s.entry, err = enter(s.dir)
	}
	if err == nil {
		if err = s.start(ctx); err != nil {
			s.removeEntry()
		}
	}
	if err != nil {
		return errors.Join(err, unlock(s.users))
	}
	return nil
}

// removeEntry ends this user's entry in the list of users.
func (s *server) removeEntry() {
	_ = os.Remove(s.entry.Name()) // what remains of a user is removed by the next
	_ = unlock(s.entry)
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
			if mentionsDamage(err.Error()) {
				_ = removeFilesRecord(s.dir) // the error of the server is the one to report
				return false, schema.Faultf(schema.FaultService, "run s2g build with option dump, which reads the dump again",
					"starting the private server, whose files are damaged: %w", errors.Join(errDamaged, err))
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
	conns, err := newConnector(socketConfig(s.socket, ""), s.access, s.log)
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
		pool = DefaultMemory(s.tablesSize())
	}
	value, err := json.Marshal(order{Program: p, Dir: s.dir, Socket: s.socket, Access: s.access, Memory: pool, Data: s.data})
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
	cmd.Env = private.Environment(superviseEnv + "=" + string(value))
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
	defer unlock(s.users)
	s.removeEntry()
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
	// The server's sockets are closed a moment before its process and its supervisor
	// end, which takes longer beside other work.
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
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

// tablesSize returns about the bytes of the tables: of XML that a load reads, or of
// the files that readers read; 0 where neither is known.
func (s *server) tablesSize() (n int64) {
	if s.access == Load {
		return s.data
	}
	files, _ := filepath.Glob(filepath.Join(s.dir, dataDir, privateDatabase, "*.ibd"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			n += info.Size()
		}
	}
	return n
}

// peakRSS returns the server's largest resident set in bytes, 0 where it does not
// run.
func (s *server) peakRSS() int64 { return memory.PeakOf(readPID(s.dir)) }
