package qdrant

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"s2g/schema"
	"s2g/schema/remote"
	"s2g/schema/retry"
)

// isTemporary reports whether a failed call may succeed later.
func isTemporary(err error) bool {
	if _, wrong := errors.AsType[*remote.WrongServerError](err); wrong {
		return false
	}
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

// delayedError is an error of a server that requests a pause.
type delayedError struct {
	error
	after time.Duration
}

func (d *delayedError) Unwrap() error { return d.error }

// readRetryAfter is an interceptor that adds the pause which a server, or a proxy before it, requests. The client's own reads
// seconds alone, and only of one code.
func readRetryAfter(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	var header, trailer metadata.MD
	err := invoke(ctx, method, request, reply, conn, append(options, grpc.Header(&header), grpc.Trailer(&trailer))...)
	if err == nil {
		return nil
	}
	for _, value := range append(trailer.Get("retry-after"), header.Get("retry-after")...) {
		if after := remote.RetryAfter(value, time.Now()); after > 0 {
			return &delayedError{err, after}
		}
	}
	return err
}

// retryAfter returns the pause that a server requests.
func retryAfter(err error) time.Duration {
	if limited, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
		return time.Duration(min(max(0, limited.RetryAfterS), 1<<30)) * time.Second
	}
	if d, ok := errors.AsType[*delayedError](err); ok {
		return d.after
	}
	return 0
}

// examine returns, in place of the failure of a call, a [remote.WrongServerError] where that is the cause. It looks at the
// address after the first failure, as long as the server has not answered.
func (s *Server) examine(ctx context.Context, err error) error {
	if s.answered.Load() || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	target := s.target()
	code, text := codeOf(err), err.Error()
	wrong := func(found, remedy string, later bool) error {
		return &remote.WrongServerError{Address: target.Address, Found: found, Remedy: remedy, Later: later, Err: err}
	}
	const port = "give the address of Qdrant's gRPC API, by default port 6334, and check the proxy before it"
	switch {
	case code != codes.Unavailable && strings.Contains(text, `unexpected content-type "text/html`):
		return wrong("a web page answers in place of Qdrant", port, true)
	case (code == codes.Unknown || code == codes.Unimplemented || code == codes.Internal) &&
		(strings.Contains(text, "unexpected content-type") || strings.Contains(text, "unexpected HTTP status code")):
		return wrong("a server without gRPC answers in place of Qdrant", port, false)
	case code == codes.Unimplemented:
		return wrong("a gRPC server without Qdrant's API answers", port, false)
	case code != codes.Unavailable && code != codes.DeadlineExceeded || s.examined.Swap(true):
		return err
	}
	if w := target.Diagnose(context.WithoutCancel(ctx), err); w != nil {
		return w
	}
	return err
}

// target returns the server that the client expects.
func (s *Server) target() remote.Target {
	return remote.Target{Address: s.Address.hostPort(), TLS: s.Address.TLS, Wanted: remote.GRPC, Server: "Qdrant"}
}

// fault returns an error of the server with its class.
func (s *Server) fault(ctx context.Context, doing string, err error) error {
	if wrong, ok := errors.AsType[*remote.WrongServerError](err); ok {
		class := schema.FaultUsage
		if wrong.Later {
			class = schema.FaultService
		}
		return schema.Faultf(class, wrong.Remedy, "%w", wrong)
	}
	class, remedy := schema.FaultService, "check that the server runs and is healthy, then give the same command again; it resumes here"
	switch codeOf(err) {
	case codes.Unauthenticated, codes.PermissionDenied:
		class, remedy = schema.FaultUsage, "give the key of the server as the environment variable S2G_QDRANT_API_KEY"
	case codes.InvalidArgument, codes.Unimplemented, codes.OutOfRange, codes.FailedPrecondition:
		class, remedy = schema.FaultUsage, "check that the options fit the server, whose version is "+s.version
	case codes.Unavailable, codes.DeadlineExceeded:
		if !s.answered.Load() {
			if found := s.target().Answering(ctx); found != "" {
				remedy = "check host and port; at " + s.Address.hostPort() + strings.TrimPrefix(found, ",")
			}
		}
	}
	if _, gaveUp := errors.AsType[*retry.Error](err); gaveUp { // whose text begins with doing
		return schema.Faultf(class, remedy, "%s: %w", s.Address, err)
	}
	return schema.Faultf(class, remedy, "%s: %s: %w", s.Address, doing, err)
}
