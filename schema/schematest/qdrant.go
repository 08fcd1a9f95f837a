package schematest

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// QdrantServer is Qdrant's engine behind its gRPC API, on data that outlives it.
type QdrantServer struct {
	Address string // host:port, the same after Kill and Start

	t     testing.TB
	start string
	dir   string
	cmd   *exec.Cmd
	said  bytes.Buffer
}

// Qdrant returns the address of a Qdrant server for a test: the one that
// S2G_TEST_QDRANT names, which other tests may use at the same time, or one that ends
// with the test. Without either it skips the test (see [Need]).
func Qdrant(t testing.TB) string {
	t.Helper()
	if address := os.Getenv("S2G_TEST_QDRANT"); address != "" {
		return address
	}
	return StartQdrant(t).Address
}

// StartQdrant starts a server that the test may kill, and that ends with it, or skips
// the test (see [Need]).
func StartQdrant(t testing.TB) *QdrantServer {
	t.Helper()
	Tool(t, "python3")
	q := &QdrantServer{t: t, start: Shared(t, "servers", "qdrant", "start"), dir: t.TempDir()}
	q.Start()
	t.Cleanup(q.Kill)
	return q
}

// Start starts the server, again where it was killed.
func (q *QdrantServer) Start() {
	q.t.Helper()
	cache, err := os.UserCacheDir()
	Need(q.t, err == nil, "no cache folder for Qdrant's engine")
	home := filepath.Join(cache, "s2g-test")
	if err := os.MkdirAll(home, 0o755); err != nil {
		q.t.Fatal(err)
	}
	defer lock(q.t, home)() // the first start downloads the engine
	port := "0"
	if q.Address != "" {
		_, port, _ = strings.Cut(q.Address, ":")
	}
	q.cmd = exec.Command(q.start, "--port", port, "--dir", q.dir)
	q.cmd.Stderr = &q.said
	q.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := q.cmd.StdoutPipe()
	if err != nil {
		q.t.Fatal(err)
	}
	if err := q.cmd.Start(); err != nil {
		q.t.Fatal(err)
	}
	slow := time.AfterFunc(5*time.Minute, q.kill)
	defer slow.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		q.Kill()
		q.t.Fatalf("Qdrant's engine does not start: %v\n%s", err, q.said.String())
	}
	q.Address = address
}

// Kill ends the server as kill -9 does.
func (q *QdrantServer) Kill() {
	if q.cmd != nil {
		q.kill()
		_ = q.cmd.Wait() // it was killed: that is what the error says
		q.cmd = nil
	}
}

func (q *QdrantServer) kill() { _ = syscall.Kill(-q.cmd.Process.Pid, syscall.SIGKILL) }
