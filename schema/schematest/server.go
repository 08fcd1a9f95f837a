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

// Server is a server of scripts/engines that a test has started, may kill, and that ends with it.
type Server struct {
	Address string // host:port, the same after Kill and Start

	t     testing.TB
	start string
	args  []string
	cmd   *exec.Cmd
	said  bytes.Buffer
}

// startServer starts the server of a name, or skips the test (see [Need]).
func startServer(t testing.TB, name string, args ...string) *Server {
	t.Helper()
	Tool(t, "python3")
	s := &Server{t: t, start: Engine(t, name), args: args}
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// Start starts the server, again where it was killed or still runs.
func (s *Server) Start() {
	s.t.Helper()
	cache, err := os.UserCacheDir()
	Need(s.t, err == nil, "no cache folder for what servers are made of")
	home := filepath.Join(cache, "s2g-test")
	if err := os.MkdirAll(home, 0o755); err != nil {
		s.t.Fatal(err)
	}
	defer lock(s.t, home)() // the first start of a server downloads it
	if s.Kill(); !s.begin() {
		s.Kill()
		s.t.Fatalf("%s does not start:\n%s", s.start, s.said.String())
	}
}

// begin starts the program and says whether it got ready.
func (s *Server) begin() bool {
	port := "0"
	if s.Address != "" {
		_, port, _ = strings.Cut(s.Address, ":")
	}
	s.cmd = exec.Command(s.start, append([]string{"--port", port}, s.args...)...)
	s.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1") // threads that wait for each other are slow where others work, too
	s.cmd.Stderr = &s.said
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	slow := time.AfterFunc(5*time.Minute, s.kill)
	defer slow.Stop()
	line, _ := bufio.NewReader(out).ReadString('\n') // without a line it has ended, and said why
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if ok {
		s.Address = address
	}
	return ok
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() {
	if s.cmd != nil {
		s.kill()
		_ = s.cmd.Wait() // it was killed: that is what the error says
		s.cmd = nil
	}
}

func (s *Server) kill() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) }
