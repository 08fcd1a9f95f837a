// Package rdf4jtest starts GraphDB's own engine for tests, and sends it what tests
// need of the RDF4J REST protocol. It shares no code with package rdf4j, whose
// tests use it.
package rdf4jtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"s2g/schema/schematest"
)

// Server is an engine. Its methods fail the test on any error.
type Server struct {
	URL string // as http://127.0.0.1:7200

	t       testing.TB
	program string // starts it; empty: it is not the test's own
	port    string
	data    string
	process *exec.Cmd
	ended   chan error // holds the result of process.Wait
	output  *bytes.Buffer
}

// Open returns the server that the environment variable S2G_TEST_GRAPHDB names,
// else one of the test's own. Without either it skips the test (see
// [schematest.Need]).
func Open(t testing.TB) *Server {
	t.Helper()
	if url := os.Getenv("S2G_TEST_GRAPHDB"); url != "" {
		return &Server{URL: url, t: t}
	}
	return Start(t)
}

// Start starts a server of the test's own, which the test may kill and which ends
// with it.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, program: schematest.Engine(t, "rdfstore"), data: t.TempDir()}
	schematest.Tool(t, "mvn")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.check(err)
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	s.URL = "http://127.0.0.1:" + s.port
	t.Cleanup(s.stop)
	s.Restart()
	return s
}

// Restart starts a killed server on its data, and waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.output = &bytes.Buffer{}
	s.process = exec.Command(s.program, s.port, s.data, "-Xmx3g")
	s.process.Stdout, s.process.Stderr = s.output, s.output
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.check(s.process.Start())
	s.ended = make(chan error, 1)
	go func(p *exec.Cmd, ended chan<- error) { ended <- p.Wait() }(s.process, s.ended)
	for until := time.Now().Add(5 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // the first start downloads it
		if r, err := http.Get(s.URL + "/protocol"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			s.t.Fatalf("the server ended: %v\n%s", err, s.output)
		default:
		}
		if time.Now().After(until) {
			s.t.Fatal("the server does not answer")
		}
	}
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() {
	s.t.Helper()
	if err := syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		s.t.Fatal(err)
	}
	err := <-s.ended
	s.ended <- err
}

func (s *Server) stop() {
	if s.process == nil || s.process.Process == nil {
		return
	}
	_ = syscall.Kill(-s.process.Process.Pid, syscall.SIGTERM) // it may have ended
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		_ = syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL)
	}
}

var names atomic.Int64

// Name returns a repository name that no other test has. On a server that outlives
// the test, the repository is deleted when the test ends. An engine of the test's
// own keeps it: RDF4J's repository manager takes its locks in another order when it
// deletes a repository than when it opens one, and both at a time deadlock it.
func (s *Server) Name(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test-%d-%d", os.Getpid(), names.Add(1))
	if s.program == "" {
		t.Cleanup(func() {
			r, err := http.NewRequest(http.MethodDelete, s.URL+"/repositories/"+name, nil)
			if err != nil {
				return
			}
			if answer, err := http.DefaultClient.Do(r); err == nil { // the server may be gone, too
				answer.Body.Close()
			}
		})
	}
	return name
}

func (s *Server) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
