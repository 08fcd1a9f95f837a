package qdrant

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"

	"s2g/schema"
)

// The defaults of Access.
const (
	DefaultRetryFor = 2 * time.Minute
	defaultCall     = time.Minute
	defaultPause    = 100 * time.Millisecond
)

// receiveLimit bounds an answer. gRPC's own limit, 4 MiB, is less than a page of
// long points; what is asked for here is far below this one.
const receiveLimit = 128 << 20

// Access says how a server is reached.
type Access struct {
	Address  Address
	Key      string        // API key; it is sent with each call, and never logged
	PlainKey bool          // send the key to another machine without TLS, too
	TLS      *tls.Config   // nil: that of the system
	RetryFor time.Duration // how long a call is tried again after its first failure; 0: DefaultRetryFor; negative: never
	Pause    time.Duration // the first between two tries, and between two looks at an index; 0: 100 ms
	Call     time.Duration // the deadline of one try; 0: a minute
	Log      *slog.Logger  // nil: nothing is logged
}

// Server is a Qdrant server. Its methods may be called from several goroutines, and
// repeat calls that failed for a reason that passes; see [Access].
type Server struct {
	Access
	client  *qdrant.Client
	version string
}

// Open connects, and asks the server for its version. A key that would go to another
// machine in the clear is a usage fault, a server that does not answer one of service.
func Open(ctx context.Context, a Access) (*Server, error) {
	if a.Key != "" && !a.Address.TLS && !a.Address.local() && !a.PlainKey {
		return nil, schema.Faultf(schema.FaultUsage, "use https://, or allow it with --qdrant-insecure-key",
			"the API key would go to %s in plain text", a.Address.Host)
	}
	if a.RetryFor == 0 {
		a.RetryFor = DefaultRetryFor
	}
	if a.Call == 0 {
		a.Call = defaultCall
	}
	if a.Pause == 0 {
		a.Pause = defaultPause
	}
	if a.Log == nil {
		a.Log = slog.New(slog.DiscardHandler)
	}
	client, err := qdrant.NewClient(a.config())
	if err != nil {
		return nil, schema.Faultf(schema.FaultUsage, "", "opening %s: %w", a.Address, err)
	}
	s := &Server{Access: a, client: client}
	health, err := call(ctx, s, "asking for its version", s.client.HealthCheck)
	if err != nil {
		_ = client.Close() // nothing was begun
		return nil, err
	}
	s.version = health.GetVersion()
	s.Log.Info("Qdrant", "address", a.Address.String(), "version", s.version)
	return s, nil
}

// Version is the server's, as "1.18.3".
func (s *Server) Version() string { return s.version }

// config is how the client is set up. Its own retries are off: they know no deadline of
// a try. Those of [call] do.
func (a Access) config() *qdrant.Config {
	c := &qdrant.Config{
		Host: a.Address.dialled(), Port: a.Address.Port, UseTLS: a.Address.TLS, TLSConfig: a.TLS,
		SkipCompatibilityCheck: true, // it writes to the default log, and does not end with the context
		PoolSize:               1,    // one connection takes many calls; of several, each finds out by itself that a server is back
		KeepAliveTime:          -1,   // see below
		GrpcOptions: []grpc.DialOption{
			// The client's own pings come while no call waits, too, which some proxies take for an attack, and want
			// an answer in two seconds, for which a server that builds an index on few processors may be too busy.
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 30 * time.Second}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(receiveLimit)),
			// by default a connection that was refused waits for up to two minutes, as long as we try
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
		// not by APIKey, for which the client warns on the default log even where nothing leaves the machine
		c.Headers = map[string]string{"api-key": a.Key}
	}
	return c
}

// Close ends the connections.
func (s *Server) Close() error { return s.client.Close() }
