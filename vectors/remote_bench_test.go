package vectors

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
)

// endpointEnv makes the test binary an endpoint that takes so long for a batch. Its
// processor time is not that of the stage.
const endpointEnv = "VECTORS_TEST_ENDPOINT"

const benchDim = 256 // as long as the builtin embedder's

// BenchmarkRemote makes shards with two endpoints that take 50 ms for a batch, and for
// comparison with dense vectors that cost nothing. %in-flight is the share of the time
// between the first request and the last response in which an endpoint has a request, the
// lowest of both; x-pipeline-cpu is the stage's own processor time for a text, compared
// with free vectors, the lowest of each.
func BenchmarkRemote(b *testing.B) {
	const questions = 8000
	posts, _ := benchPosts(questions)
	db := load(b, map[string][]row{"Posts": posts})
	measure := func(b *testing.B, s *run) (cpu float64) { // seconds a text
		dir, err := manifest.Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		defer dir.Close()
		before := schematest.CPUSeconds("")
		if err := s.intoBuild(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
		return (schematest.CPUSeconds("") - before) / float64(dir.Manifest().Stages[manifest.Vectors].Counts["texts"])
	}
	o := smallOptions()
	o.Window, o.Overlap, o.Workers = 0, nil, 2
	builtin := func() *run { return &run{Options: o, db: db, unitPosts: unitPosts, dense: newFreeVectors()} }
	measure(b, builtin()) // warms the server's cache
	first, second := startEndpoint(b), startEndpoint(b)
	remote := o
	remote.Dense = "openai+" + first.url + "/v1," + second.url + "/v1?model=m"
	pipeline, cpu, inFlight := math.Inf(1), math.Inf(1), 100.
	for b.Loop() {
		b.StopTimer()
		pipeline = min(pipeline, measure(b, builtin()))
		b.StartTimer()
		cpu = min(cpu, measure(b, &run{Options: remote, db: db, unitPosts: unitPosts}))
		inFlight = min(inFlight, first.inFlight(b), second.inFlight(b))
	}
	b.ReportMetric(inFlight, "%in-flight")
	b.ReportMetric(1e6*cpu, "cpu-µs/text")
	b.ReportMetric(cpu/pipeline, "x-pipeline-cpu")
}

// freeVectors are drawn in advance.
type freeVectors struct{ list [][]float32 }

func newFreeVectors() freeVectors {
	var f freeVectors
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		v := make([]float32, benchDim)
		for i := range v {
			v[i] = float32(r.NormFloat64()) / 16
		}
		f.list = append(f.list, v)
	}
	return f
}

func (f freeVectors) Model() string { return "free" }
func (f freeVectors) Dim() int      { return benchDim }

func (f freeVectors) Documents(_ context.Context, texts []string) ([][]float32, error) {
	return f.list[:len(texts)], nil
}

func (f freeVectors) Query(context.Context, string) ([]float32, error) { return f.list[0], nil }

// endpoint is a process that serves embeddings.
type endpoint struct{ url string }

func startEndpoint(b *testing.B) endpoint {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), endpointEnv+"=50ms")
	cmd.Stderr = os.Stderr
	stop, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stop.Close(); cmd.Wait() })
	var e endpoint
	if _, err := fmt.Fscanln(out, &e.url); err != nil {
		b.Fatal(err)
	}
	return e
}

// inFlight returns the share of the time in which there was a request, in percent, since
// its last call.
func (e endpoint) inFlight(b *testing.B) (percent float64) {
	answer, err := http.Get(e.url + "/busy")
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := fmt.Fscanln(answer.Body, &percent); err != nil {
		b.Fatal(err)
	}
	return percent
}

// serveEmbeddings runs an endpoint until its standard input ends.
func serveEmbeddings(delay string) {
	wait, err := time.ParseDuration(delay)
	if err != nil {
		panic(err)
	}
	var encoded []string
	for _, v := range newFreeVectors().list {
		var raw bytes.Buffer
		binary.Write(&raw, binary.LittleEndian, v)
		encoded = append(encoded, base64.StdEncoding.EncodeToString(raw.Bytes()))
	}
	var busy busyTime
	work := make(chan struct{}, 1) // one batch at a time, as a model works
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if len(asked.Input) > 1 { // not the one that only tries whether it is there
			defer busy.enter()()
		}
		work <- struct{}{}
		time.Sleep(wait)
		<-work
		var data []string
		for i := range asked.Input {
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":"%s"}`, i, encoded[i]))
		}
		answer := fmt.Sprintf(`{"object":"list","model":"m","data":[%s]}`, strings.Join(data, ","))
		w.Header().Set("Content-Length", strconv.Itoa(len(answer))) // as vLLM and TEI send it
		io.WriteString(w, answer)
	})
	mux.HandleFunc("GET /busy", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, busy.percent()) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go http.Serve(listener, mux)
	io.Copy(io.Discard, os.Stdin)
}

// busyTime measures the time with at least one request, between the first and the last.
type busyTime struct {
	mu          sync.Mutex
	n           int
	since       time.Time
	first, last time.Time
	total       time.Duration
}

func (t *busyTime) enter() (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n++; t.n == 1 {
		t.since = time.Now()
	}
	if t.first.IsZero() {
		t.first = t.since
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.last = time.Now()
		if t.n--; t.n == 0 {
			t.total += t.last.Sub(t.since)
		}
	}
}

// percent returns the share of that time, and starts a new measurement.
func (t *busyTime) percent() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	share := t.total.Seconds() / t.last.Sub(t.first).Seconds()
	t.first, t.total = time.Time{}, 0
	return 100 * share
}
