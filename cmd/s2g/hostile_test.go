package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"

	"s2g/schema/schematest"
)

// secretOfTest is the credential of all clients. No output may hold it.
const secretOfTest = "open-sesame-4711"

// hostileServer is a server that is not what a client expects. The exit codes are those of doctor and of a load.
type hostileServer struct {
	name                   string
	start                  func(t *testing.T) (address string)
	https                  bool // the clients are told https://
	embed, graphDB, qdrant int
	says                   string // in the output of each client
	slow                   bool   // it may use up timeouts
}

// webServer returns a start that serves a handler.
func webServer(h http.HandlerFunc) func(*testing.T) string {
	return func(t *testing.T) string {
		s := httptest.NewServer(h)
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return s.Listener.Addr().String()
	}
}

// rawServer returns a start that gives each connection to a function, which may return to close it.
func rawServer(talk func(net.Conn)) func(*testing.T) string {
	return func(t *testing.T) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() { defer c.Close(); talk(c) }()
			}
		}()
		return l.Addr().String()
	}
}

// answering returns a raw server that reads a request and sends a text.
func answering(text string) func(*testing.T) string {
	return rawServer(func(c net.Conn) {
		readHead(c)
		_, _ = io.WriteString(c, text)
	})
}

// readHead reads until the end of a request's header.
func readHead(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	var head []byte
	for b := make([]byte, 1024); !bytes.Contains(head, []byte("\r\n\r\n")); {
		n, err := c.Read(b)
		if head = append(head, b[:n]...); err != nil {
			return
		}
	}
}

func page(status int, title string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<!doctype html><html><head><title>%s</title></head><body><h1>%[1]s</h1><script>alert(1)</script></body></html>", title)
	}
}

func plainAnswer(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// echo repeats the headers of a request in many forms, with control characters and marks of direction.
func echo(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		auth := r.Header.Get("Authorization") + r.Header.Get("Api-Key")
		fmt.Fprintf(w, "\x1b[31m\x1b]0;owned\x07\u202egnp.exe\u2069 %v %q {\"Authorization\": %q} %s api-key: %s http://joe:%[5]s@host/?api_key=%[5]s %s\r\ns2g: done\n",
			r.Header, auth, auth, auth, secretOfTest, strings.Join(strings.Split(secretOfTest, ""), "\u200b"))
	}
}

func grpcServer(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

func tlsServer(h http.Handler) func(*testing.T) string {
	return func(t *testing.T) string {
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = nil
		s.EnableHTTP2 = true
		s.StartTLS()
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return s.Listener.Addr().String()
	}
}

func gzipped(n int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	zeros := make([]byte, 1<<20)
	for range n {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	return b.String()
}

var hostileServers = []hostileServer{
	{name: "a login page", start: webServer(page(200, "Sign in")), embed: 4, graphDB: 4, qdrant: 2, says: "Sign in"},
	{name: "a page of status 404", start: webServer(page(404, "Not here")), embed: 4, graphDB: 4, qdrant: 2, says: "Not here"},
	{name: "a page of status 501", start: webServer(page(501, "Unsupported method")), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a page of maintenance", start: webServer(page(503, "Back soon")), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a page without a type", start: answering("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html><title>Hello</title>"), embed: 4, graphDB: 4, qdrant: 2},
	{name: "empty answers", start: webServer(func(http.ResponseWriter, *http.Request) {}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "status 204", start: webServer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }), embed: 2, graphDB: 4, qdrant: 2},
	{name: "an error as JSON with status 200", start: webServer(plainAnswer(200, "application/json", `{"error": {"message": "the model is loading"}}`)), embed: 4, graphDB: 4, qdrant: 2},
	{name: "an endless answer", start: webServer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for b := bytes.Repeat([]byte(" "), 64<<10); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	}), embed: 4, graphDB: 4, qdrant: 2, says: ""},
	{name: "an endless header", start: rawServer(func(c net.Conn) {
		readHead(c)
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for i := 0; err == nil; i++ {
			_, err = fmt.Fprintf(c, "X-%d: %s\r\n", i, strings.Repeat("x", 1000))
		}
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "endless interim answers", start: rawServer(func(c net.Conn) {
		readHead(c)
		var err error
		for err == nil {
			_, err = io.WriteString(c, "HTTP/1.1 102 Processing\r\n\r\n")
		}
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a header of one byte a second", start: rawServer(func(c net.Conn) {
		readHead(c)
		for _, b := range []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n") {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}), embed: 4, graphDB: 4, qdrant: 2, slow: true},
	{name: "a body of one byte a second", start: rawServer(func(c net.Conn) {
		readHead(c)
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
		for err == nil {
			time.Sleep(time.Second)
			_, err = io.WriteString(c, " ")
		}
	}), embed: 4, graphDB: 4, qdrant: 2, slow: true},
	{name: "no answer", start: rawServer(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), embed: 4, graphDB: 4, qdrant: 4, says: "answers nothing", slow: true},
	{name: "connections that end", start: rawServer(func(net.Conn) {}), embed: 4, graphDB: 4, qdrant: 4},
	{name: "connections that are reset", start: rawServer(func(c net.Conn) { readHead(c); _ = c.(*net.TCPConn).SetLinger(0) }), embed: 4, graphDB: 4, qdrant: 4},
	{name: "a reset within the answer", start: rawServer(func(c net.Conn) {
		readHead(c)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\"")
		time.Sleep(20 * time.Millisecond)
		_ = c.(*net.TCPConn).SetLinger(0)
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a length that is too long", start: answering("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n12"), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a length that is negative", start: answering("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n12"), embed: 4, graphDB: 4, qdrant: 2},
	{name: "two lengths", start: answering("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12"), embed: 4, graphDB: 4, qdrant: 2},
	{name: "chunks that are no chunks", start: answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello world\r\n"), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a compressed answer of 64 MiB of zeros", start: webServer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, bomb())
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a number of a megabyte", start: webServer(func(w http.ResponseWriter, r *http.Request) {
		plainAnswer(200, "application/json", `{"data": [{"index": 0, "embedding": [`+strings.Repeat("9", 1<<20)+`]}]}`)(w, r)
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "deep JSON", start: webServer(func(w http.ResponseWriter, r *http.Request) {
		plainAnswer(200, "application/json", strings.Repeat(`{"data":[`, 1<<16))(w, r)
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "control characters and the credentials, status 400", start: webServer(echo(400)), embed: 2, graphDB: 2, qdrant: 2},
	{name: "control characters and the credentials, status 401", start: webServer(echo(401)), embed: 2, graphDB: 2, qdrant: 2},
	{name: "control characters and the credentials, status 404", start: webServer(echo(404)), embed: 2, graphDB: 2, qdrant: 2},
	{name: "control characters and the credentials, status 500", start: webServer(echo(500)), embed: 4, graphDB: 4, qdrant: 2},
	{name: "a redirect to itself", start: webServer(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	}), embed: 2, graphDB: 2, qdrant: 2},
	{name: "a proxy that requires a user", start: webServer(plainAnswer(407, "text/plain", "who are you?")), embed: 2, graphDB: 2, qdrant: 2},
	{name: "a server with TLS", start: tlsServer(http.NotFoundHandler()), embed: 2, graphDB: 2, qdrant: 2, says: "https://"},
	{name: "a server without TLS", https: true, start: webServer(http.NotFound), embed: 2, graphDB: 2, qdrant: 2, says: "http://"},
	{name: "a gRPC server for https", https: true, start: grpcServer, embed: 2, graphDB: 2, qdrant: 2},
	{name: "a certificate that is not trusted", https: true, start: tlsServer(http.NotFoundHandler()), embed: 2, graphDB: 2, qdrant: 2, says: "SSL_CERT_FILE"},
	{name: "a server that requires a client's certificate", https: true, start: func(t *testing.T) string {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
		s.StartTLS()
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}, embed: 2, graphDB: 2, qdrant: 2},
	{name: "another gRPC server", start: grpcServer, embed: 2, graphDB: 2, qdrant: 2, says: "gRPC"},
	{name: "Qdrant's REST API", start: webServer(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(404)
			return
		}
		plainAnswer(200, "application/json", `{"title":"qdrant - vector search engine","version":"1.18.3","commit":"x"}`)(w, r)
	}), embed: 2, graphDB: 2, qdrant: 2, says: "Qdrant"},
	{name: "MariaDB", start: rawServer(func(c net.Conn) {
		_, _ = io.WriteString(c, "J\x00\x00\x00\x0a5.5.5-10.11.6-MariaDB\x00abcdefgh\x00")
		_, _ = io.Copy(io.Discard, c)
	}), embed: 2, graphDB: 2, qdrant: 2, says: "MariaDB"},
	{name: "SSH", start: rawServer(func(c net.Conn) {
		_, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.2p1\r\n")
		_, _ = io.Copy(io.Discard, c)
	}), embed: 2, graphDB: 2, qdrant: 2, says: "SSH"},
	{name: "Redis", start: answering("-ERR wrong number of arguments for 'get' command\r\n"), embed: 2, graphDB: 2, qdrant: 2, says: "Redis"},
	{name: "an HTTP/2 server that goes away", start: rawServer(func(c net.Conn) {
		_, _ = c.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0})
		goAway := []byte{0, 0, 8, 7, 0, 0, 0, 0, 0}
		goAway = binary.BigEndian.AppendUint64(goAway, 2)
		_, _ = c.Write(goAway)
	}), embed: 2, graphDB: 2, qdrant: 4},
	{name: "a server that is busy for an hour", start: webServer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3600")
		plainAnswer(429, "text/plain", "slowly")(w, r)
	}), embed: 4, graphDB: 4, qdrant: 2},
	{name: "nothing", start: func(t *testing.T) string { return schematest.DeadAddress(t) }, embed: 4, graphDB: 4, qdrant: 4},
}

// bomb is made at its first use: each s2g of the tests is this program, and initialises its variables.
var bomb = sync.OnceValue(func() string { return gzipped(64) })

// forbidden matches what no output of a terminal may hold: control and format characters.
var forbidden = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{2069}]`)

// TestHostileServers gives each client each hostile server, by doctor and by a load. None hangs, repeats a credential or a
// control character, or has another exit code than the case's.
func TestHostileServers(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	dir := t.TempDir()
	dump, out := filepath.Join(dir, "dump"), filepath.Join(dir, "build")
	s2gExits(t, 0, "sample", "--posts", "60", "--seed", "3", "--out", dump)
	s2gExits(t, 0, "build", "--dump", dump, "--out", out, "--languages", "python", "--stages", "ingest,graph,vectors", "--db-memory", "64MiB")
	for _, name := range []string{"S2G_DENSE_API_KEY", "S2G_GRAPHDB_TOKEN", "S2G_QDRANT_API_KEY"} {
		t.Setenv(name, secretOfTest)
	}
	type outcome struct {
		code           int
		took           time.Duration
		stdout, stderr bytes.Buffer
	}
	var running errgroup.Group
	running.SetLimit(24) // they wait most of the time
	var checks []func()
	for _, h := range hostileServers {
		address := h.start(t)
		scheme := "http://"
		if h.https {
			scheme = "https://"
		}
		for _, c := range []struct {
			client string
			exits  int
			args   []string
		}{
			{"endpoint", h.embed, []string{"doctor", "--dense", "openai+" + scheme + address + "/v1?model=m"}},
			{"GraphDB", h.graphDB, []string{"doctor", "--graphdb", scheme + address}},
			{"Qdrant", h.qdrant, []string{"doctor", "--qdrant", scheme + address}},
			{"load of GraphDB", h.graphDB, []string{"load", "graphdb", "--out", out, "--url", scheme + address, "--retry-for", "1s"}},
			{"load of Qdrant", h.qdrant, []string{"load", "qdrant", "--out", out, "--url", scheme + address, "--retry-for", "1s"}},
		} {
			var o outcome
			running.Go(func() error {
				began := time.Now()
				o.code = run(context.WithoutCancel(t.Context()), c.args, &o.stdout, &o.stderr)
				o.took = time.Since(began)
				return nil
			})
			checks = append(checks, func() {
				said := o.stdout.String() + o.stderr.String()
				fail := func(format string, args ...any) {
					t.Helper()
					t.Errorf("%s, %s: "+format+":\n%q", append(append([]any{h.name, c.client}, args...), said)...)
				}
				wanted := c.exits
				if c.client == "GraphDB" && strings.HasSuffix(h.name, "401") {
					wanted = 0 // doctor has no user
				}
				limit := 2 * time.Minute // beside much other work; a client without limits takes an hour
				if h.slow {
					limit = 5 * time.Minute
				}
				if o.code != wanted {
					fail("exit code %d, want %d", o.code, wanted)
				}
				if o.took > limit {
					fail("%v", o.took)
				}
				if wanted != 0 && !strings.Contains(said, h.says) {
					fail("no %q", h.says)
				}
				if bad := forbidden.FindString(said); bad != "" || strings.Contains(strings.ToLower(said), secretOfTest) {
					fail("%q, or a credential", bad)
				}
				for line := range strings.Lines(o.stderr.String()) {
					if strings.HasPrefix(line, "s2g: done") || len(line) > 1500 {
						fail("a line of the server's: %q", line)
					}
				}
				if testing.Verbose() {
					t.Logf("%s, %s: %v, exit code %d\n%s", h.name, c.client, o.took.Round(time.Millisecond), o.code, o.stderr.String())
				}
			})
		}
	}
	_ = running.Wait()
	for _, check := range checks {
		check()
	}
}

// No client sends its credentials to where a server redirects it.
func TestRedirectsLeadNowhere(t *testing.T) {
	var visits atomic.Int64
	other := webServer(func(w http.ResponseWriter, r *http.Request) { visits.Add(1); w.WriteHeader(200) })(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		from := webServer(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://"+strings.Replace(other, "127.0.0.1", "localhost", 1)+r.URL.Path+"?token=abcdefgh")
			w.WriteHeader(status)
		})(t)
		t.Setenv("S2G_DENSE_API_KEY", secretOfTest)
		t.Setenv("S2G_GRAPHDB_TOKEN", secretOfTest)
		for _, args := range [][]string{{"--dense", "openai+http://" + from + "/v1?model=m"}, {"--graphdb", "http://" + from}} {
			_, said := s2gExits(t, 2, append([]string{"doctor"}, args...)...)
			mustContain(t, said, "redirects to")
			if strings.Contains(said, "abcdefgh") {
				t.Errorf("it prints the token of an address:\n%s", said)
			}
		}
	}
	if n := visits.Load(); n > 0 {
		t.Errorf("%d requests reach the other server", n)
	}
}
