package graphdb

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"s2g/graph/rdf4j"
	"s2g/schema"
)

// The waits between tries: each is twice the one before, up to a limit, and by
// chance between half and one and a half of that, so that workers do not come
// back all at once.
const (
	firstWait = 250 * time.Millisecond
	maxWait   = 15 * time.Second
)

// errAgain marks errors that are worth another try, beside those of
// rdf4j.Temporary.
var errAgain = errors.New("interrupted by the server")

// patience tries again what may succeed later.
type patience struct {
	limit time.Duration // since the first of the errors in a row
	first time.Duration // the wait after it; 0: firstWait
	log   *slog.Logger
}

// do tries until there is no error, one that waiting does not mend, or the
// limit; that is a service fault. what says what was tried.
func (p patience) do(ctx context.Context, what string, try func() error) error {
	var since time.Time
	for n := 1; ; n++ {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !rdf4j.Temporary(err) && !errors.Is(err, errAgain) {
			return classed(err)
		}
		if since.IsZero() {
			since = time.Now()
		}
		wait := p.wait(n)
		if time.Since(since)+wait > p.limit {
			return schema.Faultf(schema.FaultService, "look at the server and its log, then run the same command again: it goes on with what is not loaded yet",
				"%s: %w (tried %d times in %v)", what, err, n, time.Since(since).Round(time.Millisecond))
		}
		p.log.Warn("trying again", "what", what, "error", err, "in", wait.Round(time.Millisecond))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p patience) wait(n int) time.Duration {
	wait := min(cmp.Or(p.first, firstWait)<<min(n-1, 20), maxWait)
	return wait/2 + rand.N(wait)
}

// classed gives a server's answer the class of what a person can do about it.
func classed(err error) error {
	if fault, _ := schema.FaultOf(err); fault != schema.FaultOurs {
		return err
	}
	if _, ok := errors.AsType[*rdf4j.NoResponseError](err); ok {
		return schema.Faultf(schema.FaultUsage, "is the URL right, and its certificate trusted?", "%w", err)
	}
	e, ok := errors.AsType[*rdf4j.StatusError](err)
	switch {
	case !ok:
		return err
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return schema.Faultf(schema.FaultUsage,
			"set S2G_GRAPHDB_USER and S2G_GRAPHDB_PASSWORD, or S2G_GRAPHDB_TOKEN, to those of a user who may make and write repositories", "%w", err)
	case e.Status < 500:
		return schema.Faultf(schema.FaultUsage, "is it the URL of GraphDB or RDF4J Server, as http://localhost:7200 or http://localhost:8080/rdf4j-server?", "%w", err)
	}
	return schema.Faultf(schema.FaultService, "look at the server and its log", "%w", err)
}

// Retry asks a server something, again for as long as limit says where it fails
// in a way that may pass. Its errors are as those of Load.
func Retry(ctx context.Context, limit time.Duration, log *slog.Logger, what string, ask func() error) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return patience{limit: limit, log: log}.do(ctx, what, ask)
}
