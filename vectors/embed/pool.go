package embed

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"s2g/schema"
	"s2g/schema/retry"
)

const (
	maxFailures  = 10 // of one request while others succeed
	controlAfter = 3  // failures of one request before a control request
)

// pool spreads requests over endpoints. Each endpoint has a few places; a request takes the first free one, so a slow
// endpoint gets fewer requests without any measurement. A failure closes its place for a pause that grows with each
// failure in a row, and the request moves on to another place. So an endpoint that dies costs little, and one that
// recovers returns by itself.
//
// The pauses are those of package retry. Its loop does not fit: a place pauses, not a request; a failure may be the fault of
// the request; and the limit counts from the last answer of any endpoint.
type pool struct {
	free    chan *endpoint // an entry for each free place
	policy  retry.Policy   // RetryFor, Timeout and the pauses
	log     *slog.Logger
	retries atomic.Int64

	mu       sync.Mutex
	answered time.Time // when an endpoint last gave a good answer
}

// newPool returns a pool with a number of places for each endpoint. The places of the endpoints alternate, so that the first
// requests go to different ones.
func newPool(endpoints []*endpoint, places int, o RemoteOptions) *pool {
	p := &pool{free: make(chan *endpoint, places*len(endpoints)), log: o.Log,
		policy: retry.Policy{RetryFor: o.RetryFor, Timeout: o.Timeout, FirstPause: o.firstPause}}
	for range places {
		for _, e := range endpoints {
			p.free <- e
		}
	}
	return p
}

// request is a body to be sent, and the function that reads its answer.
type request struct {
	path      string
	body      []byte
	read      func(e *endpoint, answer []byte) error
	control   func() request // returns a request that every working server answers; nil: there is none
	divisible bool           // the caller can send it in parts
	limit     int64          // of the answer, in bytes
}

// send sends a request until read accepts an answer. It returns
//
//   - a *refusal where the server refuses the request, or fails on it repeatedly and answers the control request;
//   - an error of [schema.FaultUsage] where an endpoint is not what the spec names;
//   - an error of [schema.FaultService] where a limit is reached;
//   - ctx's error as soon as ctx ends.
func (p *pool) send(ctx context.Context, r request) error {
	var first time.Time // the first failure
	failures, broken := 0, 0
	for {
		var e *endpoint
		select {
		case e = <-p.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := p.try(ctx, e, r)
		f, temporary := errors.AsType[*temporaryError](err)
		var final error // there is no further try
		if temporary {
			if first.IsZero() {
				first = time.Now()
			}
			if !f.busy {
				failures++
			}
			if f.broken {
				broken++
			}
			if final = p.limitError(ctx, e, first, failures, err); ctx.Err() == nil {
				final = p.diagnose(ctx, e, r, failures, f, final)
			}
			if broken > 1 {
				final = schema.Faultf(schema.FaultService, "the server does not answer as the API defines: update it, or see what is before it", "%w, twice", err)
			}
		}
		health := err
		if asRefusal(final) != nil {
			health = nil // the endpoint works
		}
		pause := p.recordHealth(e, health)
		if temporary {
			pause = max(0, min(pause, p.left(first))) // the last try begins at the limit
		}
		if pause == 0 {
			p.free <- e
		} else {
			time.AfterFunc(pause, func() { p.free <- e })
		}
		switch {
		case !temporary:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case final != nil:
			return final
		}
		p.log.Warn("an embedding request failed", "endpoint", e.base, "error", err, "pause", pause.Round(time.Millisecond))
		p.retries.Add(1)
	}
}

func (p *pool) try(ctx context.Context, e *endpoint, r request) error {
	ctx, cancel := context.WithTimeout(ctx, p.policy.Timeout)
	defer cancel()
	answer, err := e.post(ctx, r.path, r.body, r.limit)
	if err == nil {
		err = r.read(e, answer)
	}
	return err
}

// diagnose sends the control request to the endpoint of a failed request: after each controlAfter failures, sooner if each
// costs a timeout, and before the pool gives the request up. If the endpoint answers it, the failed request is at fault, and
// diagnose returns a *refusal. If both requests get vectors of no use, the model is at fault. Otherwise diagnose
// returns final.
func (p *pool) diagnose(ctx context.Context, e *endpoint, r request, failures int, f *temporaryError, final error) error {
	useless := errors.Is(f, errUseless)
	slow := errors.Is(f, context.DeadlineExceeded)
	early := failures > 1 && (useless || slow && r.divisible)
	if r.control == nil || f.busy || f.broken || final == nil && failures%controlAfter != 0 && !early {
		return final
	}
	switch err := p.try(ctx, e, r.control()); {
	case err == nil:
		return &refusal{status: f.status, message: f.Error(), crashes: true, slow: slow}
	case useless && errors.Is(err, errUseless):
		return schema.Faultf(schema.FaultService, "look at the server's log: its model may need another precision", "%w, twice", err)
	}
	return final
}

// recordHealth records the outcome of a request, and returns the pause of its place.
func (p *pool) recordHealth(e *endpoint, err error) time.Duration {
	f, failed := errors.AsType[*temporaryError](err)
	if !failed {
		e.failures.Store(0)
		if err == nil {
			e.answered.Store(true)
			p.mu.Lock()
			p.answered = time.Now()
			p.mu.Unlock()
		}
		return 0
	}
	pause := p.policy.Pause(int(e.failures.Add(1)))
	return max(pause, f.after)
}

// left returns what is left of RetryFor since the last answer of any endpoint, or the first failure.
func (p *pool) left(first time.Time) time.Duration {
	return p.policy.RetryFor - time.Since(p.since(first))
}

// since returns when an endpoint last answered, at least the first failure.
func (p *pool) since(first time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answered.After(first) {
		return p.answered
	}
	return first
}

// limitError returns an error if no endpoint has answered for RetryFor, or if the request failed maxFailures times while
// others succeeded. failures leaves out those of busy servers, for which a request may wait longer. e is the endpoint of the
// last failure.
func (p *pool) limitError(ctx context.Context, e *endpoint, first time.Time, failures int, last error) error {
	switch {
	case p.left(first) <= 0:
		remedy := "see that the endpoints are up, then run again: the run resumes"
		if !e.answered.Load() {
			if found := e.target.Answering(ctx); found != "" {
				remedy += "; at " + e.target.Address + strings.TrimPrefix(found, ",")
			}
		}
		return schema.Faultf(schema.FaultService, remedy, "no endpoint answered for %s: %w", max(0, p.policy.RetryFor), last)
	case failures >= maxFailures && p.since(first) != first:
		return schema.Faultf(schema.FaultService, "look at the server's log", "a request failed %d times while others succeed: %w", failures, last)
	}
	return nil
}
