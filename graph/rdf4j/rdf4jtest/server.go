// Package rdf4jtest gives tests a server that speaks the RDF4J REST protocol:
// GraphDB's own engine.
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

// Server is an engine.
type Server struct {
	URL string // as http://127.0.0.1:7200

	t       testing.TB
	program string // that starts it; empty: it is not ours
	port    string
	data    string
	process *exec.Cmd
	ended   chan error
	said    *bytes.Buffer
}

// Open gives the server that the environment variable S2G_TEST_GRAPHDB names,
// else one that ends with the test, or skips the test.
func Open(t testing.TB) *Server {
	t.Helper()
	if url := os.Getenv("S2G_TEST_GRAPHDB"); url != "" {
		return &Server{URL: url, t: t}
	}
	return Start(t)
}

// Start gives a server of the test's own, which it may kill, or skips the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, program: schematest.Engine(t, "rdfstore"), data: t.TempDir()}
	schematest.Tool(t, "mvn")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	s.URL = "http://127.0.0.1:" + s.port
	t.Cleanup(s.stop)
	s.Restart()
	return s
}

// Restart starts a server that was killed, on its data, and waits until it is up.
func (s *Server) Restart() {
	s.t.Helper()
	s.said = &bytes.Buffer{}
	s.process = exec.Command(s.program, s.port, s.data, "-Xmx3g")
	s.process.Stdout, s.process.Stderr = s.said, s.said
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
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
			s.t.Fatalf("the server ended: %v\n%s", err, s.said)
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

// Name is the id of a repository that no other test has. On a server that outlives
// the test it is deleted when the test ends. An engine of the tests' own keeps it:
// RDF4J's manager of repositories locks in another order when it deletes one than
// when it opens one, and an engine that does both at a time stands still for ever.
func (s *Server) Name(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test-%d-%d", os.Getpid(), names.Add(1))
	if s.program == "" {
		t.Cleanup(func() { s.delete(name) })
	}
	return name
}

// delete removes a repository, if it is there and the server is.
func (s *Server) delete(name string) {
	r, err := http.NewRequest(http.MethodDelete, s.URL+"/repositories/"+name, nil)
	if err != nil {
		return
	}
	if answer, err := http.DefaultClient.Do(r); err == nil {
		answer.Body.Close()
	}
}
