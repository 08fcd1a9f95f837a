package progress

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema/manifest"
)

// begun begins a stage as if ten seconds ago, with nothing logged since.
func begun(s *Stage) *Stage {
	s.Begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started, s.logged = time.Now().Add(-10*time.Second), time.Now().Add(-logEvery)
	return s
}

func TestProgressForPrograms(t *testing.T) {
	var log bytes.Buffer
	p := begun(&Stage{Name: "ingest", Last: &atomic.Pointer[Stage]{}, Log: slog.New(slog.NewJSONHandler(&log, nil)), Numbers: true})
	defer p.End()
	p.Report("Posts", 1000, 4000)
	var line struct {
		Msg, What, Unit string
		Done, Total     int64
		PerSecond       float64 `json:"per_second"`
		ETA             float64 `json:"eta_seconds"`
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	if line.Msg != "ingest" || line.What != "Posts" || line.Unit != "bytes" || line.Done != 1000 || line.Total != 4000 || line.PerSecond < 90 || line.ETA < 25 {
		t.Errorf("%s", log.String())
	}
}

func TestProgressForPeople(t *testing.T) {
	var log bytes.Buffer
	text := slog.New(slog.NewTextHandler(&log, nil))
	last := &atomic.Pointer[Stage]{}
	p := begun(&Stage{Name: "graph", Last: last, Log: text})
	defer p.End()
	p.Report("posts", 1000, 4000)
	p.Report("posts", 1001, 4000) // too soon after the last line
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "msg=graph what=posts done=\"1,000 posts\" rate=") || !strings.Contains(got, "of=4,000 percent=25 eta=") {
		t.Errorf("%s", got)
	}
	log.Reset()
	unknown := begun(&Stage{Name: "graph", Last: last, Log: text})
	defer unknown.End()
	unknown.Report("posts", 0, 0) // nothing is known yet
	if got := log.String(); !strings.Contains(got, "what=posts for=10s\n") {
		t.Errorf("%s", got)
	}
}

// A stage that reports nothing is shown nevertheless, and of two only the one that reported last.
func TestProgressRepeatsTheLastReport(t *testing.T) {
	var log bytes.Buffer
	text := slog.New(slog.NewTextHandler(&log, nil))
	last := &atomic.Pointer[Stage]{}
	first := begun(&Stage{Name: "verify", Last: last, Log: text})
	second := &Stage{Name: "verify qdrant", Last: last, Log: text}
	second.BeginLater()
	defer second.End()
	second.mu.Lock()
	second.logged = time.Now().Add(-logEvery)
	second.mu.Unlock()
	time.Sleep(2 * aliveEvery)
	first.End() // no more lines are written
	if got := log.String(); strings.Count(got, "msg=verify what=") != 1 || strings.Contains(got, "qdrant") {
		t.Errorf("%s", got)
	}
}

// The remaining time of a build is that of its stage and of the later ones at the speed of the earlier ones.
func TestClock(t *testing.T) {
	stale := map[string]bool{"ingest": true, "graph": false, "vectors": true}
	c := newClock(build.Stages, stale, false)
	if n, of := c.begin("ingest"); n != 1 || of != 5 {
		t.Errorf("stage %d of %d", n, of)
	}
	if left, ok := c.remaining("ingest", estimate{}); ok {
		t.Errorf("%v before anything is measured", left)
	}
	perCost := 10 * time.Second
	c.started = time.Now().Add(-time.Duration(stageCost["ingest"]) * perCost)
	c.end("ingest")
	c.begin("vectors")
	c.started = time.Now().Add(-time.Duration(stageCost["vectors"]) * perCost / 2)
	left, ok := c.remaining("vectors", estimate{time.Minute, 0.5})
	if want := time.Minute + time.Duration(stageCost[build.Verify]+stageCost[build.Report])*perCost; !ok || (left-want).Abs() > time.Second {
		t.Errorf("%v, want %v", left, want)
	}
	c.started = time.Now()
	left, _ = c.remaining("vectors", estimate{time.Hour, 0.001}) // a stage's start is no measure
	if want := time.Duration(stageCost["vectors"]+stageCost[build.Verify]+stageCost[build.Report]) * perCost; (left - want).Abs() > time.Second {
		t.Errorf("%v at the start of a stage, want %v", left, want)
	}

	remote := newClock(build.Stages, stale, true)
	remote.begin("ingest")
	remote.started = time.Now().Add(-time.Minute)
	if left, ok := remote.remaining("ingest", estimate{time.Minute, 0.5}); ok {
		t.Errorf("%v, although the endpoint has not been measured", left)
	}
	remote.end("ingest")
	remote.begin("vectors")
	if _, ok := remote.remaining("vectors", estimate{time.Minute, 0.5}); !ok {
		t.Error("unknown, although the endpoint is measured")
	}
}

// drawing is a terminal whose content a test reads while a stage draws.
type drawing struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *drawing) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

// contains reports whether one of the parts was drawn.
func (d *drawing) contains(parts ...string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(d.text.String(), part) })
}

// A bar has a rate and a remaining time as soon as something is done, not before: there is no rate of nothing.
func TestBarHasNoRateBeforeSomethingIsDone(t *testing.T) {
	terminal := &drawing{}
	s := &Stage{Name: "graph", Last: &atomic.Pointer[Stage]{}, Terminal: terminal}
	s.Begin()
	defer s.End()
	s.Report("posts", 0, 4000)
	for !terminal.contains("0/4000") {
		time.Sleep(time.Millisecond)
	}
	if rates := []string{"/hr", "/min", "/s", ":0s"}; terminal.contains(rates...) {
		t.Error("it has a rate of nothing")
	}
	s.Report("posts", 1000, 4000)
	for !terminal.contains("posts/s", "posts/min", "posts/hr") { // the bar is drawn again within half a second
		time.Sleep(time.Millisecond)
	}
}

// Of stages side by side, the one that ends last counts, and the time of both is one.
func TestClockOfStagesSideBySide(t *testing.T) {
	c := newClock([]string{manifest.Graph, manifest.Vectors, build.Verify}, nil, false)
	c.begin("graph")
	c.begin("vectors")
	c.started = time.Now().Add(-time.Minute)
	c.remaining("graph", estimate{time.Minute, 0.5})
	left, ok := c.remaining("vectors", estimate{2 * time.Minute, 0.5})
	perCost := time.Minute * 2 / time.Duration(stageCost["graph"]+stageCost["vectors"])
	if want := 2*time.Minute + time.Duration(stageCost[build.Verify])*perCost; !ok || (left-want).Abs() > time.Second {
		t.Errorf("%v %v, want %v", left, ok, want)
	}
	c.end("graph")
	if left, ok := c.remaining("graph", estimate{}); ok {
		t.Errorf("%v of a stage that has ended", left)
	}
	c.end("vectors")
	if c.spent < time.Minute || c.spent > time.Minute+10*time.Second || c.cost != stageCost["graph"]+stageCost["vectors"] {
		t.Errorf("%v for %v", c.spent, c.cost)
	}
}

// Stages side by side take turns on a terminal. The one that waits is shown although it reports nothing more.
func TestStagesTakeTurnsOnATerminal(t *testing.T) {
	var terminal bytes.Buffer
	last := &atomic.Pointer[Stage]{}
	graph := &Stage{Name: "graph", Last: last, Terminal: &terminal}
	vectors := &Stage{Name: "vectors", Last: last, Terminal: &terminal}
	for _, s := range []*Stage{graph, vectors} {
		s.unit, s.started = "posts", time.Now()
		s.Report("", 1, 10)
	}
	if last.Load() != graph || !vectors.pending || strings.Contains(terminal.String(), "vectors") {
		t.Errorf("the second stage has the terminal at once: %q", terminal.String())
	}
	graph.taken.Store(time.Now().Add(-turn).UnixNano())
	if !vectors.take() || last.Load() != vectors || vectors.pending {
		t.Error("the second stage has no turn")
	}
	if graph.Report("", 2, 10); last.Load() != vectors || !graph.pending {
		t.Error("the first stage has the turn of the second")
	}
}
