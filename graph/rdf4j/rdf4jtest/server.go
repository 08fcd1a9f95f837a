// Package rdf4jtest starts GraphDB's own engine for tests, and sends it requests of
// the RDF4J REST protocol. It shares no code with package rdf4j, whose tests use it.
package rdf4jtest

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
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
	program string // starts the engine; empty: the engine is not the test's own
	port    string
	data    string
	process *exec.Cmd
	ended   chan error // holds the result of process.Wait
	output  *bytes.Buffer
}

// Open returns the server that the environment variable S2G_TEST_GRAPHDB names,
// else one of the test's own (see [Start]).
func Open(t testing.TB) *Server {
	t.Helper()
	if url := os.Getenv("S2G_TEST_GRAPHDB"); url != "" {
		return &Server{URL: url, t: t}
	}
	return Start(t)
}

// Start starts a server of the test's own. The test may kill it; it ends with the test.
// Without Maven, which downloads the engine, Start skips the test (see
// [schematest.Need]).
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, program: schematest.Engine(t, "rdfstore"), data: t.TempDir()}
	schematest.Tool(t, "mvn")
	s.port = schematest.Port(t)
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
	for until := time.Now().Add(10 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // the first start downloads it
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
	s.Kill()
}

var names atomic.Int64

// Name returns a repository name that no other test has. On a server that outlives the
// test, Name deletes the repository when the test ends. An engine of the test's own
// keeps it: RDF4J's repository manager can deadlock when it deletes one repository
// while it opens another, because the two take its locks in different orders.
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

// CreateRepository creates a repository with a ruleset: "empty", or "rdfs" to infer.
func (s *Server) CreateRepository(name, ruleset string) {
	s.t.Helper()
	s.send(http.MethodPut, name, "text/turtle", strings.NewReader(fmt.Sprintf(`
@prefix rep: <http://www.openrdf.org/config/repository#> .
@prefix sr: <http://www.openrdf.org/config/repository/sail#> .
@prefix sail: <http://www.openrdf.org/config/sail#> .
@prefix graphdb: <http://www.ontotext.com/config/graphdb#> .
[] a rep:Repository ; rep:repositoryID %q ; rep:repositoryImpl [ rep:repositoryType "graphdb:SailRepository" ;
  sr:sailImpl [ sail:sailType "graphdb:Sail" ; graphdb:ruleset %q ; graphdb:enable-context-index "true" ;
    graphdb:storage-folder "storage" ; graphdb:repository-type "file-repository" ] ] .`, name, ruleset)))
}

// CreateMemoryStore creates a repository with RDF4J's own store in memory.
func (s *Server) CreateMemoryStore(name string) {
	s.t.Helper()
	s.send(http.MethodPut, name, "text/turtle", strings.NewReader(fmt.Sprintf(`
@prefix rep: <http://www.openrdf.org/config/repository#> .
@prefix sr: <http://www.openrdf.org/config/repository/sail#> .
@prefix sail: <http://www.openrdf.org/config/sail#> .
[] a rep:Repository ; rep:repositoryID %q ; rep:repositoryImpl [ rep:repositoryType "openrdf:SailRepository" ;
  sr:sailImpl [ sail:sailType "openrdf:MemoryStore" ] ] .`, name)))
}

// DeleteRepository deletes a repository, since an engine with many open ones has no
// memory left to group and sort.
func (s *Server) DeleteRepository(name string) {
	s.t.Helper()
	s.send(http.MethodDelete, name, "*/*", nil)
}

// AddFiles adds files of TriG, or of Turtle, whose triples go into graph.
func (s *Server) AddFiles(repository, graph string, files ...string) {
	s.t.Helper()
	for _, name := range files {
		path, media := repository+"/statements", "application/trig"
		if strings.HasSuffix(name, ".ttl") {
			path, media = path+"?context="+url.QueryEscape("<"+graph+">"), "text/turtle"
		}
		f, err := os.Open(name)
		s.check(err)
		s.send(http.MethodPost, path, media, f)
		f.Close()
	}
}

// Select returns the rows of a SELECT, without the names of its columns.
func (s *Server) Select(repository, query string) [][]string {
	s.t.Helper()
	form := url.Values{"query": {query}}.Encode()
	body := s.send(http.MethodPost, repository, "application/x-www-form-urlencoded", strings.NewReader(form))
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	s.check(err)
	return rows[1:]
}

// Export returns all statements as RDF4J's own writer of a media type spells them.
func (s *Server) Export(repository, media string) []byte {
	s.t.Helper()
	return s.send(http.MethodGet, repository+"/statements?infer=false", media, nil)
}

// send sends a request for a repository and returns the answer. media is the type of
// the body, or, without a body, of the answer.
func (s *Server) send(method, path, media string, body io.Reader) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.URL+"/repositories/"+path, body)
	s.check(err)
	if body != nil {
		r.Header.Set("Content-Type", media)
		r.Header.Set("Accept", "text/csv, */*;q=0.5")
	} else {
		r.Header.Set("Accept", media)
	}
	answer, err := http.DefaultClient.Do(r)
	s.check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	s.check(err)
	if answer.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s: %.2000s", method, path, answer.Status, text)
	}
	return text
}

func (s *Server) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
