package rdf4j

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"s2g/schema/remote"
	"s2g/schema/schematest"
)

func client(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Config{URL: url})
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve returns a client of an in-process server.
func serve(t *testing.T, c Config, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c.URL = s.URL + "/base/"
	client, err := New(c)
	check(t, err)
	t.Cleanup(client.Close)
	return client
}

func TestNewRefusesBadURLs(t *testing.T) {
	for _, bad := range []string{"", "localhost:7200", "ftp://h", "http://", "http://user:secret@host", "http://h?x", "http://h#x", "http://h:port"} {
		if _, err := New(Config{URL: bad}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRequests(t *testing.T) {
	var got []string
	c := serve(t, Config{User: "me", Password: "secret"}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got = append(got, fmt.Sprintf("%s %s %s [%s] %s:%s %s", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding"), user, password, body))
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/transactions") {
			w.Header().Set("Location", "http://inner.example/other/base/repositories/a%2Fb/transactions/t%201")
			w.WriteHeader(http.StatusCreated)
		}
	})
	ctx := t.Context()
	r := c.Repository("a/b")
	check(t, r.Create(ctx, "config"))
	tx, err := r.Begin(ctx)
	check(t, err)
	check(t, tx.Add(ctx, Data{Media: TriG, Encoding: "gzip", Body: []byte("data"), Graph: "http://g/c%23"}))
	check(t, tx.Update(ctx, "CLEAR ALL"))
	check(t, tx.Commit(ctx))
	check(t, tx.Rollback(ctx))
	check(t, r.Delete(ctx))
	const at = "/base/repositories/a%2Fb"
	want := []string{
		"PUT " + at + " text/turtle [] me:secret config",
		"POST " + at + "/transactions  [] me:secret ",
		"PUT " + at + "/transactions/t%201?action=ADD&context=%3Chttp%3A%2F%2Fg%2Fc%2523%3E application/trig [gzip] me:secret data",
		"PUT " + at + "/transactions/t%201?action=UPDATE application/sparql-update [] me:secret CLEAR ALL",
		"PUT " + at + "/transactions/t%201?action=COMMIT  [] me:secret ",
		"DELETE " + at + "/transactions/t%201  [] me:secret ",
		"DELETE " + at + "  [] me:secret ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTokenTakesPrecedence(t *testing.T) {
	c := serve(t, Config{User: "me", Token: "GDB abc"}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, len(r.Header.Get("Authorization")))
	})
	if n, err := c.Protocol(t.Context()); err != nil || n != len("GDB abc") {
		t.Errorf("%d: %v", n, err)
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status               int
		media, body          string
		malformed, temporary bool
		message              string
	}{
		"unavailable": {503, "text/plain", "wait", false, true, "503 Service Unavailable: wait"},
		"fault":       {500, "text/plain", "java.lang.OutOfMemoryError", false, true, "500 Internal Server Error: java.lang.OutOfMemoryError"},
		"ended":       {500, "text/plain", "transaction with id 1 not registered.", false, true, "not registered"},
		"data":        {500, "text/plain", "Transaction handling error: org.eclipse.rdf4j.rio.RDFParseException: bad [line 1]", true, false, "[line 1]"},
		"bad request": {400, "text/plain", "MALFORMED DATA: x", true, false, "400 Bad Request: MALFORMED DATA: x"},
		"unknown":     {404, "text/plain", "Unknown repository: x", false, false, "Unknown repository: x"},
		"denied":      {401, "text/plain", "", false, false, "401 Unauthorized"},
		"many":        {429, "text/plain", "", false, true, "429"},
		"full":        {507, "text/plain", "", false, false, "507"},
		"page":        {502, "text/html; charset=utf-8", "<html><head><title>Bad\n gateway</title><style>b {x}</style></head><body><b>nginx</b></body></html>", false, true, ": Bad gateway nginx"},
		"moved":       {302, "text/plain", "", false, false, "redirects to https://elsewhere/"},
		"long":        {503, "text/plain", strings.Repeat("ü", 4000), false, true, "503"},
	} {
		client := serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			w.Header().Set("Location", "https://elsewhere/")
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		err := client.Repository("x").Delete(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.message) || !IsStatus(err, c.status) || len(err.Error()) > 3000 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e := err.(*StatusError); e.Malformed() != c.malformed || Temporary(err) != c.temporary {
			t.Errorf("%s: malformed %v, temporary %v", name, e.Malformed(), Temporary(err))
		}
	}
}

const people = `{"head":{"vars":["s"],"link":[]},"results":{"distinct":false,"bindings":[
	{"s":{"type":"uri","value":"http://a"}},{"s":{"type":"bnode","value":"b"}},{}
]}}`

// An incomplete answer, of any length, is an error and never a shorter result.
func TestResultsThatAreCut(t *testing.T) {
	cut := 0
	c := serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, people[:cut]) })
	read := func() (n int, err error) {
		rows, err := c.Repository("x").Query(t.Context(), "SELECT ?s {}")
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		for rows.Scan() {
			n++
		}
		return n, rows.Err()
	}
	for cut = range len(people) {
		if n, err := read(); err == nil || !Temporary(err) {
			t.Fatalf("cut after %d bytes: %d rows, %v", cut, n, err)
		}
	}
	cut = len(people)
	if n, err := read(); n != 3 || err != nil {
		t.Errorf("%d rows: %v", n, err)
	}
}

// The time limit ends a request to a server that hangs, before or within its answer,
// and leaves no goroutine.
func TestTimeLimits(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, begun := range map[string]bool{"before the answer": false, "within it": true} {
		release := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if begun {
				io.WriteString(w, "1")
				w.(http.Flusher).Flush()
			}
			<-release
		}))
		c, err := New(Config{URL: s.URL, Timeout: 50 * time.Millisecond})
		check(t, err)
		c.answered.Store(true) // a first failure is examined, which takes seconds
		_, err = c.Repository("x").Size(t.Context())
		if lost, ok := errors.AsType[*NoResponseError](err); !ok || !lost.Timeout() || !Temporary(err) || !strings.Contains(err.Error(), "no answer within 50ms") {
			t.Errorf("%s: %v", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Repository("x").Size(ctx); Temporary(err) || err == nil {
			t.Errorf("%s, cancelled: %v", name, err)
		}
		close(release)
		c.Close()
		s.Close()
	}
	for range 3000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestAnswersOfOtherServers(t *testing.T) {
	c := serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello") })
	for range 2 { // also after it has been seen
		_, err := c.Protocol(t.Context())
		if wrong, ok := errors.AsType[*remote.WrongServerError](err); !ok || !wrong.Later || !strings.Contains(err.Error(), "web page") {
			t.Error(err)
		}
	}
	if _, err := c.Repository("x").Begin(t.Context()); err == nil {
		t.Error("a transaction without a place")
	}
	if _, err := c.Repository("x").Size(t.Context()); err == nil {
		t.Error("a size that is no number")
	}
	c = serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, maxAnswer+100))
	})
	if _, err := c.Repository("x").Size(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
	if _, err := client(t, "http://"+schematest.DeadAddress(t)).Protocol(t.Context()); !Temporary(err) || err.(*NoResponseError).Timeout() || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
