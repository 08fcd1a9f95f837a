// Package retry repeats requests to servers after temporary errors. It is the
// program's one retry policy: pauses grow exponentially, with jitter, until a
// limit of the time since the first failure. The last pause is shortened, so that
// the last try begins at the limit.
//
// A policy may be used within a try of another one, with the context of that try.
// The limit of the outer one then holds for both together: their pauses do not add up.
package retry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// The pauses of a Policy that names none.
const (
	DefaultFirstPause = 250 * time.Millisecond
	DefaultMaxPause   = 15 * time.Second
)

// Policy decides whether and when a failed try is repeated. The zero value
// tries once. A Policy holds no state: several goroutines may use one.
type Policy struct {
	RetryFor   time.Duration // limit of the time from the first failure to the beginning of a try; 0 or less: no retry
	MaxTries   int           // limit of the number of tries; 0: none
	Timeout    time.Duration // deadline of each try; 0: none
	CutRetries bool          // a retry ends at the limit of RetryFor, for requests that take no time where all is well
	FirstPause time.Duration // mean pause after the first failure, doubled by each further one; 0: DefaultFirstPause
	MaxPause   time.Duration // limit of the mean pause; 0: DefaultMaxPause

	Temporary  func(error) bool          // reports whether a later try may succeed; nil: always
	RetryAfter func(error) time.Duration // returns the least pause that the server requests, 0 for none; nil: none
	Log        *slog.Logger              // receives a warning for each retry; nil: none
}

// Error reports that tries failed until a limit of the Policy. An error that is
// not temporary is never wrapped in one.
type Error struct {
	What    string        // as given to Do or Value
	Tries   int           // at least 1
	Elapsed time.Duration // between the first failure and the last
	Err     error         // of the last try
}

// Error returns what failed, the last error and, after retries, the effort.
func (e *Error) Error() string {
	text := e.What + ": " + e.Err.Error()
	if e.Tries > 1 {
		text += fmt.Sprintf(" (tried %d times in %v)", e.Tries, e.Elapsed.Round(time.Millisecond))
	}
	return text
}

// Unwrap returns the error of the last try.
func (e *Error) Unwrap() error { return e.Err }

// Do calls try until it returns nil. It returns ctx's error as soon as ctx has
// ended, an error that is not temporary unchanged, and an *Error at a limit. The
// context of a try ends at its deadline. what names the request in log and error.
func (p Policy) Do(ctx context.Context, what string, try func(context.Context) error) error {
	_, err := Value(ctx, p, what, func(ctx context.Context) (struct{}, error) { return struct{}{}, try(ctx) })
	return err
}

// Value is [Policy.Do] for a request with an answer. With an error it returns
// the answer of the last try.
func Value[T any](ctx context.Context, p Policy, what string, try func(context.Context) (T, error)) (T, error) {
	outer, _ := ctx.Value(spanKey{}).(*span)
	own := &span{limit: p.RetryFor, outer: outer}
	tries, pauses := 0, p.pauses()
	var next nextPause
	operation := func() (T, error) {
		tries++
		tryCtx, cancel := context.WithValue(ctx, spanKey{}, own), context.CancelFunc(func() {})
		if p.Timeout > 0 {
			tryCtx, cancel = context.WithTimeout(tryCtx, p.Timeout)
		}
		defer cancel()
		cut := false
		if p.CutRetries && tries > 1 {
			var end context.CancelFunc
			tryCtx, end = context.WithDeadline(tryCtx, own.end(time.Now().Add(leastRetry)))
			defer end()
			cut = true
		}
		answer, err := try(tryCtx)
		if err == nil {
			return answer, nil
		}
		cut = cut && tryCtx.Err() != nil
		if ctx.Err() != nil || p.Temporary != nil && !cut && !p.Temporary(err) {
			return answer, backoff.Permanent(err)
		}
		elapsed, left := own.fail(time.Now())
		next = nextPause(pauses.NextBackOff())
		if p.RetryAfter != nil {
			next = max(next, nextPause(p.RetryAfter(err)))
		}
		next = min(next, nextPause(left))
		if left <= 0 || tries == p.MaxTries {
			own.giveUp()
			err = backoff.Permanent(&Error{What: what, Tries: tries, Elapsed: elapsed, Err: err})
		}
		return answer, err
	}
	warn := func(err error, pause time.Duration) {
		if p.Log != nil {
			p.Log.Warn("retry", "what", what, "error", err, "in", pause.Round(time.Millisecond))
		}
	}
	answer, err := backoff.Retry(ctx, operation, backoff.WithBackOff(&next), backoff.WithNotify(warn), backoff.WithMaxElapsedTime(0))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // backoff returns the cause
	}
	return answer, err
}

// span is the time since the first failure of the tries of a policy.
type span struct {
	limit time.Duration
	outer *span // of the policy in whose try this one is; nil: none

	mu     sync.Mutex
	first  time.Time // the first failure
	within time.Time // the first failure of an inner policy that has given up in this try
}

type spanKey struct{} // of a span in a context

// fail notes a failure. It returns the time since the first failure, and what is left of the limits.
func (s *span) fail(now time.Time) (elapsed, left time.Duration) {
	s.mu.Lock()
	if s.first.IsZero() {
		if s.first = now; !s.within.IsZero() {
			s.first = s.within
		}
	}
	s.within = time.Time{}
	first := s.first
	s.mu.Unlock()
	left = s.limit - now.Sub(first)
	if s.outer != nil {
		left = min(left, s.outer.left(now, first))
	}
	return now.Sub(first), left
}

// left returns what is left of the limits where an inner policy first failed at a time.
func (s *span) left(now, first time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.first.IsZero() {
		first = s.first
	}
	left := s.limit - now.Sub(first)
	if s.outer != nil {
		left = min(left, s.outer.left(now, first))
	}
	return left
}

// leastRetry is the shortest deadline of a retry with CutRetries.
const leastRetry = 500 * time.Millisecond

// end returns the time of the limit, at least least.
func (s *span) end(least time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.first.Add(s.limit); at.After(least) {
		return at
	}
	return least
}

// giveUp reports the first failure to the outer policy, whose limit counts from there.
func (s *span) giveUp() {
	if s.outer != nil {
		s.outer.mu.Lock()
		s.outer.within = s.first
		s.outer.mu.Unlock()
	}
}

// nextPause is the pause that the operation has computed from its error.
type nextPause time.Duration

func (n *nextPause) NextBackOff() time.Duration { return time.Duration(*n) }
func (*nextPause) Reset()                       {}

// Pause returns a random pause after a number of failures in a row, at least 1. It
// is half to one and a half of the mean pause. Pause serves callers with loops of
// their own.
func (p Policy) Pause(failures int) time.Duration {
	pauses := p.pauses()
	for range min(failures-1, 64) {
		pauses.NextBackOff()
	}
	return pauses.NextBackOff()
}

func (p Policy) pauses() *backoff.ExponentialBackOff {
	first := cmp.Or(p.FirstPause, DefaultFirstPause)
	return &backoff.ExponentialBackOff{InitialInterval: first, Multiplier: 2, RandomizationFactor: 0.5,
		MaxInterval: max(first, cmp.Or(p.MaxPause, DefaultMaxPause))}
}
