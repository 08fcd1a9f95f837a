package tables

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// superviseEnv is the environment variable that makes this program a supervisor.
// Its value is an order.
const superviseEnv = "S2G_SUPERVISE_DB"

// stopTimeout is the time that a server has to write its buffer pool and stop,
// before the supervisor kills it.
const stopTimeout = 5 * time.Minute

// startTimeout is the time that a server without users has to start, with recovery
// from a crash, before the supervisor kills it; see stop.
const startTimeout = time.Minute

// The files that a supervisor inherits.
const (
	heldFD   = 3 // the server lock, held
	reportFD = 4 // a pipe for the reason of a start that failed
)

// order is the task of a supervisor, in JSON.
type order struct {
	Program program
	Dir     string // OUT/.s2g
	Socket  string
	Access  Access
	Memory  int64 // buffer pool in bytes
	Data    int64 // bytes of the dump as XML; 0: unknown

	log int64 // size of the redo log in bytes; see setLog
}

// setLog sets the size of the redo log. Only a load changes that of a datadir.
func (o *order) setLog() {
	o.log = LogSize(o.Data)
	if o.Access == Load && o.Data > 0 {
		return
	}
	if info, err := os.Stat(filepath.Join(o.Dir, dataDir, logFile)); err == nil && info.Size() > 0 {
		o.log = info.Size()
	}
}

// Supervise must be the first call of main, and of TestMain of a package that
// opens tables. The supervisor of a private server is this same program, started
// with superviseEnv: in it Supervise runs the server and then exits. In other
// processes Supervise returns at once.
//
// The supervisor starts mariadbd and waits for an exclusive lock on db.users, which
// every user holds shared; then it stops mariadbd. The kernel frees the lock of a
// killed user and, on Linux, kills the mariadbd of a killed supervisor. So no
// process remains.
func Supervise() {
	value, ok := os.LookupEnv(superviseEnv)
	if !ok {
		return
	}
	held, report := os.NewFile(heldFD, serverLock), os.NewFile(reportFD, "report")
	syscall.CloseOnExec(heldFD) // mariadbd inherits it as an extra file only
	syscall.CloseOnExec(reportFD)
	if err := supervise(value, held); err != nil {
		fmt.Fprint(report, err) // fails where the user that waited for it has ended
		os.Exit(1)
	}
	os.Exit(0)
}

func supervise(value string, held *os.File) error {
	runtime.LockOSThread() // mariadbd dies with the thread that started it
	if err := os.Unsetenv(superviseEnv); err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal([]byte(value), &o); err != nil {
		return fmt.Errorf("reading the supervisor's order: %w", err)
	}
	o.setLog()
	s := &supervisor{held: held, stopped: make(chan os.Signal, 1), unused: make(chan error, 1)}
	signal.Notify(s.stopped, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	users, err := openLock(filepath.Join(o.Dir, usersLock))
	if err != nil {
		return err
	}
	go func() { s.unused <- flock(users, syscall.LOCK_EX) }()

	defer removeSocket(o.Dir, o.Socket)
	if err := o.Program.initialise(o, held); err != nil {
		return fmt.Errorf("creating the database in %s: %w", o.Dir, err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, accessFile), []byte(o.Access), 0o600); err != nil {
		return err
	}
	if o.Access != Read {
		return s.runWritable(o)
	}
	greeted, err := s.run(o, true)
	if err == nil || greeted {
		return err
	}
	// The last server was killed, and a read-only one does not recover. Users wait at
	// the socket, so the server that recovers has another.
	recovery := o
	recovery.Access = Edit
	recovery.Socket = filepath.Join(filepath.Dir(o.Socket), recoverySocket)
	defer os.Remove(recovery.Socket)
	if err := removeFilesRecord(o.Dir); err != nil {
		return err
	}
	if _, err := s.run(recovery, false); err != nil {
		return err
	}
	_, err = s.run(o, true)
	return err
}

// runWritable runs a server that may change tables. After a load that ended
// regularly it records the tables' files.
func (s *supervisor) runWritable(o order) error {
	if err := removeFilesRecord(o.Dir); err != nil {
		return err
	}
	if _, err := s.run(o, true); err != nil || o.Access != Load {
		return err
	}
	return recordFiles(o.Dir)
}

// recoverySocket is the name of the socket of a server that recovers from a crash.
const recoverySocket = "db.rec"

// A supervisor runs servers one after the other.
type supervisor struct {
	held    *os.File
	stopped chan os.Signal // of this process
	unused  chan error     // the last user has left
	ending  bool           // one of these has happened
}

// run runs a server until it ends: with serve until all users have left, else until
// it has started. greeted reports whether it has accepted connections. The error
// of a server that fails has the end of its log.
func (s *supervisor) run(o order, serve bool) (greeted bool, err error) {
	if s.ending {
		return false, nil
	}
	cmd := o.Program.command(o, s.held)
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("starting %s: %w", o.Program.Server, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil {
				return greeted, nil // a user has shut it down
			}
			return greeted, fmt.Errorf("mariadbd has ended: %w; the end of %s:\n%s", err, filepath.Join(o.Dir, dataDir, errorLog), logTail(o.Dir))
		case <-s.unused: // also after an error of the lock: nothing else would stop the server
			s.ending = true
		case <-s.stopped:
			s.ending = true
		case <-tick.C:
			if !greeted && greets(o.Socket) {
				greeted = true
				_ = os.Chmod(o.Socket, 0o600) // its folder is the first lock, this the second
			}
		}
		if greeted {
			tick.Stop()
		}
		if s.ending || greeted && !serve {
			return greeted, stop(cmd, o.Socket, ended)
		}
	}
}

// stop ends the server and returns when it has ended. It returns an error if it had
// to kill the server, or if the server failed. A mariadbd that receives
// SIGTERM while it starts may deadlock. So stop first waits for the end of the
// start, and kills a server that takes longer than startTimeout.
func stop(cmd *exec.Cmd, socket string, ended <-chan error) error {
	started := false
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		if started = greets(socket); started {
			break
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(pollEvery):
		}
	}
	if started {
		_ = cmd.Process.Signal(syscall.SIGTERM) // an error means that it has just ended
		select {
		case err := <-ended:
			return err
		case <-time.After(stopTimeout):
		}
	}
	_ = cmd.Process.Kill()
	return <-ended
}

// greets reports whether the server sends the first byte of its protocol. Until it
// has started, the kernel alone accepts connections.
func greets(socket string) bool {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	n, _ := conn.Read(make([]byte, 1))
	return n == 1
}
