package rdf4jtest

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

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

// DeleteRepository deletes a repository: an engine with many open ones has no memory
// left to group and sort.
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

// send sends a request for a repository and returns the answer. media is that of
// the body, or without a body that of the answer.
func (s *Server) send(method, path, media string, body io.Reader) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
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
