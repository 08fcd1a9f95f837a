package embed

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"s2g/schema"
)

// item is a vector of an answer. Index nil is omitted.
type item struct {
	index  any
	vector []float32
}

// answerItems writes an answer of these vectors, in base64 or as numbers.
func answerItems(w http.ResponseWriter, base64 bool, items []item) {
	data := make([]string, len(items))
	for i, it := range items {
		value := fmt.Sprintf("%q", toBase64(it.vector))
		if !base64 {
			value = strings.Join(strings.Fields(fmt.Sprint(it.vector)), ",")
		}
		data[i] = `{"object":"embedding","embedding":` + value
		if it.index != nil {
			data[i] += fmt.Sprintf(`,"index":%v`, it.index)
		}
		data[i] += "}"
	}
	fmt.Fprintf(w, `{"object":"list","model":"m","data":[%s]}`, strings.Join(data, ","))
}

// TestRemoteNamesUselessAnswers holds that an endpoint which begins to answer nonsense half-way ends the run with exit code
// 4 and a message that names and counts what is wrong, in both forms of vectors.
func TestRemoteNamesUselessAnswers(t *testing.T) {
	t.Parallel()
	var zero, nan, infinite = make([]float32, fakeDim), fakeVector("x"), fakeVector("y")
	nan[3], infinite[7] = float32(math.NaN()), float32(math.Inf(-1))
	right := func(q *fakeRequest) (items []item) {
		for i, text := range q.Input {
			items = append(items, item{i, fakeVector(text)})
		}
		return items
	}
	for name, c := range map[string]struct {
		bend func(items []item) []item
		says string
	}{
		"one index for all":        {func(items []item) []item { return each(items, func(it *item) { it.index = 0 }) }, "have the index 0"},
		"an index twice":           {func(items []item) []item { items[5].index = 2; return items }, "two vectors of 8 have the index 2"},
		"an index too high":        {func(items []item) []item { items[5].index = 8; return items }, "has the index 8 of 8 texts"},
		"a negative index":         {func(items []item) []item { items[5].index = -1; return items }, "has the index -1 of 8 texts"},
		"an index that is missing": {func(items []item) []item { items[5].index = nil; return items }, "the vector at 5 has no index"},
		"too few":                  {func(items []item) []item { return items[:7] }, "7 vectors for 8 texts"},
		"too many":                 {func(items []item) []item { return append(items, items[0]) }, "9 vectors for 8 texts"},
		"none":                     {func(items []item) []item { return nil }, "0 vectors for 8 texts"},
		"zeros":                    {func(items []item) []item { return each(items, func(it *item) { it.vector = zero }) }, "a vector is zero"},
		"not a number":             {func(items []item) []item { return each(items, func(it *item) { it.vector = nan }) }, "not finite"},
		"infinity":                 {func(items []item) []item { return each(items, func(it *item) { it.vector = infinite }) }, "not finite"},
		"one vector for all":       {func(items []item) []item { return each(items, func(it *item) { it.vector = fakeVector("a") }) }, "8 different texts have the same vector"},
		"other dimensions":         {func(items []item) []item { return each(items, func(it *item) { it.vector = it.vector[:7] }) }, "7 dimensions (index 0 of the answer), and before of 8"},
		"other dimensions of one":  {func(items []item) []item { items[6].vector = items[6].vector[:5]; return items }, "5 dimensions (index 6 of the answer), and before of 8"},
		"no numbers":               {func(items []item) []item { return each(items, func(it *item) { it.vector = nil }) }, "0 dimensions"},
	} {
		for _, base64 := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, base64 %v", name, base64), func(t *testing.T) {
				t.Parallel()
				f := newFake(t)
				f.fault = func(n int64, w http.ResponseWriter, q *fakeRequest) bool {
					items := right(q)
					if n > 1 && (len(items) == 8 || strings.Contains(c.says, "zero") || strings.Contains(c.says, "finite")) {
						items = c.bend(items)
					}
					answerItems(w, base64, items)
					return true
				}
				d := open(t, options(t, nil), specOf("", f))
				_, err := d.Documents(context.Background(), numbered(8))
				if fault, remedy := schema.FaultOf(err); err == nil || fault != schema.FaultService || remedy == "" || !strings.Contains(err.Error(), c.says) {
					t.Errorf("fault %v, %q: %v", fault, remedy, err)
				}
				if n := f.requests.Load(); n > 6 {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}

func each(items []item, bend func(*item)) []item {
	for i := range items {
		bend(&items[i])
	}
	return items
}

// TestRemoteNamesTextsWithoutVectors holds that a single text with a zero vector is found, logged by its title and counted,
// and that the others have their vectors.
func TestRemoteNamesTextsWithoutVectors(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		answer(w, q, func(text string) []float32 {
			if strings.HasPrefix(text, "How to emoji") {
				return make([]float32, fakeDim)
			}
			return fakeVector(text)
		})
		return true
	}
	var log bytes.Buffer
	d := open(t, options(t, &log), specOf("", f))
	texts := append(numbered(5), "How to emoji\u202e?\nbody of the post")
	got := documents(t, d, texts...)
	checkVectors(t, texts[:5], got[:5])
	if !IsFirstAxis(got[5]) || StatsOf(d).Refused != 1 || !strings.Contains(log.String(), `text="How to emoji?"`) || strings.Contains(log.String(), "body of") {
		t.Errorf("%v, %+v, %s", got[5], StatsOf(d), log.String())
	}
}

// Some servers omit the index of all vectors; a vector may be that of two equal texts.
func TestRemoteAcceptsAnswersWithoutIndexes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		var items []item
		for _, text := range q.Input {
			items = append(items, item{nil, fakeVector(text)})
		}
		answerItems(w, false, items)
		return true
	}
	d := open(t, options(t, nil), specOf("", f))
	for _, texts := range [][]string{numbered(8), {"a", "a", "a", "a", "a"}} {
		checkVectors(t, texts, documents(t, d, texts...))
	}
}

// TestRemoteRetriesForAsLongAsItStates measures the time from the first failure to the error: RetryFor, neither less nor
// more, whatever pause the server requests.
func TestRemoteRetriesForAsLongAsItStates(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(w http.ResponseWriter){
		"without a pause": func(w http.ResponseWriter) { refuse(w, 503, "starting") },
		"an hour":         func(w http.ResponseWriter) { w.Header().Set("Retry-After", "3600"); refuse(w, 429, "slowly") },
		"a date": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			refuse(w, 503, "slowly")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.fault = func(n int64, w http.ResponseWriter, q *fakeRequest) bool {
				if n > 1 {
					fault(w)
				}
				return n > 1
			}
			o := options(t, nil)
			o.RetryFor = time.Second
			d := open(t, o, specOf("", f))
			for try := 1; ; try++ { // other work on the machine may delay one of them
				before, began := f.requests.Load(), time.Now()
				_, err := d.Documents(context.Background(), numbered(3))
				if fault, _ := schema.FaultOf(err); fault != schema.FaultService {
					t.Errorf("%v", err)
				}
				took := time.Since(began)
				if took < time.Second || took > 1900*time.Millisecond && try == 10 {
					t.Errorf("%v", took)
				}
				if n := f.requests.Load() - before; n < 2 {
					t.Errorf("%d requests: none at the limit", n)
				}
				if took <= 1900*time.Millisecond || try == 10 {
					return
				}
			}
		})
	}
	t.Run("not at all", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		f.fault = func(_ int64, w http.ResponseWriter, _ *fakeRequest) bool { refuse(w, 503, "starting"); return true }
		o := options(t, nil)
		o.RetryFor = -1
		if _, err := OpenDense(context.Background(), specOf("", f), o); err == nil || f.requests.Load() != 1 {
			t.Errorf("%d requests: %v", f.requests.Load(), err)
		}
	})
}

// A date in Retry-After is obeyed as seconds are.
func TestRemoteHonoursADateInRetryAfter(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var until, second time.Time
	f.fault = func(n int64, w http.ResponseWriter, q *fakeRequest) bool {
		switch n {
		case 2:
			until = time.Now().Add(1500 * time.Millisecond).Truncate(time.Second) // the format has whole seconds
			w.Header().Set("Retry-After", until.UTC().Format(http.TimeFormat))
			refuse(w, http.StatusServiceUnavailable, "slow down")
		case 3:
			second = time.Now()
		}
		return n == 2
	}
	o := options(t, nil)
	o.inFlight = 1
	documents(t, open(t, o, specOf("", f)), "a")
	if second.Before(until) {
		t.Errorf("retried %v before the date", until.Sub(second))
	}
}

// A sparse endpoint whose weights are all zero, or whose indexes are wrong, is a fault.
func TestRemoteSparseFaults(t *testing.T) {
	t.Parallel()
	for says, answer := range map[string]string{
		"no weight above zero":    `{"data":[{"index":0,"data":[0,0,0]}]}`,
		"have the index 1":        `{"data":[{"index":1,"data":[0.5,0.5]}]}`,
		"weights of 0 texts":      `{"data":[]}`,
		"the model is not loaded": `{"error":{"message":"the model is not loaded"}}`,
		"not finite":              `{"data":[{"index":0,"data":[NaN]}]}`,
	} {
		f := newFake(t)
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
		o := options(t, nil)
		o.RetryFor = 300 * time.Millisecond
		_, err := OpenSparse(context.Background(), "bgem3+"+f.URL+"?model=m", o)
		if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultService || says != "not finite" && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: fault %v: %v", says, fault, err)
		}
	}
}
