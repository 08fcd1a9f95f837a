package retry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errBusy = errors.New("busy")

func TestDoRetriesUntilItSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := Policy{RetryFor: time.Minute, Log: slog.New(slog.NewTextHandler(&log, nil))}
		tries, began := 0, time.Now()
		err := p.Do(t.Context(), "loading", func(context.Context) error {
			if tries++; tries < 4 {
				return errBusy
			}
			return nil
		})
		// 250 ms, 500 ms and 1 s, each times a random number between 0.5 and 1.5.
		if took := time.Since(began); err != nil || tries != 4 || took < 875*time.Millisecond || took > 2625*time.Millisecond {
			t.Errorf("%d tries in %v: %v", tries, took, err)
		}
		if lines := strings.Count(log.String(), `level=WARN msg=retry what=loading error=busy in=`); lines != 3 {
			t.Errorf("%d warnings of 3:\n%s", lines, log.String())
		}
	})
}

func TestDoStopsAtItsLimits(t *testing.T) {
	slow := func(context.Context) error { time.Sleep(time.Second); return errBusy }
	for name, c := range map[string]struct {
		policy     Policy
		tries      int
		least, max time.Duration // between the first failure and the last
		text       string
	}{
		"zero value":     {Policy{}, 1, 0, 0, "loading: busy"},
		"negative":       {Policy{RetryFor: -1}, 1, 0, 0, "loading: busy"},
		"limit of tries": {Policy{RetryFor: time.Hour, MaxTries: 3}, 3, 2 * time.Second, 5 * time.Second, "loading: busy (tried 3 times in "},
		// The last try begins at the limit or, because a try takes a second, in the second before it.
		"since first failure": {Policy{RetryFor: 1600 * time.Millisecond, FirstPause: 100 * time.Millisecond, MaxPause: 100 * time.Millisecond}, 0, 1600 * time.Millisecond, 2600 * time.Millisecond, "loading: busy (tried "},
		"long pauses":         {Policy{RetryFor: 3 * time.Minute, FirstPause: 2 * time.Minute}, 0, 3 * time.Minute, 181 * time.Second, "loading: busy (tried "},
		"server's hint": {Policy{RetryFor: 10 * time.Second, RetryAfter: func(error) time.Duration { return 8 * time.Second }}, 3,
			11 * time.Second, 11 * time.Second, "loading: busy (tried 3 times in 11s)"},
		"hint beyond the limit": {Policy{RetryFor: 10 * time.Second, RetryAfter: func(error) time.Duration { return time.Hour }}, 2, 11 * time.Second, 11 * time.Second, "loading: busy (tried 2 times in 11s)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := c.policy.Do(t.Context(), "loading", slow)
				e, ok := errors.AsType[*Error](err)
				if !ok || !errors.Is(err, errBusy) {
					t.Fatalf("%v", err)
				}
				if c.tries != 0 && e.Tries != c.tries || e.Elapsed < c.least || e.Elapsed > c.max || !strings.HasPrefix(err.Error(), c.text) {
					t.Errorf("%d tries in %v: %v", e.Tries, e.Elapsed, err)
				}
			})
		})
	}
}

// A policy within a try of another one shares its limit, and its failures count from the first one.
func TestNestedPoliciesShareTheLimit(t *testing.T) {
	hint := func(error) time.Duration { return 50 * time.Second }
	outer := Policy{RetryFor: 2 * time.Minute, RetryAfter: hint}
	inner := Policy{RetryFor: 2 * time.Minute, RetryAfter: hint, MaxTries: 2}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := outer.Do(t.Context(), "loading", func(ctx context.Context) error {
			return inner.Do(ctx, "sending", func(context.Context) error { return errBusy })
		})
		if took := time.Since(began); took != 2*time.Minute || !errors.Is(err, errBusy) {
			t.Errorf("%v: %v", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a failure that was overcome does not count
		failures := map[int]bool{1: true, 3: true}
		tries := 0
		err := outer.Do(t.Context(), "loading", func(ctx context.Context) error {
			for range 2 {
				err := inner.Do(ctx, "sending", func(context.Context) error {
					if tries++; failures[tries] {
						return errBusy
					}
					time.Sleep(3 * time.Minute)
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || tries != 4 {
			t.Errorf("%d tries: %v", tries, err)
		}
	})
}

func TestDoReturnsPermanentErrorsUnchanged(t *testing.T) {
	p := Policy{RetryFor: time.Hour, Temporary: func(err error) bool { return err == errBusy }}
	refused, tries := errors.New("refused"), 0
	err := p.Do(t.Context(), "loading", func(context.Context) error { tries++; return refused })
	if err != refused || tries != 1 {
		t.Errorf("%d tries: %v", tries, err)
	}
}

func TestDoReturnsTheErrorOfItsContextAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Policy{RetryFor: time.Hour, FirstPause: time.Minute}
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, func() { cancel(errors.New("another worker failed")) })
		if err := p.Do(ctx, "loading", func(context.Context) error { return errBusy }); err != context.Canceled || time.Since(began) != time.Second {
			t.Errorf("between tries: %v after %v", err, time.Since(began))
		}
		if err := p.Do(ctx, "loading", func(ctx context.Context) error { return errBusy }); err != context.Canceled {
			t.Errorf("in a try: %v", err)
		}
	})
}

func TestValueGivesEachTryADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		answer, err := Value(t.Context(), Policy{RetryFor: time.Hour, Timeout: time.Minute}, "asking", func(ctx context.Context) (string, error) {
			if tries++; tries < 3 {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return "answer", nil
		})
		if answer != "answer" || err != nil || tries != 3 {
			t.Errorf("%d tries: %q, %v", tries, answer, err)
		}
	})
}

// A retry of a quick request ends at the limit, and what ends it is a temporary error.
func TestValueCutsRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, tries := time.Now(), 0
		p := Policy{RetryFor: 10 * time.Second, Timeout: time.Minute, CutRetries: true, Temporary: func(err error) bool { return err == errBusy }}
		err := p.Do(t.Context(), "asking", func(ctx context.Context) error {
			if tries++; tries == 1 {
				time.Sleep(20 * time.Second)
				return errBusy
			}
			<-ctx.Done()
			return ctx.Err()
		})
		e, ok := errors.AsType[*Error](err)
		if took := time.Since(began); !ok || e.Tries != 2 || took != 30*time.Second {
			t.Errorf("%v: %v", took, err)
		}
	})
}

func TestPauseDoublesToItsLimit(t *testing.T) {
	p := Policy{FirstPause: time.Second, MaxPause: 10 * time.Second}
	for failures, mean := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 5: 10 * time.Second, 1e9: 10 * time.Second} {
		for range 100 {
			if pause := p.Pause(failures); pause < mean/2 || pause > mean*3/2+1 {
				t.Fatalf("%v after %d failures, whose mean pause is %v", pause, failures, mean)
			}
		}
	}
}
