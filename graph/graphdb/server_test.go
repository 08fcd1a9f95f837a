package graphdb

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// versionServer answers the requests for versions. An empty version of GraphDB is a status of 404.
func versionServer(t *testing.T, protocol, version string) *rdf4j.Client {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/protocol":
			io.WriteString(w, protocol)
		case r.URL.Path == "/rest/info/version" && version != "":
			io.WriteString(w, version)
		default:
			http.Error(w, "no such page", http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	c, err := rdf4j.New(rdf4j.Config{URL: s.URL})
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestVersions(t *testing.T) {
	product := func(version string) string {
		return `{"productType":"free","productVersion":"` + version + `","sesame":"4.3.9"}`
	}
	for name, c := range map[string]struct {
		protocol, version string
		fault             schema.Fault
		says, warns       string
	}{
		"GraphDB 10":            {"12", product("10.8.3"), 0, "GraphDB 10.8.3, RDF4J protocol 12", ""},
		"GraphDB 11":            {"14", product("11.0.0-RC1"), 0, "GraphDB 11.0.0-RC1", ""},
		"GraphDB 9":             {"10", product("9.11.2"), schema.FaultUsage, "too old: GraphDB 9.11.2", ""},
		"a version of words":    {"12", product("nightly\\u202e"), 0, "GraphDB nightly", "unknown"},
		"RDF4J Server 3":        {"9", "", 0, "RDF4J protocol 9", ""},
		"RDF4J Server 5":        {"15\n", "", 0, "RDF4J protocol 15", ""},
		"RDF4J Server 2":        {"8", "", schema.FaultUsage, "too old: RDF4J protocol 8", ""},
		"a page of versions":    {"12", "[]", 0, "RDF4J protocol 12", ""},
		"a protocol of words":   {"twelve", "", schema.FaultService, `"twelve" is no version`, ""},
		"a long protocol":       {strings.Repeat("1", 5<<20), "", schema.FaultService, "longer than", ""},
		"a protocol below zero": {"-3", "", schema.FaultUsage, "too old", ""},
	} {
		var log bytes.Buffer
		server, err := Probe(t.Context(), versionServer(t, c.protocol, c.version), slog.New(slog.NewTextHandler(&log, nil)))
		fault, remedy := schema.FaultOf(err)
		said := server.String()
		if err != nil {
			said = err.Error()
		}
		if (err != nil) != (c.fault != 0) || fault != c.fault || err != nil && remedy == "" || !strings.Contains(said, c.says) || c.warns == "" != (log.Len() == 0) || !strings.Contains(log.String(), c.warns) {
			t.Errorf("%s: fault %v, %q, %s", name, fault, said, log.String())
		}
	}
	c := versionServer(t, "12", product("9.1.0"))
	b := build(t, 1, "gzip")
	if _, err := Load(t.Context(), c.Repository("x"), b, Options{RetryFor: time.Hour}); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("a load: %v", err)
	}
	if _, _, err := Plan(t.Context(), c.Repository("x"), b); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("a plan: %v", err)
	}
}

// A load gives up RetryFor after the first failure, whatever pause the server requests, and however its retries are nested.
func TestLoadRetriesForAsLongAsItStates(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(r *http.Request) bool{
		"all requests": func(*http.Request) bool { return true },
		"transactions": func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/transactions") },
		"additions":    func(r *http.Request) bool { return is(r, http.MethodPut, "ADD") },
	} {
		for _, after := range []string{"", "3600", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
			t.Run(name+" "+after, func(t *testing.T) {
				t.Parallel()
				w := &workbench{t: t, folder: t.TempDir(), states: map[string]string{}, marks: map[string]string{}}
				var first atomic.Int64 // failure
				s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
					if !fails(r) {
						w.ServeHTTP(out, r)
						return
					}
					first.CompareAndSwap(0, time.Now().UnixNano())
					out.Header().Set("Retry-After", after)
					out.WriteHeader(http.StatusServiceUnavailable)
				}))
				defer s.Close()
				for try := 1; ; try++ { // other work on the machine may delay one of them
					first.Store(0)
					_, err := Load(t.Context(), repository(t, s.URL, "x"), build(t, 1, "gzip"), Options{RetryFor: 600 * time.Millisecond, InFlight: 1})
					took := time.Since(time.Unix(0, first.Load()))
					if fault, _ := schema.FaultOf(err); fault != schema.FaultService || took < 600*time.Millisecond || took > 1400*time.Millisecond && try == 10 {
						t.Errorf("%v after %v: %v", fault, took, err)
					}
					if took <= 1400*time.Millisecond || try == 10 {
						return
					}
				}
			})
		}
	}
}

// A load obeys Retry-After.
func TestLoadObeysRetryAfter(t *testing.T) {
	t.Parallel()
	w := &workbench{t: t, folder: t.TempDir(), states: map[string]string{}, marks: map[string]string{}}
	var refused, again atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/size") {
			if refused.CompareAndSwap(0, time.Now().UnixNano()) {
				out.Header().Set("Retry-After", "1")
				out.WriteHeader(http.StatusTooManyRequests)
				return
			}
			again.CompareAndSwap(0, time.Now().UnixNano())
		}
		w.ServeHTTP(out, r)
	}))
	defer s.Close()
	_, _ = Load(t.Context(), repository(t, s.URL, "x"), build(t, 1, "gzip"), Options{RetryFor: 5 * time.Minute})
	if pause := time.Duration(again.Load() - refused.Load()); pause < time.Second || pause > time.Minute {
		t.Errorf("a pause of %v", pause)
	}
}

// A web page in place of any answer of a running load, as of a proxy whose session has ended, never counts as done.
func TestPagesAreNoSuccess(t *testing.T) {
	t.Parallel()
	for name, which := range map[string]func(r *http.Request) bool{
		"begin": func(r *http.Request) bool {
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/transactions")
		},
		"add":    func(r *http.Request) bool { return is(r, http.MethodPut, "ADD") },
		"commit": func(r *http.Request) bool { return is(r, http.MethodPut, "COMMIT") },
		"size":   func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/size") },
		"query":  func(r *http.Request) bool { return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/x") },
	} {
		w := &workbench{t: t, folder: t.TempDir(), states: map[string]string{}, marks: map[string]string{}, size: 1, edition: "other"}
		if name != "query" {
			w.size, w.edition = 0, ""
		}
		s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if which(r) {
				out.Header().Set("Content-Type", "text/html")
				io.WriteString(out, "<html><title>Sign in</title>")
				return
			}
			w.ServeHTTP(out, r)
		}))
		_, err := Load(t.Context(), repository(t, s.URL, "x"), build(t, 1, "gzip"), Options{RetryFor: time.Minute, InFlight: 1})
		s.Close()
		if fault, _ := schema.FaultOf(err); fault != schema.FaultService || !strings.Contains(err.Error(), `"Sign in"`) {
			t.Errorf("%s: fault %v: %v", name, fault, err)
		}
	}
}
