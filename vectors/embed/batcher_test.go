package embed

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

// TestRemoteIsolatesCrashingTexts holds that a text on which a server fails, in any way, is found and counted, also where no
// other request is in flight. The other texts get their vectors, and later batches keep their size.
func TestRemoteIsolatesCrashingTexts(t *testing.T) {
	t.Parallel()
	status := func(code int, says string) func(http.ResponseWriter, *fakeRequest) {
		return func(w http.ResponseWriter, _ *fakeRequest) { refuse(w, code, "%s", says) }
	}
	tests := map[string]func(w http.ResponseWriter, q *fakeRequest){
		"500":     status(http.StatusInternalServerError, "a batch, its length, a token"),
		"memory":  status(http.StatusInternalServerError, "CUDA out of memory"),
		"502":     status(http.StatusBadGateway, "worker died"),
		"crashes": func(http.ResponseWriter, *fakeRequest) { panic(http.ErrAbortHandler) },
		"hangs":   func(_ http.ResponseWriter, q *fakeRequest) { <-q.gone },
		"not finite": func(w http.ResponseWriter, q *fakeRequest) {
			answer(w, q, func(string) []float32 { return []float32{1, 2, 3, 4, 5, 6, 7, float32(math.NaN())} })
		},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			if name == "hangs" {
				schematest.Long(t)
			}
			t.Parallel()
			f := newFake(t)
			var smaller atomic.Int64 // requests, once the text was found
			var found atomic.Bool
			f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
				bad := slices.ContainsFunc(q.Input, func(text string) bool { return strings.Contains(text, "crash") })
				if bad {
					fault(w, q)
				} else if found.Load() && len(q.Input) < 8 {
					smaller.Add(1)
				}
				return bad
			}
			o := options(t, nil)
			if name == "hangs" {
				o.Timeout = 500 * time.Millisecond
			}
			d := open(t, o, specOf("&batch=8", f))
			texts := numbered(16)
			texts[5] = "crash"
			got := documents(t, d, texts...)
			axis := make([]float32, fakeDim)
			axis[0] = 1
			if diff := cmp.Diff(axis, got[5]); diff != "" {
				t.Error(diff)
			}
			checkVectors(t, slices.Concat(texts[:5], texts[6:]), slices.Concat(got[:5], got[6:]))
			if s := StatsOf(d); s.Refused != 1 || s.Truncated != 0 {
				t.Errorf("%+v", s)
			}
			found.Store(true)
			documents(t, d, numbered(16)...)
			if n := smaller.Load(); n != 0 {
				t.Errorf("%d requests of fewer than 8 texts", n)
			}
		})
	}
}

// TestRemoteBatchTooLarge has a batch that is too large for the server, or for a proxy: later batches are smaller.
func TestRemoteBatchTooLarge(t *testing.T) {
	t.Parallel()
	for code, says := range map[int]string{
		http.StatusInternalServerError:   "CUDA out of memory. Tried to allocate 2 GiB",
		http.StatusRequestEntityTooLarge: "413 Request Entity Too Large",
	} {
		f := newFake(t)
		f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
			if len(q.Input) > 8 {
				refuse(w, code, "%s", says)
			}
			return len(q.Input) > 8
		}
		d := open(t, options(t, nil), specOf("", f))
		texts := numbered(32)
		checkVectors(t, texts, documents(t, d, texts...))
		before := f.requests.Load()
		checkVectors(t, texts, documents(t, d, texts...))
		if n, s := f.requests.Load()-before, StatsOf(d); n != 4 || s.Refused != 0 {
			t.Errorf("%d: %d requests, %+v", code, n, s)
		}
	}
}

// TestRemoteBatchTooSlow has a batch that is so large that the server exceeds the timeout: later batches are smaller.
func TestRemoteBatchTooSlow(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	f := newFake(t)
	f.fault = func(_ int64, _ http.ResponseWriter, q *fakeRequest) bool {
		if len(q.Input) > 8 {
			<-q.gone
		}
		return len(q.Input) > 8
	}
	o := options(t, nil)
	o.Timeout = time.Second
	d := open(t, o, specOf("", f))
	texts := numbered(32)
	checkVectors(t, texts, documents(t, d, texts...))
	before := f.requests.Load()
	checkVectors(t, texts, documents(t, d, texts...))
	if n, s := f.requests.Load()-before, StatsOf(d); n != 4 || s.Refused != 0 {
		t.Errorf("%d requests, %+v", n, s)
	}
}

// TestRemoteFailsOnMany holds that a server that fails on many texts is at fault itself.
func TestRemoteFailsOnMany(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		bad := slices.Contains(q.Input, "crash")
		if bad {
			refuse(w, http.StatusInternalServerError, "no such kernel")
		}
		return bad
	}
	texts := numbered(40)
	for i := range 20 {
		texts[i] = "crash"
	}
	_, err := open(t, options(t, nil), specOf("&batch=1", f)).Documents(t.Context(), texts)
	if fault, _ := schema.FaultOf(err); fault != schema.FaultService || !strings.Contains(err.Error(), "fails on 16 of") {
		t.Errorf("fault %v: %v", fault, err)
	}
}

// TestRemoteBusyIsNoFailure has a request that the server asks to wait, more often than a request may fail, while others
// succeed.
func TestRemoteBusyIsNoFailure(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var waits atomic.Int64
	f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		wait := q.Input[0] == "late" && waits.Add(1) <= maxFailures+1
		if wait {
			refuse(w, http.StatusTooManyRequests, "slow down")
		}
		return wait
	}
	o := options(t, nil)
	o.RetryFor, o.inFlight = time.Minute, 20
	d := open(t, o, specOf("", f))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			d.Documents(ctx, []string{"fine"})
			time.Sleep(time.Millisecond)
		}
	}()
	checkVectors(t, []string{"late"}, documents(t, d, "late"))
}
