package qdrant

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"s2g/schema"
	"s2g/schema/schematest"
)

// Calls of each kind fail from time to time for temporary reasons, before or after
// their effect; at the end each point is loaded once.
func TestLoadSurvivesTemporaryFaults(t *testing.T) {
	t.Parallel()
	limited := func(ctx context.Context) error {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("retry-after", "0")) // fails for a call that has ended
		return status.Error(codes.ResourceExhausted, "too many requests")
	}
	f := &fake{}
	f.before = func(ctx context.Context, _ string, nth int, _ proto.Message) error {
		switch nth % 5 {
		case 1:
			return status.Error(codes.Unavailable, "starting")
		case 2:
			return limited(ctx)
		}
		return nil
	}
	f.after = func(_ context.Context, _ string, nth int, _ proto.Message) error {
		if nth%5 == 3 { // the answer of a successful call is lost
			return status.Error(codes.Unavailable, "connection reset")
		}
		return nil
	}
	startFake(t, f)
	s := open(t, f.address, func(a *Access) { a.Pause = time.Millisecond })
	b := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 60})
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	two := build(t, "so", "2024-06-30_00000002", map[string]int{"c": 60})
	mustLoad(t, s, two, small())
	f.calls["UpdateAliases"], f.calls["Delete"] = 2, 2 // so that the answers of the next are lost
	if deleted := mustServe(t, s, two, 0); len(deleted) != 1 || f.aliases["so_c"] != two.Collection("c") || len(f.collections) != 1 {
		t.Errorf("deleted %q, aliases %v", deleted, f.aliases)
	}
	if got := len(f.points[two.Collection("c")]); got != int(two.Points()) {
		t.Errorf("%d points of %d", got, two.Points())
	}
}

// Permanent errors are not retried, and every error has its class.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what   string
		method string
		err    error
		fault  schema.Fault
		tries  int // 0: several
		remedy string
	}{
		{"refused points", "Upsert", status.Error(codes.InvalidArgument, "Vector dimension error"), schema.FaultUsage, 1, "1.18.3"},
		{"no key", "HealthCheck", status.Error(codes.Unauthenticated, "Must provide an API key"), schema.FaultUsage, 1, "S2G_QDRANT_API_KEY"},
		{"a key that may not", "Create", status.Error(codes.PermissionDenied, "Global access required"), schema.FaultUsage, 1, "S2G_QDRANT_API_KEY"},
		{"an old server", "Scroll", status.Error(codes.Unimplemented, "unknown method"), schema.FaultUsage, 1, "1.18.3"},
		{"a broken disk", "Upsert", status.Error(codes.Internal, "No space left on device"), schema.FaultService, 1, "same command"},
		{"a message too large", "Upsert", status.Error(codes.ResourceExhausted, "grpc: received message larger than max (6 vs. 4)"), schema.FaultService, 1, "same command"},
		{"down", "Upsert", status.Error(codes.Unavailable, "down"), schema.FaultService, 0, "same command"},
		{"overloaded", "Count", status.Error(codes.ResourceExhausted, "too many"), schema.FaultService, 0, "same command"},
		{"slow", "CreateFieldIndex", status.Error(codes.DeadlineExceeded, "slow"), schema.FaultService, 0, "same command"},
	} {
		f := &fake{}
		f.before = func(_ context.Context, method string, _ int, _ proto.Message) error {
			if method == c.method {
				return c.err
			}
			return nil
		}
		startFake(t, f)
		a, err := ParseAddress(f.address)
		if err != nil {
			t.Fatal(err)
		}
		err = func() error {
			s, err := Open(t.Context(), Access{Address: a, RetryFor: 400 * time.Millisecond, Pause: 20 * time.Millisecond})
			if err != nil {
				return err
			}
			b := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 5})
			f.points[b.Collection("c")] = map[uint64]*qdrant.PointStruct{4 << 16: {}} // so that the load lists ids
			f.collections[b.Collection("c")] = Layout{}.createRequest(b.Collection("c"), dimensions, true, nil)
			f.schemas[b.Collection("c")] = map[string]*qdrant.PayloadSchemaInfo{}
			if c.method == "Create" {
				delete(f.collections, b.Collection("c"))
			}
			_, err = s.Load(t.Context(), b, Options{InFlight: 1})
			return errors.Join(err, s.Close())
		}()
		fault, remedy := schema.FaultOf(err)
		if fault != c.fault || !strings.Contains(remedy, c.remedy) {
			t.Errorf("%s: %v (class %d; %s)", c.what, err, fault, remedy)
		}
		if n := f.calls[c.method]; c.tries > 0 && n != c.tries || c.tries == 0 && n < 2 {
			t.Errorf("%s: %d tries", c.what, n)
		}
	}
}

// A server that accepts calls without an answer and one that does not run are service faults, one of another protocol is a
// usage fault.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	f := startFake(t, &fake{before: func(ctx context.Context, _ string, _ int, _ proto.Message) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	address, err := ParseAddress(f.address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Access{Address: address, Timeout: 300 * time.Millisecond, RetryFor: time.Second})
	if n := f.called("HealthCheck"); faultOf(err) != schema.FaultService || n < 2 {
		t.Errorf("%d calls: %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Open(ctx, Access{Address: address, RetryFor: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if address, err = ParseAddress("http://" + schematest.DeadAddress(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Access{Address: address, RetryFor: 300 * time.Millisecond}); faultOf(err) != schema.FaultService {
		t.Errorf("nobody there: %v", err)
	}
	rest := httptest.NewServer(http.NotFoundHandler())
	defer rest.Close()
	if address, err = ParseAddress(rest.URL); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Access{Address: address, RetryFor: time.Minute})
	if _, remedy := schema.FaultOf(err); faultOf(err) != schema.FaultUsage || !strings.Contains(remedy, "6334") {
		t.Errorf("HTTP/1.1: %v (%s)", err, remedy)
	}
}

// Every call has the key; the log never has it, and it leaves the machine only by TLS.
func TestKey(t *testing.T) {
	t.Parallel()
	const key = "the-secret-key"
	web := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate, of example.com and 127.0.0.1
	defer web.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	f := startFake(t, &fake{}, grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: web.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})))
	var logged bytes.Buffer
	s := open(t, "https://"+f.address, func(a *Access) {
		a.Key, a.TLS = key, &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
		a.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	mustLoad(t, s, build(t, "so", "2024-03-31_00000001", map[string]int{"c": 5}), small())
	if len(f.keys) != len(f.requests) || f.keys[0] != key {
		t.Errorf("%d keys in %d calls", len(f.keys), len(f.requests))
	}
	if logged.Len() == 0 || strings.Contains(logged.String(), key) {
		t.Errorf("logged: %s", logged.String())
	}
	address := s.Access.Address
	if _, err := Open(t.Context(), Access{Address: address, Key: key, RetryFor: time.Hour}); faultOf(err) != schema.FaultUsage || strings.Contains(err.Error(), key) {
		t.Errorf("a certificate that nobody knows: %v", err)
	}

	plain := startFake(t, &fake{})
	open(t, plain.address, func(a *Access) { a.Key = key }) // this machine
	if plain.keys[0] != key {
		t.Error("no key")
	}
	_, err := Open(t.Context(), Access{Address: Address{"qdrant.example.org", 6334, false}, Key: key, RetryFor: time.Hour})
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "insecure-key") || strings.Contains(err.Error(), key) {
		t.Errorf("%v (%s)", err, remedy)
	}
	elsewhere := Access{Address: Address{"host.invalid", 6334, false}, Key: key, PlainKey: true, Timeout: 2 * time.Second}
	if _, err := Open(t.Context(), elsewhere); faultOf(err) != schema.FaultService { // it connects
		t.Errorf("%v", err)
	}
}

// A load sends points again that the server has acknowledged and lost. A server that
// loses them repeatedly is a service fault.
func TestLostPoints(t *testing.T) {
	t.Parallel()
	b := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 60})
	lose := 1
	f := &fake{}
	f.after = func(_ context.Context, method string, _ int, request proto.Message) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r, ok := request.(*qdrant.UpsertPoints); ok && lose > 0 && r.GetPoints()[0].GetId().GetNum() > 200<<16 {
			lose--
			delete(f.points[r.GetCollectionName()], r.GetPoints()[0].GetId().GetNum())
		}
		return nil
	}
	startFake(t, f)
	s := open(t, f.address)
	if got := mustLoad(t, s, b, small())[0]; got.Sent != got.Points+1 {
		t.Errorf("%d points sent, of %d and one that was lost", got.Sent, got.Points)
	}
	lose = 1 << 30
	two := build(t, "so", "2024-03-31_00000002", map[string]int{"c": 60})
	if _, err := s.Load(t.Context(), two, small()); faultOf(err) != schema.FaultService {
		t.Errorf("%v", err)
	}
	if f.calls["UpdateAliases"] != 0 {
		t.Error("aliases were set")
	}
}

// A load waits for an index that has not started, is being built, or stopped at a restart.
func TestIndexing(t *testing.T) {
	t.Parallel()
	states := func(list ...qdrant.CollectionStatus) func(string, int) *qdrant.CollectionInfo {
		return func(_ string, asked int) *qdrant.CollectionInfo {
			// earlier requests: at the creation, and at the start of the graph
			s := list[min(max(0, asked-3), len(list)-1)]
			ok := s != qdrant.CollectionStatus_Red
			return &qdrant.CollectionInfo{Status: s, IndexedVectorsCount: new(uint64(asked)), OptimizerStatus: &qdrant.OptimizerStatus{Ok: ok, Error: "no memory"}}
		}
	}
	const green, yellow, grey, red = qdrant.CollectionStatus_Green, qdrant.CollectionStatus_Yellow, qdrant.CollectionStatus_Grey, qdrant.CollectionStatus_Red
	for _, c := range []struct {
		what    string
		states  []qdrant.CollectionStatus
		asked   int // requests of the state
		resumed int // updates that resume a stopped optimizer
		fault   string
	}{
		{"at once", []qdrant.CollectionStatus{green}, 4, 0, ""},
		{"not begun when asked", []qdrant.CollectionStatus{green, yellow, yellow, green}, 7, 0, ""},
		{"after a restart", []qdrant.CollectionStatus{yellow, grey, yellow, green}, 7, 1, ""},
		{"failed", []qdrant.CollectionStatus{yellow, red}, 4, 0, "no memory"},
		{"never", []qdrant.CollectionStatus{yellow}, 0, 0, "not ready after 1s"},
	} {
		f := startFake(t, &fake{state: states(c.states...)})
		s := open(t, f.address)
		o := small()
		o.IndexTimeout = time.Minute
		if c.what == "never" {
			o.IndexTimeout = time.Second
		}
		b := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 5})
		_, err := s.Load(t.Context(), b, o)
		if (err == nil) != (c.fault == "") || err != nil && (faultOf(err) != schema.FaultService || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v", c.what, err)
		}
		if got := f.asked[b.Collection("c")]; c.asked > 0 && got != c.asked {
			t.Errorf("%s: asked %d times, want %d", c.what, got, c.asked)
		}
		resumed := 0
		for _, u := range of[*qdrant.UpdateCollection](f) {
			if u.GetOptimizersConfig() != nil {
				resumed++
			}
		}
		if resumed != c.resumed {
			t.Errorf("%s: resumed %d times", c.what, resumed)
		}
	}
}

// A load waits for a server that is too busy with its index to answer.
func TestIndexingWithoutAnswers(t *testing.T) {
	t.Parallel()
	f := &fake{}
	f.before = func(ctx context.Context, method string, nth int, _ proto.Message) error {
		if method == "Get" && nth > 2 && nth < 8 { // of collections, for longer than RetryFor
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	startFake(t, f)
	s := open(t, f.address, func(a *Access) { a.Timeout, a.RetryFor = 500*time.Millisecond, time.Second })
	mustLoad(t, s, build(t, "so", "2024-03-31_00000001", map[string]int{"c": 5}), small())
}

// An interrupted load ends at once, without a service fault.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := startFake(t, &fake{before: func(_ context.Context, method string, nth int, _ proto.Message) error {
		if method == "Upsert" && nth == 3 {
			cancel()
		}
		return nil
	}})
	s := open(t, f.address)
	_, err := s.Load(ctx, build(t, "so", "2024-03-31_00000001", map[string]int{"c": 90}), small())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
