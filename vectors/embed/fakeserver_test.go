package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fakeDim is the length of a fake server's vectors.
const fakeDim = 8

// fakeServer answers as vLLM does, without a model. The vector of a text is made of its hash, so that a test can compute it.
type fakeServer struct {
	*httptest.Server
	fault func(n int64, w http.ResponseWriter, r *fakeRequest) (answered bool) // called first; n: number of the request to /embeddings, from 1
	delay time.Duration

	limit int // tokens (words and two) of a text; 0: none
	least int // tokens of a text of /pooling; fewer are refused, as by vLLM 0.15
	batch int // texts of a request; 0: any

	requests atomic.Int64
	mu       sync.Mutex
	texts    map[string]int // how often each was embedded
	keys     map[string]bool
	busy     busyTime
}

type fakeRequest struct {
	Model          string
	Input          []string
	EncodingFormat string `json:"encoding_format"`
	Dimensions     int
	Truncate       *int `json:"truncate_prompt_tokens"`
	Prompt         string
	Task           string

	gone <-chan struct{} // closed when the client has given up
}

func newFake(t testing.TB) *fakeServer {
	f := &fakeServer{texts: map[string]int{}, keys: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", f.embeddings)
	mux.HandleFunc("POST /tokenize", f.tokenize)
	mux.HandleFunc("POST /pooling", f.pooling)
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeServer) read(r *http.Request) *fakeRequest {
	q := fakeRequest{gone: r.Context().Done()}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		panic(err)
	}
	f.mu.Lock()
	f.keys[r.Header.Get("Authorization")] = true
	f.mu.Unlock()
	return &q
}

func (f *fakeServer) embeddings(w http.ResponseWriter, r *http.Request) {
	defer f.busy.enter()()
	q := f.read(r)
	n := f.requests.Add(1)
	if f.fault != nil && f.fault(n, w, q) {
		return
	}
	select {
	case <-time.After(f.delay):
	case <-q.gone:
		return
	}
	for i, text := range q.Input {
		switch words := strings.Fields(text); {
		case f.batch > 0 && len(q.Input) > f.batch:
			refuse(w, http.StatusRequestEntityTooLarge, "batch size %d is over %d", len(q.Input), f.batch)
			return
		case f.limit > 0 && len(words)+2 > f.limit && q.Truncate == nil:
			refuse(w, http.StatusBadRequest, "this model's maximum context length is %d tokens", f.limit)
			return
		case f.limit > 0 && len(words)+2 > f.limit:
			q.Input[i] = strings.Join(words[:f.limit-2], " ")
		case strings.Contains(text, "poison"):
			refuse(w, http.StatusBadRequest, "input %d cannot be embedded", i)
			return
		}
	}
	f.mu.Lock()
	for _, text := range q.Input {
		f.texts[text]++
	}
	f.mu.Unlock()
	answer(w, q, fakeVector)
}

// answer writes the vectors of the texts of a request, in reverse order.
func answer(w http.ResponseWriter, q *fakeRequest, vector func(string) []float32) {
	data := make([]any, len(q.Input))
	for i, text := range q.Input {
		v := any(vector(text))
		if q.EncodingFormat == "base64" {
			v = toBase64(vector(text))
		}
		data[len(data)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": v}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(marshal(map[string]any{"object": "list", "model": q.Model, "data": data}))
}

func refuse(w http.ResponseWriter, code int, format string, args ...any) {
	w.WriteHeader(code)
	w.Write(marshal(map[string]any{"error": map[string]any{"message": fmt.Sprintf(format, args...), "code": code}}))
}

func toBase64(v []float32) string {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, v)
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// fakeVector returns the vector of a text, not of unit length.
func fakeVector(text string) []float32 {
	v := make([]float32, fakeDim)
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	for i := range v {
		v[i] = float32(int32(h)) / (1 << 20)
		h = h*1664525 + 1013904223
	}
	return v
}

// unit returns the fakeVector of a text, scaled to unit length.
func unit(text string) []float32 {
	v := fakeVector(text)
	normalise(v)
	return v
}

// tokenize answers token 0, the length of each word and 4, and token 2.
func (f *fakeServer) tokenize(w http.ResponseWriter, r *http.Request) {
	q := f.read(r)
	ids := fakeTokens(q.Prompt)
	w.Write(marshal(map[string]any{"count": len(ids), "max_model_len": cmp.Or(f.limit, 512), "tokens": ids}))
}

func fakeTokens(text string) []int {
	ids := []int{0}
	for _, word := range strings.Fields(text) {
		ids = append(ids, 4+len(word))
	}
	return append(ids, 2)
}

// pooling answers a weight for each token but the first and the last: a tenth of its place in the text less one half, at
// least 0.
func (f *fakeServer) pooling(w http.ResponseWriter, r *http.Request) {
	q := f.read(r)
	if q.Task != "token_classify" {
		refuse(w, http.StatusBadRequest, "task %q", q.Task)
		return
	}
	data := make([]any, len(q.Input))
	for i, text := range q.Input {
		if len(fakeTokens(text)) < f.least {
			refuse(w, http.StatusBadRequest, "3 validation errors for PoolingResponseData")
			return
		}
		weights := []float64{}
		for k := range len(fakeTokens(text)) - 2 {
			weights = append(weights, math.Max(0, (float64(k)-.5)/10))
		}
		data[i] = map[string]any{"index": i, "object": "pooling", "data": weights}
	}
	w.Write(marshal(map[string]any{"object": "list", "model": q.Model, "data": data}))
}

// busyTime measures the time during which at least one request is in flight.
type busyTime struct {
	mu    sync.Mutex
	n     int
	since time.Time
	total time.Duration
}

func (b *busyTime) enter() (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n++; b.n == 1 {
		b.since = time.Now()
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.n--; b.n == 0 {
			b.total += time.Since(b.since)
		}
	}
}

// specOf returns a spec of one embedder, whose endpoints are fakes.
func specOf(query string, fakes ...*fakeServer) string {
	var all []string
	for _, f := range fakes {
		all = append(all, f.URL+"/v1")
	}
	return "openai+" + strings.Join(all, ",") + "?model=m" + query
}

// options returns options with short pauses.
func options(t testing.TB, log *bytes.Buffer) RemoteOptions {
	o := RemoteOptions{RetryFor: time.Minute, Timeout: time.Minute, firstPause: 5 * time.Millisecond, Getenv: func(string) string { return "" }}
	if log != nil {
		o.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	return o
}

func open(t testing.TB, o RemoteOptions, spec string) Dense {
	t.Helper()
	d, err := OpenDense(context.Background(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// numbered returns n different texts.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d of some words", i)
	}
	return texts
}
