package qdrant

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"s2g/schema"
	"s2g/schema/retry"
)

// DefaultRetryFor is the default of the commands for Access.RetryFor.
const DefaultRetryFor = 2 * time.Minute

// The defaults of Access.
const (
	defaultTimeout = time.Minute
	defaultPause   = 100 * time.Millisecond
)

// maxPauses is the longest pause between two tries, as a multiple of the first.
const maxPauses = 100

// receiveLimit is the limit of a response. gRPC's default, 4 MiB, is less than a page
// of long points; the requests of this package return much less than this limit.
const receiveLimit = 128 << 20

// Access configures the connection to a server.
type Access struct {
	Address  Address
	Key      string        // API key; sent with each call, never logged
	PlainKey bool          // send the key to another machine without TLS, too
	TLS      *tls.Config   // nil: that of the system
	RetryFor time.Duration // how long a failing call is retried; 0: not at all
	Pause    time.Duration // first pause between two tries, and between two requests of an index's state; 0: 100 ms
	Timeout  time.Duration // deadline of a try; 0: a minute
	Log      *slog.Logger  // nil: no log
}

// Server is a client of a Qdrant server. Its methods may be called concurrently. They
// retry calls that fail for a temporary reason; see [Access].
type Server struct {
	Access
	client  *qdrant.Client
	version string
}

// Open connects and requests the server's version. A key that would go to another
// machine in plain text is a usage fault, a server without a response a service fault.
func Open(ctx context.Context, a Access) (*Server, error) {
	if a.Key != "" && !a.Address.TLS && !a.Address.isLocal() && !a.PlainKey {
		return nil, schema.Faultf(schema.FaultUsage, "use https://, or allow it with option qdrant-insecure-key",
			"the API key would go to %s in plain text", a.Address.Host)
	}
	a.Timeout, a.Pause = cmp.Or(a.Timeout, defaultTimeout), cmp.Or(a.Pause, defaultPause)
	if a.Log == nil {
		a.Log = slog.New(slog.DiscardHandler)
	}
	client, err := qdrant.NewClient(a.config())
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "", "opening %s: %w", a.Address, err)
	}
	s := &Server{Access: a, client: client}
	health, err := call(ctx, s, "requesting its version", s.client.HealthCheck)
	if err != nil {
		_ = client.Close() // the first error is the one to return
		return nil, err
	}
	s.version = health.GetVersion()
	s.Log.Info("Qdrant", "address", a.Address.String(), "version", s.version)
	return s, nil
}

// config returns the configuration of the client. The client's own retries are off,
// because they have no deadline of a try; call retries.
func (a Access) config() *qdrant.Config {
	c := &qdrant.Config{
		Host: a.Address.dialHost(), Port: a.Address.Port, UseTLS: a.Address.TLS, TLSConfig: a.TLS,
		SkipCompatibilityCheck: true, // it writes to the default log, and does not end with the context
		PoolSize:               1,    // one connection multiplexes many calls; of several, each would have to reconnect
		KeepAliveTime:          -1,   // see below
		GrpcOptions: []grpc.DialOption{
			// The client's own pings continue without calls, which some proxies take for an attack, and expect an answer
			// within two seconds, which a server that builds an index on few processors may exceed.
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 30 * time.Second}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(receiveLimit)),
			// By default a refused connection pauses for up to two minutes, as long as RetryFor.
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
				MinConnectTimeout: 10 * time.Second,
			}),
		},
	}
	if a.Address.TLS && a.TLS == nil {
		c.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if a.Key != "" {
		// With its option APIKey the client warns on the default log, even of a local server.
		c.Headers = map[string]string{"api-key": a.Key}
	}
	return c
}

// Version returns the server's version, as "1.18.3".
func (s *Server) Version() string { return s.version }

// Close closes the connections.
func (s *Server) Close() error { return s.client.Close() }

// call calls try, and repeats it while it fails for a temporary reason. Each try has
// the deadline of s. doing describes the call in errors and the log.
func call[T any](ctx context.Context, s *Server, doing string, try func(context.Context) (T, error)) (T, error) {
	return callWithin(ctx, s, s.Timeout, doing, try)
}

// callWithin calls try as call does, with another deadline of a try.
func callWithin[T any](ctx context.Context, s *Server, timeout time.Duration, doing string, try func(context.Context) (T, error)) (T, error) {
	policy := retry.Policy{
		RetryFor: s.RetryFor, Timeout: timeout, FirstPause: s.Pause, MaxPause: maxPauses * s.Pause,
		Temporary: isTemporary, RetryAfter: retryAfter, Log: s.Log,
	}
	answer, err := retry.Value(ctx, policy, doing, func(ctx context.Context) (T, error) {
		began := time.Now()
		answer, err := try(ctx)
		if err == nil {
			s.Log.Debug("Qdrant", "what", doing, "took", time.Since(began).Round(time.Millisecond).String())
		}
		return answer, err
	})
	if err != nil && ctx.Err() == nil {
		err = s.fault(doing, err)
	}
	return answer, err
}

// do calls try as call does, for a request without an answer.
func do(ctx context.Context, s *Server, doing string, try func(context.Context) error) error {
	_, err := call(ctx, s, doing, func(ctx context.Context) (struct{}, error) { return struct{}{}, try(ctx) })
	return err
}

// isTemporary reports whether a failed call may succeed later.
func isTemporary(err error) bool {
	if _, limited := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); limited {
		return true
	}
	switch codeOf(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return true
	case codes.ResourceExhausted:
		return !strings.Contains(err.Error(), "larger than max") // the size of a message is permanent
	}
	return false
}

// codeOf returns the gRPC code of an error, OK where it has none.
func codeOf(err error) codes.Code {
	type coded interface {
		error
		GRPCStatus() *status.Status
	}
	if c, ok := errors.AsType[coded](err); ok {
		return c.GRPCStatus().Code()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	return codes.OK
}

// retryAfter returns the pause that a server with a rate limit requests.
func retryAfter(err error) time.Duration {
	if limited, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
		return time.Duration(limited.RetryAfterS) * time.Second
	}
	return 0
}

// fault returns an error of the server with its class.
func (s *Server) fault(doing string, err error) error {
	class, remedy := schema.FaultService, "check that the server runs and is healthy, then give the same command again; it resumes here"
	switch codeOf(err) {
	case codes.Unauthenticated, codes.PermissionDenied:
		class, remedy = schema.FaultUsage, "give the key of the server as the environment variable S2G_QDRANT_API_KEY"
	case codes.InvalidArgument, codes.Unimplemented, codes.OutOfRange, codes.FailedPrecondition:
		class, remedy = schema.FaultUsage, "check that the options fit the server, whose version is "+s.version
	}
	if strings.Contains(err.Error(), "http2: ") || strings.Contains(err.Error(), "error reading server preface") {
		remedy = "check that this is Qdrant's gRPC port, 6334 by default, and whether it requires https://"
	}
	if _, gaveUp := errors.AsType[*retry.Error](err); gaveUp { // whose text begins with doing
		return schema.Faultf(class, remedy, "%s: %w", s.Address, err)
	}
	return schema.Faultf(class, remedy, "%s: %s: %w", s.Address, doing, err)
}
