package qdrant

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"s2g/schema"
)

// Pauses between tries double, up to so many times the first. Each is cut by chance to
// between half of it and all, so that many batches that failed together do not come
// back together.
const pauseGrows = 100

// call makes a call, and makes it again while it fails for a reason that passes, until
// the server's RetryFor is over. Each try has a deadline of its own. doing says what
// it is, for errors and the log.
func call[T any](ctx context.Context, s *Server, doing string, f func(context.Context) (T, error)) (T, error) {
	var failing time.Time
	pause := s.Pause
	for {
		try, cancel := context.WithTimeout(ctx, s.Call)
		begun := time.Now()
		answer, err := f(try)
		cancel()
		if err == nil {
			s.Log.Debug("Qdrant", "what", doing, "took", time.Since(begun).Round(time.Millisecond).String())
			return answer, nil
		}
		if ctx.Err() != nil {
			return answer, ctx.Err()
		}
		if !passes(err) {
			return answer, s.fault(doing, err)
		}
		if failing.IsZero() {
			failing = time.Now()
		}
		wait := max(pause/2+rand.N(pause/2+1), retryAfter(err))
		if time.Since(failing)+wait > s.RetryFor {
			return answer, s.fault(doing, err)
		}
		s.Log.Warn("trying again", "what", doing, "in", wait.Round(time.Millisecond).String(), "error", reason(err))
		select {
		case <-ctx.Done():
			return answer, ctx.Err()
		case <-time.After(wait):
		}
		pause = min(2*pause, pauseGrows*s.Pause)
	}
}

// do is call for what has no answer.
func do(ctx context.Context, s *Server, doing string, f func(context.Context) error) error {
	_, err := call(ctx, s, doing, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

// passes says whether a call that failed so may succeed later.
func passes(err error) bool {
	if _, limited := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); limited {
		return true
	}
	switch codeOf(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		return true
	case codes.ResourceExhausted:
		return !strings.Contains(err.Error(), "larger than max") // a message of a size that gRPC does not take is not taken later
	}
	return false
}

// coded is an error of gRPC, within the client's.
type coded interface {
	error
	GRPCStatus() *status.Status
}

// codeOf is the gRPC code of an error, OK where it has none.
func codeOf(err error) codes.Code {
	if c, ok := errors.AsType[coded](err); ok {
		return c.GRPCStatus().Code()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	return codes.OK
}

// reason is what the server, or gRPC, says went wrong.
func reason(err error) string {
	if c, ok := errors.AsType[coded](err); ok {
		return c.GRPCStatus().Code().String() + ": " + c.GRPCStatus().Message()
	}
	return err.Error()
}

// retryAfter is how long a server that limits rates wants to be left alone.
func retryAfter(err error) time.Duration {
	if limited, ok := errors.AsType[*qdrant.QdrantResourceExhaustedError](err); ok {
		return time.Duration(limited.RetryAfterS) * time.Second
	}
	return 0
}

// fault gives an error of the server its class.
func (s *Server) fault(doing string, err error) error {
	class, remedy := schema.FaultService, "see that the server runs and is well, then give the same command again; it goes on from here"
	switch codeOf(err) {
	case codes.Unauthenticated, codes.PermissionDenied:
		class, remedy = schema.FaultUsage, "give the key of the server as the environment variable S2G_QDRANT_API_KEY"
	case codes.InvalidArgument, codes.Unimplemented, codes.OutOfRange, codes.FailedPrecondition:
		class, remedy = schema.FaultUsage, "see that the flags fit the server, whose version is "+s.version
	}
	if strings.Contains(err.Error(), "http2: ") || strings.Contains(err.Error(), "error reading server preface") {
		remedy = "see that this is Qdrant's gRPC port, 6334 by default, and whether it wants https://"
	}
	return schema.Faultf(class, remedy, "%s, %s: %w", s.Address, doing, err)
}
