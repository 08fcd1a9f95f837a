package qdrant

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"

	"s2g/schema"
	"s2g/schema/remote"
	"s2g/schema/retry"
)

// DefaultRetryFor is the default of the commands for Access.RetryFor.
const DefaultRetryFor = 2 * time.Minute

// The defaults of Access.
const (
	defaultTimeout = time.Minute
	defaultPause   = 100 * time.Millisecond
	probeTimeout   = 15 * time.Second // of the first call
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
	client   *qdrant.Client
	version  string
	secrets  remote.Secrets
	answered atomic.Bool // the server has answered a call
	examined atomic.Bool // a failure before it has been examined
}

// Open connects and requests the server's version. A key that would go to another
// machine in plain text, another protocol at the address, and a server that is too old
// are usage faults, a server without a response is a service fault.
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
	s := &Server{Access: a, client: client, secrets: remote.NewSecrets(a.Key)}
	quick := s.policy()
	quick.Timeout, quick.CutRetries = min(a.Timeout, probeTimeout), true
	health, err := callBy(ctx, s, quick, "requesting its version", s.client.HealthCheck)
	if err == nil {
		s.version = s.secrets.Text(health.GetVersion(), 40)
		err = s.checkVersion()
	}
	if err != nil {
		_ = client.Close() // the first error is the one to return
		return nil, err
	}
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
			grpc.WithChainUnaryInterceptor(readRetryAfter),
			grpc.WithMaxHeaderListSize(remote.MaxHeader),
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
	return callBy(ctx, s, s.policy(), doing, try)
}

// policy returns the policy of the retries of a call.
func (s *Server) policy() retry.Policy {
	return retry.Policy{
		RetryFor: s.RetryFor, Timeout: s.Timeout, FirstPause: s.Pause, MaxPause: maxPauses * s.Pause,
		Temporary: isTemporary, RetryAfter: retryAfter, Log: s.Log,
	}
}

// callWithin calls try as call does, with another deadline of a try.
func callWithin[T any](ctx context.Context, s *Server, timeout time.Duration, doing string, try func(context.Context) (T, error)) (T, error) {
	policy := s.policy()
	policy.Timeout = timeout
	return callBy(ctx, s, policy, doing, try)
}

// callBy calls try as call does, by another policy.
func callBy[T any](ctx context.Context, s *Server, policy retry.Policy, doing string, try func(context.Context) (T, error)) (T, error) {
	answer, err := retry.Value(ctx, policy, doing, func(ctx context.Context) (T, error) {
		began := time.Now()
		answer, err := try(ctx)
		if err != nil {
			return answer, s.examine(ctx, s.secrets.Error(err))
		}
		s.answered.Store(true)
		s.Log.Debug("Qdrant", "what", doing, "took", time.Since(began).Round(time.Millisecond).String())
		return answer, nil
	})
	if err != nil && ctx.Err() == nil {
		err = s.fault(ctx, doing, err)
	}
	return answer, err
}

// do calls try as call does, for a request without an answer.
func do(ctx context.Context, s *Server, doing string, try func(context.Context) error) error {
	_, err := call(ctx, s, doing, func(ctx context.Context) (struct{}, error) { return struct{}{}, try(ctx) })
	return err
}
