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
	Memory  int64 // buffer pool in bytes
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
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	users, err := openLock(filepath.Join(o.Dir, usersLock))
	if err != nil {
		return err
	}
	unused := make(chan error, 1)
	go func() { unused <- flock(users, syscall.LOCK_EX) }()

	if err := o.Program.initialise(o.Dir, held); err != nil {
		return fmt.Errorf("creating the database in %s: %w", o.Dir, err)
	}
	cmd := o.Program.command(o.Dir, o.Socket, o.Memory, held)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", o.Program.Server, err)
	}
	defer removeSocket(o.Dir, o.Socket)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err == nil {
			return nil // a user has shut it down
		}
		return fmt.Errorf("mariadbd has ended: %w; the end of %s:\n%s", err, filepath.Join(o.Dir, dataDir, errorLog), logTail(o.Dir))
	case <-unused: // also after an error of the lock: nothing else would stop the server
	case <-stopped:
	}
	stop(cmd, o.Socket, ended)
	return nil
}

// stop ends the server and returns when it has ended. A mariadbd that receives
// SIGTERM while it starts may deadlock. So stop first waits for the end of the
// start, and kills a server that takes longer than startTimeout.
func stop(cmd *exec.Cmd, socket string, ended <-chan error) {
	started := false
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		if started = greets(socket); started {
			break
		}
		select {
		case <-ended:
			return
		case <-time.After(pollEvery):
		}
	}
	if started {
		_ = cmd.Process.Signal(syscall.SIGTERM) // an error means that it has just ended
		select {
		case <-ended:
			return
		case <-time.After(stopTimeout):
		}
	}
	_ = cmd.Process.Kill()
	<-ended
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
