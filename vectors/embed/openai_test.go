package embed

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

// checkVectors compares vectors with the fake server's of the texts, in their order.
func checkVectors(t *testing.T, texts []string, vectors [][]float32) {
	t.Helper()
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors of %d texts", len(vectors), len(texts))
	}
	for i, text := range texts {
		if diff := cmp.Diff(unit(text), vectors[i]); diff != "" {
			t.Fatalf("%d, %q: %s", i, text, diff)
		}
	}
}

func TestRemoteDocuments(t *testing.T) {
	t.Parallel()
	a, b := newFake(t), newFake(t)
	d := open(t, options(t, nil), specOf("&batch=7", a, b))
	texts := numbered(200)
	checkVectors(t, texts, documents(t, d, texts...))
	if d.Dim() != fakeDim || d.Model() != "m" {
		t.Errorf("%s, %d dimensions", d.Model(), d.Dim())
	}
	for _, text := range texts {
		if n := a.texts[text] + b.texts[text]; n != 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
	if a.requests.Load() < 1 || b.requests.Load() < 1 {
		t.Errorf("%d and %d requests", a.requests.Load(), b.requests.Load())
	}
	if got, err := d.Documents(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestRemotePrefixes(t *testing.T) {
	f := newFake(t)
	d := open(t, options(t, nil), specOf("&document_prefix=doc:+&query_prefix=ask:+", f))
	documents(t, d, "one")
	q, err := d.Query(context.Background(), "two")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unit("ask: two"), q); diff != "" {
		t.Error(diff)
	}
	if f.texts["doc: one"] != 1 || f.texts["one"] != 0 {
		t.Errorf("%v", f.texts)
	}
}

// TestRemoteRetries holds that a request succeeds after each of these failures.
func TestRemoteRetries(t *testing.T) {
	text := func(body string) func(http.ResponseWriter, *fakeRequest) {
		return func(w http.ResponseWriter, _ *fakeRequest) { fmt.Fprint(w, body) }
	}
	status := func(code int) func(http.ResponseWriter, *fakeRequest) {
		return func(w http.ResponseWriter, _ *fakeRequest) { refuse(w, code, "not now") }
	}
	t.Parallel()
	tests := map[string]func(w http.ResponseWriter, q *fakeRequest){
		"429":               status(http.StatusTooManyRequests),
		"500":               status(http.StatusInternalServerError),
		"502":               status(http.StatusBadGateway),
		"503":               status(http.StatusServiceUnavailable),
		"424, TEI's":        status(http.StatusFailedDependency),
		"404 of a gateway":  status(http.StatusNotFound),
		"no JSON":           text("<html>"),
		"cut JSON":          text(`{"data": [{"index": 0, "embedding": [1, 2`),
		"too few":           text(`{"data": []}`),
		"an index twice":    text(`{"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}`),
		"no vector":         text(`{"data": [{"index": 0}, {"index": 1}]}`),
		"bad base64":        text(`{"data": [{"index": 0, "embedding": "!"}, {"index": 1, "embedding": "!"}]}`),
		"NaN":               text(`{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}`),
		"null":              text(`{"data": [{"index": 0, "embedding": [null]}, {"index": 1, "embedding": [1]}]}`),
		"closed connection": func(http.ResponseWriter, *fakeRequest) { panic(http.ErrAbortHandler) },
		"hangs":             func(_ http.ResponseWriter, q *fakeRequest) { <-q.gone },
		"not finite in base64": func(w http.ResponseWriter, q *fakeRequest) {
			answer(w, q, func(string) []float32 { return []float32{1, 2, 3, 4, 5, 6, 7, float32(math.Inf(1))} })
		},
		"cut body": func(w http.ResponseWriter, _ *fakeRequest) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"data": [`)
		},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.fault = func(n int64, w http.ResponseWriter, q *fakeRequest) bool {
				if n == 2 {
					fault(w, q)
				}
				return n == 2
			}
			o := options(t, nil)
			if name == "hangs" {
				o.Timeout = time.Second
			}
			d := open(t, o, specOf("", f))
			texts := numbered(2)
			checkVectors(t, texts, documents(t, d, texts...))
			if s, n := StatsOf(d), d.(*openAI).batch.embedded.Load(); s.Retries != 1 || n != 3 || s.Refused+s.Truncated != 0 {
				t.Errorf("%+v, %d texts", s, n)
			}
		})
	}
}

func TestRemoteHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var first, second time.Time
	f.fault = func(n int64, w http.ResponseWriter, q *fakeRequest) bool {
		switch n {
		case 2:
			first = time.Now()
			w.Header().Set("Retry-After", "0.4")
			refuse(w, http.StatusTooManyRequests, "slow down")
		case 3:
			second = time.Now()
		}
		return n == 2
	}
	o := options(t, nil)
	o.inFlight = 1
	documents(t, open(t, o, specOf("", f)), "a")
	if d := second.Sub(first); d < 400*time.Millisecond {
		t.Errorf("retried after %v", d)
	}
}

// TestRemoteFaults holds which failures end the run, and that no error or log holds the key.
func TestRemoteFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault func(n int64, w http.ResponseWriter, q *fakeRequest) bool
		want  schema.Fault
		says  string
	}{
		{"key", func(_ int64, w http.ResponseWriter, _ *fakeRequest) bool {
			refuse(w, http.StatusUnauthorized, "wrong key sk-secret")
			return true
		}, schema.FaultUsage, "wrong key ***"},
		{"model", func(_ int64, w http.ResponseWriter, _ *fakeRequest) bool {
			refuse(w, http.StatusNotFound, "no model m")
			return true
		}, schema.FaultUsage, "no model m"},
		{"redirect", func(_ int64, w http.ResponseWriter, _ *fakeRequest) bool {
			w.Header().Set("Location", "https://example.org/")
			w.WriteHeader(http.StatusPermanentRedirect)
			return true
		}, schema.FaultUsage, "redirects"},
		{"parameters", func(_ int64, w http.ResponseWriter, _ *fakeRequest) bool {
			refuse(w, http.StatusBadRequest, "no dimensions here")
			return true
		}, schema.FaultUsage, "no dimensions here"},
		{"down", func(int64, http.ResponseWriter, *fakeRequest) bool { panic(http.ErrAbortHandler) }, schema.FaultService, "no endpoint answered for 300ms"},
		{"not finite, twice", func(n int64, w http.ResponseWriter, q *fakeRequest) bool {
			fmt.Fprint(w, `{"data": [{"index": 0, "embedding": [NaN]}]}`)
			return true
		}, schema.FaultService, "not finite"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.fault = tt.fault
			var log bytes.Buffer
			o := options(t, &log)
			o.RetryFor = 300 * time.Millisecond
			o.Getenv = func(name string) string {
				if name == "S2G_DENSE_API_KEY" {
					return "sk-secret"
				}
				return ""
			}
			_, err := OpenDense(context.Background(), specOf("", f), o)
			if fault, _ := schema.FaultOf(err); err == nil || fault != tt.want || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("fault %d, %v; want %d and %q", fault, err, tt.want, tt.says)
			}
			if all := fmt.Sprint(err, log.String()); strings.Contains(all, "sk-secret") {
				t.Errorf("the key is in %s", all)
			}
		})
	}
}

func TestRemoteRefusesOtherModels(t *testing.T) {
	t.Parallel()
	other := func(dim int) *fakeServer {
		f := newFake(t)
		f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
			answer(w, q, func(text string) []float32 { return append(fakeVector(text), make([]float32, 8)...)[:dim] })
			return true
		}
		return f
	}
	named := newFake(t)
	named.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		q.Model = "another"
		return false
	}
	tests := []struct {
		name, spec, says string
	}{
		{"length", specOf("&batch=1", newFake(t), other(9)), "vectors of 9 dimensions"},
		{"name", specOf("&batch=1", newFake(t), named), `serves the model "another"`},
		{"as asked", specOf("&dimensions=4", newFake(t)), "vectors of 8 dimensions, m has 4"},
		{"as known", strings.Replace(specOf("", newFake(t)), "model=m", "model=all-MiniLM-L6-v2", 1), "all-MiniLM-L6-v2 has 384"},
	}
	for _, tt := range tests {
		d, err := OpenDense(context.Background(), tt.spec, options(t, nil))
		if err == nil {
			_, err = d.Documents(context.Background(), numbered(20))
		}
		if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: fault %d, %v", tt.name, fault, err)
		}
	}
}

func TestRemoteIsolatesRefusedTexts(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	d := open(t, options(t, nil), specOf("", f))
	texts := numbered(100)
	texts[13], texts[77], texts[50] = "poison", "more poison", " \n"
	got := documents(t, d, texts...)
	axis := make([]float32, fakeDim)
	axis[0] = 1
	for i, text := range texts {
		want := unit(text)
		if i == 13 || i == 77 || i == 50 {
			want = axis
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
		if f.texts[text] > 1 {
			t.Errorf("%q was embedded %d times", text, f.texts[text])
		}
	}
	if s := StatsOf(d); s.Refused != 2 || s.Retries != 0 {
		t.Errorf("%+v", s)
	}
	for i := range texts {
		texts[i] = "poison"
	}
	if _, err := d.Documents(context.Background(), texts); err == nil || !strings.Contains(err.Error(), "the server refuses") {
		t.Errorf("a server that refuses all: %v", err)
	}
}

func TestRemoteLowersBatchSize(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.batch = 5
	d := open(t, options(t, nil), specOf("", f))
	texts := numbered(150)
	checkVectors(t, texts, documents(t, d, texts...))
	before := f.requests.Load()
	checkVectors(t, texts, documents(t, d, texts...))
	if n := f.requests.Load() - before; n > 150/4+1 {
		t.Errorf("%d requests: the size of batches was not lowered", n)
	}
}

func TestRemoteShortensTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1000)
	for _, truncates := range []bool{true, false} {
		f := newFake(t)
		f.limit = 50
		if !truncates {
			f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
				q.Truncate = nil
				return false
			}
		}
		d := open(t, options(t, nil), specOf("", f))
		got := documents(t, d, "short", long, "other")
		var words int
		for n := range 49 {
			for _, kept := range []string{strings.Repeat("word ", n), strings.TrimSpace(strings.Repeat("word ", n))} {
				if cmp.Equal(got[1], unit(kept)) {
					words = n
				}
			}
		}
		if words < 30 {
			t.Errorf("truncates %v: the vector is of %d words", truncates, words)
		}
		checkVectors(t, []string{"short", "other"}, [][]float32{got[0], got[2]})
		if s := StatsOf(d); s.Truncated != 1 || s.Refused != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestRemoteShortensTextsForLlama has llama.cpp's error: status 500 for a text that is too long.
func TestRemoteShortensTextsForLlama(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		for _, text := range q.Input {
			if n := len(strings.Fields(text)); n > 50 {
				refuse(w, http.StatusInternalServerError, "input (%d tokens) is too large to process. increase the physical batch size (current batch size: 50)", n)
				return true
			}
		}
		return false
	}
	d := open(t, options(t, nil), specOf("", f))
	texts := numbered(32)
	texts[7] = strings.Repeat("word ", 200)
	got := documents(t, d, texts...)
	if cmp.Equal(got[7], unit(texts[7])) || got[7][0] == 1 {
		t.Error("the long text has no vector of its beginning")
	}
	checkVectors(t, slices.Concat(texts[:7], texts[8:]), slices.Concat(got[:7], got[8:]))
	if s := StatsOf(d); s.Truncated != 1 || s.Refused != 0 || s.Retries != 0 {
		t.Errorf("%+v", s)
	}
	before := f.requests.Load()
	documents(t, d, numbered(64)...)
	if n := f.requests.Load() - before; n != 2 {
		t.Errorf("%d requests of 64 texts: one long text lowered the size of batches", n)
	}
}

func TestRemoteWithoutBase64(t *testing.T) {
	f := newFake(t)
	f.fault = func(_ int64, w http.ResponseWriter, q *fakeRequest) bool {
		if q.EncodingFormat != "" {
			refuse(w, http.StatusUnprocessableEntity, "extra fields not permitted")
			return true
		}
		return false
	}
	texts := numbered(5)
	got := documents(t, open(t, options(t, nil), specOf("", f)), texts...)
	for i, text := range texts {
		for k, x := range unit(text) {
			if math.Abs(float64(x-got[i][k])) > 1e-6 {
				t.Fatalf("%d: %v, want %v", i, got[i], unit(text))
			}
		}
	}
}

// TestRemoteSurvivesAnEndpoint ends one of two endpoints half-way: the other takes over.
func TestRemoteSurvivesAnEndpoint(t *testing.T) {
	a, b := newFake(t), newFake(t)
	a.delay, b.delay = 5*time.Millisecond, 5*time.Millisecond
	d := open(t, options(t, nil), specOf("&batch=4", a, b))
	a.fault = func(n int64, _ http.ResponseWriter, _ *fakeRequest) bool {
		if n == 10 {
			go func() { a.CloseClientConnections(); a.Listener.Close() }()
		}
		return false
	}
	texts := numbered(400)
	checkVectors(t, texts, documents(t, d, texts...))
	if b.requests.Load() < 60 {
		t.Errorf("%d requests to the other endpoint", b.requests.Load())
	}
}

func TestRemoteGivesUp(t *testing.T) {
	t.Parallel()
	a, b := newFake(t), newFake(t)
	o := options(t, nil)
	o.RetryFor = 300 * time.Millisecond
	d := open(t, o, specOf("&batch=4", a, b))
	a.Close()
	b.Close()
	began := time.Now()
	_, err := d.Documents(context.Background(), numbered(40))
	fault, remedy := schema.FaultOf(err)
	if fault != schema.FaultService || fault.ExitCode() != 4 || remedy == "" {
		t.Errorf("fault %d, %v", fault, err)
	}
	if took := time.Since(began); took < 300*time.Millisecond || took > time.Minute {
		t.Errorf("gave up after %v", took)
	}
}

func TestRemoteBalancesBySpeed(t *testing.T) {
	fast, slow := newFake(t), newFake(t)
	fast.delay, slow.delay = 2*time.Millisecond, 300*time.Millisecond
	d := open(t, options(t, nil), specOf("&batch=1", fast, slow))
	documents(t, d, numbered(200)...)
	if f, s := fast.requests.Load(), slow.requests.Load(); s < 2 || f < 3*s {
		t.Errorf("%d requests to the fast one, %d to the slow one", f, s)
	}
}

func TestRemoteCancelled(t *testing.T) {
	f := newFake(t)
	d := open(t, options(t, nil), specOf("", f))
	f.delay = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	f.fault = func(int64, http.ResponseWriter, *fakeRequest) bool { cancel(); return false }
	if _, err := d.Documents(ctx, numbered(500)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDecodeBase64 has vectors of all lengths around that of a part. A vector that is cut, or padded inside, is an error.
func TestDecodeBase64(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 191, 192, 193, 384, 3584} {
		want, raw := make([]float32, dim), []byte(nil)
		for i := range want {
			want[i] = float32(i) / 7
			raw, _ = binary.Append(raw, binary.LittleEndian, want[i])
		}
		text := base64.StdEncoding.EncodeToString(raw)
		got, err := decodeBase64([]byte(text))
		if err != nil {
			t.Fatalf("%d dimensions: %v", dim, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d dimensions: %s", dim, diff)
		}
		for _, bad := range []string{text[:len(text)-1], text[:len(text)-4], "AA==" + text, text + "AA=="} {
			if got, err := decodeBase64([]byte(bad)); err == nil {
				t.Errorf("%d dimensions: %.8s, %d characters, gives %d numbers", dim, bad, len(bad), len(got))
			}
		}
	}
}

func TestRemoteKeys(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	tests := []struct {
		name     string
		endpoint string
		o        RemoteOptions
		key      string
		fails    bool
	}{
		{"none", "https://far/v1", RemoteOptions{Getenv: env()}, "", false},
		{"own before that of others", "https://far/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a", "OPENAI_API_KEY", "b")}, "a", false},
		{"of others", "https://far/v1", RemoteOptions{Getenv: env("OPENAI_API_KEY", "b")}, "b", false},
		{"this machine", "http://127.0.0.1:1/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a")}, "a", false},
		{"this machine by name", "http://localhost/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a")}, "a", false},
		{"unencrypted", "http://far/v1", RemoteOptions{Getenv: env("S2G_DENSE_API_KEY", "a")}, "", true},
		{"that of others, unencrypted", "http://far/v1", RemoteOptions{Getenv: env("OPENAI_API_KEY", "b")}, "", false},
	}
	for _, tt := range tests {
		s, err := ParseSpec("openai+" + tt.endpoint + "?model=m")
		if err != nil {
			t.Fatal(err)
		}
		es, err := s.endpoints(tt.o.withDefaults(), "S2G_DENSE_API_KEY", "OPENAI_API_KEY")
		if (err != nil) != tt.fails || err == nil && es[0].key != tt.key {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	f := newFake(t)
	o := options(t, nil)
	o.Getenv = env("S2G_DENSE_API_KEY", "k")
	open(t, o, specOf("", f))
	if !cmp.Equal(f.keys, map[string]bool{"Bearer k": true}) {
		t.Errorf("sent %v", f.keys)
	}
}

// exchange sends a request and decodes its answer, both JSON.
func exchange(t *testing.T, address string, send, into any) {
	t.Helper()
	resp, err := http.Post(address, "application/json", bytes.NewReader(marshal(send)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// TestRealServer compares the vectors of a real model by OpenAI's route with those of its own route.
func TestRealServer(t *testing.T) {
	schematest.Long(t)
	server := schematest.StartEmbedder(t)
	address := "http://" + server.Address
	d := open(t, RemoteOptions{}, "openai+"+address+"/v1?model=sentence-transformers/all-MiniLM-L6-v2&batch=100")
	if d.Dim() != 384 {
		t.Errorf("%d dimensions", d.Dim())
	}
	before := schematest.EmbeddedTexts(t, server)

	texts := make([]string, 70) // the server's limit of a request is 64
	for i := range texts {
		texts[i] = strings.Repeat("sort ", 1+i%3)
	}
	texts[3] = "How do I merge two dictionaries? 你好 <b>&amp;</b>"
	texts[5] = strings.Repeat("a long text about sorting lists ", 60) // over 256 tokens
	got := documents(t, d, texts...)
	if n := schematest.EmbeddedTexts(t, server) - before; n != int64(len(texts)) {
		t.Errorf("%d texts were embedded", n)
	}
	if s := StatsOf(d); s.Truncated != 1 || s.Refused != 0 || s.Retries != 0 {
		t.Errorf("%+v", s)
	}

	var want [][]float32
	exchange(t, address+"/embed", map[string]any{"inputs": texts[:6], "truncate": true}, &want)
	for i := range want {
		if c := cosine(got[i], want[i]); c < 1-1e-6 {
			t.Errorf("%q: cosine %v", texts[i], c)
		}
	}
	query, err := d.Query(context.Background(), texts[0])
	if err != nil || cosine(query, want[0]) < 1-1e-6 {
		t.Errorf("as a query: cosine %v, %v", cosine(query, want[0]), err)
	}

	counts, err := TokenizerOf(d).Tokens(context.Background(), []string{"a list in Python", texts[5]})
	if err != nil || counts[0] != 6 || counts[1] < 300 {
		t.Errorf("tokens %v, %v", counts, err)
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
