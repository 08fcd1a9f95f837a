package schematest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a server of scripts/engines that a test has started. The test may kill
// it; it ends with the test.
type Server struct {
	Address string // host:port, the same after Kill and Start

	t     testing.TB
	start string
	port  string
	args  []string
	cmd   *exec.Cmd
	log   bytes.Buffer
}

// Qdrant returns the address of a Qdrant server: that of S2G_TEST_QDRANT, which other
// tests may use at the same time, or of a new one; see [StartQdrant].
func Qdrant(t testing.TB) string {
	t.Helper()
	Long(t)
	if address := os.Getenv("S2G_TEST_QDRANT"); address != "" {
		return address
	}
	return StartQdrant(t).Address
}

// StartQdrant starts Qdrant's engine behind its gRPC API. Its data outlive a kill.
func StartQdrant(t testing.TB) *Server {
	t.Helper()
	return startServer(t, "qdrant", "--dir", t.TempDir())
}

// StartEmbedder starts a server of the embedding model all-MiniLM-L6-v2 (384
// dimensions, texts of up to 256 tokens; a core embeds about 8 texts of 200 tokens a
// second), with the routes of OpenAI, TEI and vLLM's /tokenize.
func StartEmbedder(t testing.TB) *Server {
	t.Helper()
	return startServer(t, "embed")
}

// EmbeddedTexts returns the number of texts that a server of [StartEmbedder] has
// embedded since its start.
func EmbeddedTexts(t testing.TB, s *Server) int64 {
	t.Helper()
	resp, err := http.Get("http://" + s.Address + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var stats struct {
		Texts int64 `json:"texts"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&stats); err != nil {
		t.Fatal(err)
	}
	return stats.Texts
}

// startServer starts a server of scripts/engines. Such tests are long ([Long]), and
// skip without python3 ([Need]).
func startServer(t testing.TB, name string, args ...string) *Server {
	t.Helper()
	Long(t)
	Tool(t, "python3")
	s := &Server{t: t, start: Engine(t, name), port: Port(t), args: args}
	cache, err := os.UserCacheDir()
	Need(t, err == nil, "no cache folder for the servers' files")
	home := filepath.Join(cache, "s2g-test")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	defer lock(t, home)() // the first start of a server downloads it
	s.Start()
	return s
}

// Start starts the server, or restarts it.
func (s *Server) Start() {
	s.t.Helper()
	if s.Kill(); !s.run() {
		s.Kill()
		s.t.Fatalf("%s does not start:\n%s", s.start, s.log.String())
	}
}

// run starts the program, waits for its first line, and reports whether that is "ready
// ADDRESS".
func (s *Server) run() bool {
	s.cmd = exec.Command(s.start, append([]string{"--port", s.port}, s.args...)...)
	s.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1") // several would wait for each other beside other tests
	s.cmd.Stderr = &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	slow := time.AfterFunc(10*time.Minute, s.kill)
	defer slow.Stop()
	line, _ := bufio.NewReader(out).ReadString('\n') // on an error it has ended, and the log has the reason
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if ok {
		s.Address = address
	}
	return ok
}

// Kill ends the server by SIGKILL.
func (s *Server) Kill() {
	if s.cmd != nil {
		s.kill()
		_ = s.cmd.Wait() // the error reports the kill
		s.cmd = nil
	}
}

func (s *Server) kill() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) }
