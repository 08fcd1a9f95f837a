package buildtest

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"s2g/schema/schematest"
)

// Store is GraphDB's own engine, spoken to by the RDF4J REST protocol.
type Store struct {
	t   testing.TB
	url string // of the repositories
}

// OpenStore starts an engine that ends with the test, or skips the test.
func OpenStore(t testing.TB) *Store {
	t.Helper()
	start := schematest.Engine(t, "rdfstore")
	schematest.Tool(t, "mvn")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	check(t, l.Close())
	var said bytes.Buffer
	cmd := exec.Command(start, port, t.TempDir())
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	})
	base := "http://127.0.0.1:" + port
	for until := time.Now().Add(5 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // the first start downloads it
		if r, err := http.Get(base + "/protocol"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return &Store{t, base + "/repositories"}
			}
		}
		select {
		case err := <-ended:
			t.Fatalf("the store ended: %v\n%s", err, said.String())
		default:
		}
		if time.Now().After(until) {
			t.Fatalf("the store does not answer\n%s", said.String())
		}
	}
}

// Create makes a repository with a ruleset: "empty", or "rdfs" to infer.
func (s *Store) Create(repository, ruleset string) {
	s.t.Helper()
	s.send(http.MethodPut, repository, "text/turtle", strings.NewReader(fmt.Sprintf(`
@prefix rep: <http://www.openrdf.org/config/repository#> .
@prefix sr: <http://www.openrdf.org/config/repository/sail#> .
@prefix sail: <http://www.openrdf.org/config/sail#> .
@prefix graphdb: <http://www.ontotext.com/config/graphdb#> .
[] a rep:Repository ; rep:repositoryID %q ; rep:repositoryImpl [ rep:repositoryType "graphdb:SailRepository" ;
  sr:sailImpl [ sail:sailType "graphdb:Sail" ; graphdb:ruleset %q ; graphdb:enable-context-index "true" ;
    graphdb:storage-folder "storage" ; graphdb:repository-type "file-repository" ] ] .`, repository, ruleset)))
}

// Drop deletes a repository: an engine with many open ones refuses to group and
// sort, for want of memory.
func (s *Store) Drop(repository string) {
	s.t.Helper()
	s.send(http.MethodDelete, repository, "*/*", nil)
}

// Load adds files of TriG or Turtle; graph is where the triples of Turtle go.
func (s *Store) Load(repository, graph string, files ...string) {
	s.t.Helper()
	for _, name := range files {
		path, media := repository+"/statements", "application/trig"
		if strings.HasSuffix(name, ".ttl") {
			path, media = path+"?context="+url.QueryEscape("<"+graph+">"), "text/turtle"
		}
		f, err := os.Open(name)
		check(s.t, err)
		s.send(http.MethodPost, path, media, f)
		f.Close()
	}
}

// Query returns the rows of a SELECT, without the names of its columns.
func (s *Store) Query(repository, query string) [][]string {
	s.t.Helper()
	body := s.send(http.MethodPost, repository, "application/x-www-form-urlencoded", strings.NewReader(url.Values{"query": {query}}.Encode()))
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	check(s.t, err)
	return rows[1:]
}

// Export returns all statements as the store's own writer, RDF4J's, spells them in
// the format of a media type.
func (s *Store) Export(repository, media string) []byte {
	s.t.Helper()
	return s.send(http.MethodGet, repository+"/statements?infer=false", media, nil)
}

func (s *Store) send(method, path, media string, body io.Reader) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+"/"+path, body)
	check(s.t, err)
	if body != nil {
		r.Header.Set("Content-Type", media)
		r.Header.Set("Accept", "text/csv, */*;q=0.5")
	} else {
		r.Header.Set("Accept", media)
	}
	answer, err := http.DefaultClient.Do(r)
	check(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(s.t, err)
	if answer.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s: %.2000s", method, path, answer.Status, text)
	}
	return text
}
