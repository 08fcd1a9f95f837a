package rdf4j

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"s2g/schema/remote"
)

// A server that does not keep to the protocol ends a request with an error: it neither fills the memory nor holds the client.
func TestHostileAnswers(t *testing.T) {
	rows := func(c *Client) (err error) {
		r, err := c.Repository("x").Query(t.Context(), "SELECT ?s {}")
		if err != nil {
			return err
		}
		defer r.Close()
		for r.Scan() {
		}
		return r.Err()
	}
	begin := func(c *Client) error { _, err := c.Repository("x").Begin(t.Context()); return err }
	endless := func(w http.ResponseWriter, text string, pause time.Duration) {
		for {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(pause)
		}
	}
	const head = `{"head":{"vars":["s"]},"results":{"bindings":[`
	located := func(at string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", at); w.WriteHeader(201) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		call   func(*Client) error
		kind   func(error) bool
	}{
		"a row without end": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, head+`{"s":{"type":"literal","value":"`)
			endless(w, strings.Repeat("x", 1<<20), 0)
		}, rows, isWrong},
		"a head without end": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"head":["`)
			endless(w, strings.Repeat("x", 1<<20), 0)
		}, rows, isWrong},
		"a row that drips": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, head)
			endless(w, " ", 50*time.Millisecond)
		}, rows, isTimeout},
		"no JSON":            {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "s\n1\n") }, rows, Temporary},
		"a page":             {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html><title>Sign in</title>") }, rows, isWrong},
		"no place":           {located(""), begin, isAnswer},
		"the place of all":   {located("http://h/repositories/x/transactions"), begin, isAnswer},
		"a place above":      {located("http://h/repositories/x/transactions/.."), begin, isAnswer},
		"a place in another": {located("http://h/transactions/1%2F..%2F..%2Fother"), begin, isAnswer},
		"a malformed place":  {located("http://h/transactions/%zz"), begin, isAnswer},
		"a size below zero": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "-1") }, func(c *Client) error {
			_, err := c.Repository("x").Size(t.Context())
			return err
		}, isAnswer},
		"states of imports that are no list": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"a":1}`) }, func(c *Client) error {
			_, err := c.Repository("x").ServerFiles(t.Context())
			return err
		}, isAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, Config{Timeout: 30 * time.Second}, c.answer)
			if name == "a row that drips" {
				client.timeout = 200 * time.Millisecond
			}
			if err := c.call(client); err == nil || !c.kind(err) {
				t.Errorf("%v", err)
			}
		})
	}
}

func isWrong(err error) bool  { _, ok := errors.AsType[*remote.WrongServerError](err); return ok }
func isAnswer(err error) bool { _, ok := errors.AsType[*AnswerError](err); return ok }
func isTimeout(err error) bool {
	e, ok := errors.AsType[*NoResponseError](err)
	return ok && e.Timeout()
}

// A request obeys no redirect, and its error holds no credentials that a server repeats.
func TestCredentialsStayWithTheServer(t *testing.T) {
	visited := false
	other := serve(t, Config{}, func(http.ResponseWriter, *http.Request) { visited = true })
	c := serve(t, Config{User: "joe", Password: "open-sesame-4711"}, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		w.Header().Set("Location", other.URL()+"/?user="+user+"&password="+password)
		w.WriteHeader(307)
		io.WriteString(w, r.Header.Get("Authorization")+" "+password)
	})
	err := c.Repository("x").Create(t.Context(), "")
	if !IsStatus(err, 307) || visited || strings.Contains(err.Error(), "open-sesame") || strings.Contains(err.Error(), "b3Blbi1zZXNhbWU") {
		t.Errorf("visited %v: %v", visited, err)
	}
	echo := serve(t, Config{User: "joe", Password: "open-sesame-4711"}, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")+" open-sesame-4711 \x1b[31m\u202e")
	})
	err = echo.Repository("x").Delete(t.Context())
	if !IsStatus(err, 500) || !strings.HasSuffix(err.Error(), ": *** *** [31m") {
		t.Errorf("%q", err)
	}
}
