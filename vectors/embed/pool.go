package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"s2g/schema"
)

const (
	firstPause = 250 * time.Millisecond // after a first failure; each one that follows doubles it
	maxPause   = 30 * time.Second
	maxTries   = 10 // of one request while others succeed
	patience   = 3  // failures of one request before the endpoint is asked whether it is the request
)

// pool spreads requests over endpoints. Each endpoint has a few places; a request takes the place that is free first,
// so one that is slow gets less to do without anyone measuring it. A place where a request failed is closed for a
// while, longer each time, and the request goes on to another. So an endpoint that dies costs little, and comes back
// into use by itself.
type pool struct {
	endpoints []*endpoint
	free      chan *endpoint // an entry for each free place
	timeout   time.Duration
	retryFor  time.Duration
	log       *slog.Logger

	requests, retries atomic.Int64
	mu                sync.Mutex
	answered          time.Time // when any endpoint last gave a good answer
}

// newPool returns a pool with some places for each endpoint. They stand in turn, so that the first requests go to
// different endpoints.
func newPool(endpoints []*endpoint, places int, o RemoteOptions) *pool {
	p := &pool{endpoints: endpoints, timeout: o.Timeout, retryFor: o.RetryFor, log: o.Log, free: make(chan *endpoint, places*len(endpoints))}
	for range places {
		for _, e := range endpoints {
			p.free <- e
		}
	}
	return p
}

// request is what is sent, and how its answer is read.
type request struct {
	path string
	body []byte
	read func(e *endpoint, answer []byte) error
	sane func() request // one that a server that works answers; nil where there is none
	many bool           // it can be sent in parts
}

// call sends a request until read takes an answer to it. It returns a *refusal where the server does not want what it
// was sent, or fails on it again and again and not on a sane request; an error of schema.FaultUsage where an endpoint
// is not what the spec says; one of schema.FaultService where no endpoint has answered for so long that it is time to
// give up; ctx's error as soon as ctx ends.
func (p *pool) call(ctx context.Context, r request) error {
	var began time.Time // of the failures
	for failures := 0; ; {
		var e *endpoint
		select {
		case e = <-p.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := p.try(ctx, e, r)
		f, again := errors.AsType[*failure](err)
		var end error // there will be no further try
		if again {
			if began.IsZero() {
				began = time.Now()
			}
			if !f.busy {
				failures++
			}
			if end = p.giveUp(began, failures, err); ctx.Err() == nil {
				end = p.blame(ctx, e, r, failures, f, end)
			}
		}
		judged := err
		if asRefusal(end) != nil {
			judged = nil // the endpoint works
		}
		pause := p.judge(e, judged)
		if pause == 0 {
			p.free <- e
		} else {
			time.AfterFunc(pause, func() { p.free <- e })
		}
		switch {
		case !again:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case end != nil:
			return end
		}
		p.log.Warn("embedding request failed", "endpoint", e.base, "error", err, "pause", pause.Round(time.Millisecond))
		p.retries.Add(1)
	}
}

// blame finds out, after some failures of a request or before it is given up, whether it is the request that an
// endpoint fails on: then it answers the sane one. Where it fails on that, too, the end is what it was, but for
// vectors that are not finite: those are a fault of the model.
func (p *pool) blame(ctx context.Context, e *endpoint, r request, failures int, f *failure, end error) error {
	notFinite := errors.Is(f, errNotFinite)
	late := errors.Is(f, context.DeadlineExceeded)
	early := failures > 1 && (notFinite || late && r.many) // each hang takes minutes
	if r.sane == nil || f.busy || end == nil && failures%patience != 0 && !early {
		return end
	}
	switch err := p.try(ctx, e, r.sane()); {
	case err == nil:
		return &refusal{status: f.status, message: f.Error(), fails: true, late: late}
	case notFinite && errors.Is(err, errNotFinite):
		return schema.Faultf(schema.FaultService, "look at the server's log: its model may need another precision", "%w, twice", err)
	}
	return end
}

func (p *pool) try(ctx context.Context, e *endpoint, r request) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	p.requests.Add(1)
	answer, err := e.post(ctx, r.path, r.body)
	if err == nil {
		err = r.read(e, answer)
	}
	return err
}

// judge notes how an endpoint did, and returns how long its place stays closed.
func (p *pool) judge(e *endpoint, err error) time.Duration {
	f, failed := errors.AsType[*failure](err)
	if !failed {
		e.failed.Store(0)
		if err == nil {
			e.answered.Store(true)
			p.mu.Lock()
			p.answered = time.Now()
			p.mu.Unlock()
		}
		return 0
	}
	pause := min(maxPause, firstPause<<min(e.failed.Add(1)-1, 10))
	pause = pause/2 + rand.N(pause/2+1)
	return max(pause, min(f.after, p.retryFor))
}

// giveUp returns an error when it makes no sense to try again: no endpoint has answered for long, or others answer
// and this request does not get through. (One that waits its turn, as asked, may wait for long.)
func (p *pool) giveUp(began time.Time, failures int, last error) error {
	p.mu.Lock()
	answered := p.answered
	p.mu.Unlock()
	since := began
	if answered.After(began) {
		since = answered
	}
	switch {
	case time.Since(since) >= p.retryFor:
		return schema.Faultf(schema.FaultService, "see that the endpoints are up, then run again: it goes on where it stopped",
			"no endpoint answered for %s: %w", p.retryFor, last)
	case failures >= maxTries && since != began:
		return schema.Faultf(schema.FaultService, "look at the server's log", "a request failed %d times while others succeed: %w", failures, last)
	}
	return nil
}

// failure is a fault that may be over when the request is sent again.
type failure struct {
	err    error
	after  time.Duration // what the server asks to wait; 0: nothing
	status int           // 0: there was no answer, or none that could be read
	busy   bool          // it says nothing of the request: the endpoint has too much to do, or is not there
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// refusal is an answer that says that something is wrong with what was sent.
type refusal struct {
	status  int
	message string
	fails   bool // the server does not say so, but fails on it, and on nothing else
	late    bool // by taking too long for it
}

func (r *refusal) Error() string {
	if r.fails {
		return "the server fails on it: " + r.message
	}
	return fmt.Sprintf("status %d: %s", r.status, r.message)
}

// asRefusal returns the refusal that err is, or nil.
func asRefusal(err error) *refusal {
	r, _ := errors.AsType[*refusal](err)
	return r
}

// errNotFinite is what is wrong with a vector that holds NaN or an infinity.
var errNotFinite = errors.New("a vector holds values that are not finite")
