package qdrant

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"s2g/schema"
)

// access returns the access to a fake.
func access(t *testing.T, f *fake) Access {
	a, err := ParseAddress(f.address)
	if err != nil {
		t.Fatal(err)
	}
	return Access{Address: a, Pause: 5 * time.Millisecond}
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, c := range map[string]struct {
		fault schema.Fault
		warns string
	}{
		"1.18.3": {}, "1.17.0": {}, "v1.17.1": {}, "1.20.0-dev": {}, "2.0.0": {}, "1.17": {},
		"1.16.3": {schema.FaultUsage, ""}, "1.9.0": {schema.FaultUsage, ""}, "0.11.7": {schema.FaultUsage, ""},
		"nightly\u202e": {0, "unknown"}, "1": {0, "unknown"}, "99999999999.0": {0, "unknown"},
	} {
		f := startFake(t, &fake{version: version})
		var log bytes.Buffer
		a := access(t, f)
		a.Log = slog.New(slog.NewTextHandler(&log, nil))
		s, err := Open(t.Context(), a)
		if fault, remedy := schema.FaultOf(err); fault != c.fault || (err != nil) != (c.fault != 0) || err != nil && !strings.Contains(remedy, "1.17") {
			t.Errorf("%s: fault %v: %v", version, fault, err)
		}
		if !strings.Contains(log.String(), c.warns) || c.warns == "" && strings.Contains(log.String(), "WARN") || strings.ContainsRune(log.String(), '\u202e') {
			t.Errorf("%s: %s", version, log.String())
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

// A call gives up RetryFor after its first failure, whatever pause the server requests, by a trailer or as a proxy does.
func TestCallsRetryForAsLongAsStated(t *testing.T) {
	t.Parallel()
	date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		code  codes.Code
		after string
	}{
		"unavailable": {codes.Unavailable, ""}, "for an hour": {codes.Unavailable, "3600"}, "limited for an hour": {codes.ResourceExhausted, "3600"},
		"limited until a date": {codes.ResourceExhausted, date}, "limited for nonsense": {codes.ResourceExhausted, "soon"}, "limited by less than nothing": {codes.ResourceExhausted, "-9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, &fake{before: func(ctx context.Context, method string, _ int, _ proto.Message) error {
				if method == "HealthCheck" {
					return nil
				}
				_ = grpc.SetTrailer(ctx, metadata.Pairs("retry-after", c.after))
				return status.Error(c.code, "busy")
			}})
			s := open(t, f.address, func(a *Access) { a.RetryFor = 600 * time.Millisecond })
			for try := 1; ; try++ { // other work on the machine may delay one of them
				before, began := f.called("List"), time.Now()
				_, err := s.Aliases(t.Context())
				took := time.Since(began)
				if faultOf(err) != schema.FaultService || took < 600*time.Millisecond || took > 1200*time.Millisecond && try == 10 {
					t.Errorf("%v after %v", err, took)
				}
				if f.called("List")-before < 2 {
					t.Error("no call at the limit")
				}
				if took <= 1200*time.Millisecond || try == 10 {
					return
				}
			}
		})
	}
}

func TestCallsObeyRetryAfter(t *testing.T) {
	t.Parallel()
	for _, code := range []codes.Code{codes.ResourceExhausted, codes.Unavailable} {
		for _, date := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, date %v", code, date), func(t *testing.T) {
				t.Parallel()
				var until, again time.Time
				f := startFake(t, &fake{before: func(ctx context.Context, method string, nth int, _ proto.Message) error {
					if method != "List" {
						return nil
					}
					if nth > 1 {
						again = time.Now()
						return nil
					}
					until = time.Now().Add(time.Second)
					after := "1"
					if date {
						until = time.Now().Add(1500 * time.Millisecond).Truncate(time.Second)
						after = until.UTC().Format(http.TimeFormat)
					}
					_ = grpc.SetTrailer(ctx, metadata.Pairs("retry-after", after))
					return status.Error(code, "slowly")
				}})
				s := open(t, f.address)
				if _, err := s.Aliases(t.Context()); err != nil || again.Before(until) || again.After(until.Add(time.Minute)) {
					t.Errorf("%v after the time, %v", again.Sub(until), err)
				}
			})
		}
	}
}

// A server's text is printed without the key and without control characters, in errors and in the log.
func TestTextsOfTheServer(t *testing.T) {
	t.Parallel()
	const key = "open-sesame-4711"
	var log bytes.Buffer
	f := startFake(t, &fake{before: func(ctx context.Context, method string, nth int, _ proto.Message) error {
		if method == "HealthCheck" {
			return nil
		}
		if nth < 3 {
			return status.Error(codes.Unavailable, "\x1b[31m\u202e key open-sesame\u200b-4711 "+strings.Repeat("x", 5000))
		}
		return status.Error(codes.Internal, "api-key: open-sesame-4711\r\ns2g: done\x00")
	}})
	s := open(t, f.address, func(a *Access) {
		a.Key, a.RetryFor = key, time.Minute
		a.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	_, err := s.Aliases(t.Context())
	said := err.Error() + log.String()
	if strings.Contains(said, key) || strings.ContainsAny(err.Error(), "\x1b\x00\r\n\u202e\u200b") || strings.Contains(log.String(), "\u202e") || len(err.Error()) > 600 {
		t.Errorf("%q", said)
	}
	if !strings.Contains(err.Error(), "***") {
		t.Errorf("%v: nothing was hidden", err)
	}
}

// A list of ids that never ends, or does not ascend, ends a load.
func TestListsOfIDsEnd(t *testing.T) {
	t.Parallel()
	points := func(next uint64, ids ...uint64) *qdrant.ScrollResponse {
		r := &qdrant.ScrollResponse{NextPageOffset: qdrant.NewIDNum(next)}
		for _, id := range ids {
			r.Result = append(r.Result, &qdrant.RetrievedPoint{Id: qdrant.NewIDNum(id)})
		}
		return r
	}
	for name, scroll := range map[string]func(r *qdrant.ScrollPoints) *qdrant.ScrollResponse{
		"the same page":    func(*qdrant.ScrollPoints) *qdrant.ScrollResponse { return points(1<<16, 1<<16, 2<<16) },
		"empty pages":      func(r *qdrant.ScrollPoints) *qdrant.ScrollResponse { return points(r.GetOffset().GetNum() + 1) },
		"a page backwards": func(*qdrant.ScrollPoints) *qdrant.ScrollResponse { return points(9<<16, 5<<16, 4<<16) },
		"an id twice":      func(*qdrant.ScrollPoints) *qdrant.ScrollResponse { return points(9<<16, 5<<16, 5<<16) },
	} {
		f := startFake(t, &fake{scroll: scroll})
		s := open(t, f.address)
		n := 0
		var err error
		for _, e := range s.IDs(t.Context(), "c") {
			if n++; e != nil {
				err = e
			}
			if n > 1000 {
				t.Fatalf("%s: it does not end", name)
			}
		}
		if faultOf(err) != schema.FaultService || !strings.Contains(err.Error(), "ascend") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Another gRPC server, and one that answers with the status of HTTP, are found at once.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	f := startFake(t, &fake{before: func(_ context.Context, method string, _ int, _ proto.Message) error {
		return status.Error(codes.Unimplemented, "unknown service "+path.Base(method))
	}})
	a := access(t, f)
	a.RetryFor = time.Hour
	if _, err := Open(t.Context(), a); faultOf(err) != schema.FaultUsage || !strings.Contains(err.Error(), "without Qdrant's API") {
		t.Errorf("%v", err)
	}
	for says, c := range map[string]struct {
		status int
		media  string
		fault  schema.Fault
	}{
		"a web page answers":    {200, "text/html", schema.FaultService},
		"a server without gRPC": {404, "application/json", schema.FaultUsage},
	} {
		// HTTP/2 without TLS, as a proxy speaks it
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		server := &http.Server{Protocols: &protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			w.WriteHeader(c.status)
		})}
		l := listen(t)
		go func() { _ = server.Serve(l) }()
		t.Cleanup(func() { server.Close() })
		address, err := ParseAddress(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), Access{Address: address, RetryFor: time.Hour}); faultOf(err) != c.fault || !strings.Contains(err.Error(), says) {
			t.Errorf("%d: fault %v: %v", c.status, faultOf(err), err)
		}
	}
}
