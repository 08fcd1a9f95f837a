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

// superviseEnv asks this program, started again, to be a supervisor. Its value is an order.
const superviseEnv = "S2G_SUPERVISE_DB"

// stopTimeout is how long a server may take to stop before it is killed. It
// writes out its buffer pool in that time.
const stopTimeout = 5 * time.Minute

// startTimeout is how long a server that nobody uses any more may take until it
// answers, and can be told to stop. It may be at the recovery after a crash.
const startTimeout = time.Minute

// The files that a supervisor inherits.
const (
	heldFD   = 3 // the server lock, taken
	reportFD = 4 // a pipe, for the reason of a start that failed
)

// order is what a supervisor is told.
type order struct {
	Program program
	Dir     string // OUT/.s2g
	Socket  string
	Memory  int64 // buffer pool, bytes
}

// Supervise must be the first call of main, and of TestMain of a package that
// opens tables: the private server has a supervisor, which is this same
// program, started again. It returns at once where the process is none;
// else it does not return, but exits when the server has stopped.
//
// The supervisor starts mariadbd, and stops it when nobody uses it any more:
// when it can lock db.users alone. A user that is killed holds no lock, and a
// supervisor that is killed takes its mariadbd with it (on Linux). So nothing
// is left running, and nothing needs to be cleaned up by hand.
func Supervise() {
	value, asked := os.LookupEnv(superviseEnv)
	if !asked {
		return
	}
	held, report := os.NewFile(heldFD, serverLock), os.NewFile(reportFD, "report")
	syscall.CloseOnExec(heldFD) // passed on to mariadbd by name only
	syscall.CloseOnExec(reportFD)
	if err := supervise(value, held); err != nil {
		fmt.Fprint(report, err) // fails if nobody waits for it any more
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
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	users, err := openLock(filepath.Join(o.Dir, usersLock))
	if err != nil {
		return err
	}
	unused := make(chan error, 1)
	go func() { unused <- flock(users, syscall.LOCK_EX) }()

	if err := o.Program.initialise(o.Dir, held); err != nil {
		return fmt.Errorf("making the database under %s: %w", o.Dir, err)
	}
	cmd := o.Program.command(o.Dir, o.Socket, o.Memory, held)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", o.Program.Server, err)
	}
	defer removeSocket(o.Dir, o.Socket)
	return watch(cmd, o, unused, stop)
}

// watch waits until the server ends, and stops it when nobody uses it or the
// supervisor is told to stop.
func watch(cmd *exec.Cmd, o order, unused <-chan error, stop <-chan os.Signal) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err == nil {
			return nil // a user has shut it down
		}
		return fmt.Errorf("mariadbd has ended: %w; the end of %s:\n%s", err, filepath.Join(o.Dir, dataDir, errorLog), logTail(o.Dir))
	case <-unused: // an error to lock leaves nobody in charge: stop as well
	case <-stop:
	}
	// A mariadbd that is told to stop while it starts may wait for ever on itself.
	if answers(o.Socket, ended) {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended this moment
	} else {
		_ = cmd.Process.Kill()
	}
	select {
	case <-ended:
	case <-time.After(stopTimeout):
		_ = cmd.Process.Kill()
		<-ended
	}
	return nil
}

// answers waits until the server greets who connects, which it does when it has
// started; false if it ends or takes longer than startTimeout.
func answers(socket string, ended chan error) bool {
	for began := time.Now(); time.Since(began) < startTimeout; time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err // for who waits for the end
			return false
		default:
		}
		if greets(socket) {
			return true
		}
	}
	return false
}

// greets reports whether the server sends the first byte of its protocol. Until
// it has started, connections are taken by the kernel alone.
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
