package graphdb

import (
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// faultyProxy passes requests on to a server, but for those that fate makes fail.
type faultyProxy struct {
	*httptest.Server
	fate func(r *http.Request) fate
}

// fate is what happens to a request.
type fate uint8

const (
	passes     fate = iota
	refused         // 503, and the server does not see it
	cut             // the server does not see it, and the connection ends
	lost            // the server carries it out, and the connection ends before the answer
	half            // the server carries it out, and the answer is cut
	unanswered      // the server carries it out, and the answer does not come
)

func startProxy(t *testing.T, server string, chooses func(*http.Request) fate) *faultyProxy {
	t.Helper()
	to, err := url.Parse(server)
	check(t, err)
	p := &faultyProxy{fate: chooses}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fate := p.fate(r)
		switch fate {
		case refused:
			http.Error(w, "try later", http.StatusServiceUnavailable)
			return
		case cut:
			panic(http.ErrAbortHandler)
		case passes:
			proxy.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
		switch fate {
		case half:
			maps.Copy(w.Header(), answer.Header())
			w.Header().Set("Content-Length", "1000000")
			w.WriteHeader(answer.Code)
			_, _ = io.CopyN(w, answer.Body, int64(answer.Body.Len()/2))
			w.(http.Flusher).Flush()
		case unanswered:
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(p.Close)
	return p
}

func is(r *http.Request, method, action string) bool {
	return r.Method == method && r.URL.Query().Get("action") == action
}

// faults loads through a faulty proxy, and compares the result with the files.
func faults(t *testing.T, server string, name func(testing.TB) string) {
	// at random, because a fault of every nth request can hit the same one of each transaction
	sometimes := func(share float64, what fate, which func(*http.Request) bool) func(*http.Request) fate {
		return func(r *http.Request) fate {
			if which(r) && rand.Float64() < share {
				return what
			}
			return passes
		}
	}
	commit := func(r *http.Request) bool { return is(r, http.MethodPut, "COMMIT") }
	any := func(*http.Request) bool { return true }
	for what, bad := range map[string]func(*http.Request) fate{
		"503":                    sometimes(.2, refused, any),
		"connections end":        sometimes(.2, cut, any),
		"answers are lost":       sometimes(.2, lost, any),
		"answers to COMMIT too":  sometimes(.7, lost, commit),
		"COMMIT does not arrive": sometimes(.7, cut, commit),
		"answers are cut":        sometimes(.2, half, any),
		"COMMIT hangs":           sometimes(.4, unanswered, commit),
		"ADD hangs":              sometimes(.1, unanswered, func(r *http.Request) bool { return is(r, http.MethodPut, "ADD") }),
	} {
		t.Run(what, func(t *testing.T) {
			b := build(t, 8, "gzip")
			timeout := time.Minute
			if strings.HasSuffix(what, "hangs") {
				timeout = 2 * time.Second
			}
			c, err := rdf4j.New(rdf4j.Config{URL: startProxy(t, server, bad).URL, Timeout: timeout})
			check(t, err)
			defer c.Close()
			repository := name(t)
			loaded, err := Load(t.Context(), c.Repository(repository), b, Options{Transaction: 2, RetryFor: time.Minute, firstPause: 10 * time.Millisecond, Log: logger(t)})
			check(t, err)
			if loaded.Statements != b.Statements() {
				t.Errorf("%d statements", loaded.Statements)
			}
			direct, err := rdf4j.New(rdf4j.Config{URL: server})
			check(t, err)
			defer direct.Close()
			holds(t, direct.Repository(repository), b)
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		b := build(t, 8, "gzip")
		ctx, cancel := context.WithCancel(t.Context())
		var adds, rollbacks atomic.Int64
		proxy := startProxy(t, server, func(r *http.Request) fate {
			if is(r, http.MethodPut, "ADD") && adds.Add(1) == 6 {
				cancel()
			}
			if r.Method == http.MethodDelete {
				rollbacks.Add(1)
			}
			return passes
		})
		_, err := Load(ctx, repository(t, proxy.URL, name(t)), b, Options{Transaction: 2, InFlight: 1, Log: logger(t)})
		if !errors.Is(err, context.Canceled) || rollbacks.Load() != 1 {
			t.Errorf("%d rollbacks: %v", rollbacks.Load(), err)
		}
	})
}

// A permanent error ends a load at once, a temporary one when RetryFor is over. Both
// have a remedy.
func TestFaultsHaveRemedies(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		fault  schema.Fault
		want   string
	}{
		"down for long":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, schema.FaultService, "tried"},
		"another service": {http.NotFound, schema.FaultUsage, "refuses"},
		"password":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, schema.FaultUsage, "401"},
		"hangs up":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, schema.FaultService, "EOF"},
		"read-only": {func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/protocol"):
				io.WriteString(w, "12")
				return
			case r.Method == http.MethodGet:
				io.WriteString(w, "0")
				return
			}
			w.WriteHeader(403)
		}, schema.FaultUsage, "403"},
	} {
		s := httptest.NewServer(c.answer)
		_, err := Load(t.Context(), repository(t, s.URL, "x"), build(t, 1, "gzip"), Options{RetryFor: 600 * time.Millisecond})
		s.Close()
		fault, remedy := schema.FaultOf(err)
		if name == "another service" { // 404 to all: the repository is absent, and cannot be made
			c.want = "404"
		}
		if fault != c.fault || remedy == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: fault %v, remedy %q: %v", name, fault, remedy, err)
		}
	}
}
