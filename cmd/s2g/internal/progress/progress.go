// Package progress shows the progress of a stage, as a bar or as log lines, and estimates the remaining time of a build.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
)

// logEvery is the time between two log lines of progress, aliveEvery that between two drawings on a terminal, and turn the
// time for which one of several stages has the line of the terminal.
const (
	logEvery   = 5 * time.Second
	aliveEvery = 500 * time.Millisecond
	turn       = 3 * time.Second
)

// unit is the name of what a stage counts. Bytes are formatted with binary prefixes.
type unit string

const inBytes unit = "bytes"

// unitOf has the units of the stages that do not count posts.
var unitOf = map[string]unit{
	"ingest": inBytes, "verify": inBytes, "diff": inBytes,
	"load graphdb": "statements", "verify graphdb": "graphs",
	"load qdrant": "points", "verify qdrant": "points",
}

func (u unit) format(n int64) string {
	if u == inBytes {
		return humanize.IBytes(uint64(max(n, 0)))
	}
	return humanize.Comma(n)
}

// Stage shows the progress of a stage from Begin or BeginLater to End: a bar on a terminal, a log line every few seconds
// elsewhere. It repeats the last report while none comes. Stages side by side take turns on a terminal. Its method Report is the Progress callback of stages; several
// goroutines may call it.
type Stage struct {
	Name     string
	Clock    *Clock                 // of the build; nil: the command is not a build
	Last     *atomic.Pointer[Stage] // which of several reported last, or has the terminal; only that repeats its report
	Log      *slog.Logger
	Terminal io.Writer // nil: lines are logged
	Numbers  bool      // log lines have numbers without units, for programs

	number, of int // of the stage in the build; 0: the build has no such stage
	unit       unit

	mu          sync.Mutex
	bar         *progressbar.ProgressBar
	barTotal    int64
	started     time.Time
	logged      time.Time
	what        string // of the last report, as done and total
	done, total int64
	pending     bool         // the last report is not drawn, because another stage has the terminal
	taken       atomic.Int64 // when the stage took the terminal, in Unix nanoseconds
	ticker      *time.Ticker
	ended       chan struct{}
}

// Begin shows the stage, with its number in the build, also before its first report.
func (s *Stage) Begin() {
	s.BeginLater()
	s.number, s.of = s.Clock.begin(s.Name)
	s.Report("", 0, 0)
}

// BeginLater begins a stage that shows nothing before its first report.
func (s *Stage) BeginLater() {
	s.unit = cmp.Or(unitOf[s.Name], "posts")
	s.started, s.logged = time.Now(), time.Now()
	s.ticker, s.ended = time.NewTicker(aliveEvery), make(chan struct{})
	go s.repeat()
}

// repeat shows the last report again and again until the stage ends.
func (s *Stage) repeat() {
	for {
		select {
		case <-s.ticker.C:
			s.mu.Lock()
			if s.Last.Load() == s || s.pending && s.take() {
				s.show()
			}
			s.mu.Unlock()
		case <-s.ended:
			return
		}
	}
}

// newBar returns a bar, or a spinner if the total is unknown.
func (s *Stage) newBar(total int64) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(s.Terminal),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	}
	if total <= 0 {
		return progressbar.NewOptions64(-1, options...)
	}
	options = append(options, progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(false), progressbar.OptionShowCount())
	if s.unit == inBytes {
		options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true))
	}
	return progressbar.NewOptions64(total, options...)
}

// showRate adds rate and remaining time to the bar, which has neither before something is done.
func (s *Stage) showRate() {
	progressbar.OptionSetPredictTime(true)(s.bar)
	if s.unit != inBytes { // of bytes it shows any rate but 0
		progressbar.OptionShowIts()(s.bar)
		progressbar.OptionSetItsString(string(s.unit))(s.bar)
	}
}

// Report shows the name of the work, its done part and its total. A total of 0 is unknown.
func (s *Stage) Report(what string, done, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what, s.done, s.total = what, done, total
	if s.pending = !s.take(); !s.pending {
		s.show()
	}
}

// take makes the stage the one that is shown, unless another one has the terminal.
func (s *Stage) take() bool {
	last := s.Last.Load()
	if last == s {
		return true
	}
	if s.Terminal != nil && last != nil {
		if time.Since(time.Unix(0, last.taken.Load())) < turn {
			return false
		}
		fmt.Fprint(s.Terminal, "\r\x1b[K") // the line of the other
	}
	s.pending = false
	s.taken.Store(time.Now().UnixNano())
	s.Last.Store(s)
	return true
}

// show draws the last report, or logs it if the last log line is old enough.
func (s *Stage) show() {
	if s.Terminal != nil {
		s.draw()
		return
	}
	if time.Since(s.logged) < logEvery {
		return
	}
	s.logged = time.Now()
	s.Log.Info(s.Name, s.attributes()...)
}

// draw draws the bar and ignores errors of drawing.
func (s *Stage) draw() {
	if s.bar == nil || s.total != s.barTotal {
		s.clear()
		s.bar, s.barTotal = s.newBar(s.total), s.total
		s.bar.Describe(s.title())
		_ = s.bar.RenderBlank() // a spinner turns from here on
	}
	s.bar.Describe(s.title())
	if s.total > 0 {
		if s.done > 0 {
			s.showRate()
		}
		_ = s.bar.Set64(min(s.done, s.total-1)) // a full bar ends itself before the stage ends
	}
}

// title returns the stage with its number, its work, and the remaining time of the whole build.
func (s *Stage) title() string {
	title := s.Name
	if s.of > 0 {
		title = fmt.Sprintf("%d/%d %s", s.number, s.of, s.Name)
	}
	if s.what != "" && s.what != s.Name {
		title += ": " + s.what
	}
	_, left := s.times()
	if whole, ok := s.remaining(left); ok {
		title += fmt.Sprintf(" (all: %s)", whole.Round(time.Second))
	}
	return title
}

// times returns the work done per second and the remaining time of the stage; 0: unknown.
func (s *Stage) times() (rate float64, left time.Duration) {
	rate = float64(s.done) / time.Since(s.started).Seconds()
	if rate > 0 && s.total > s.done {
		left = time.Duration(float64(s.total-s.done) / rate * float64(time.Second))
	}
	return rate, left
}

// remaining returns the remaining time of the whole build.
func (s *Stage) remaining(left time.Duration) (time.Duration, bool) {
	if s.of == 0 {
		return 0, false
	}
	share := 0.0
	if s.total > 0 {
		share = float64(s.done) / float64(s.total)
	}
	return s.Clock.remaining(s.Name, estimate{left, share})
}

func (s *Stage) clear() {
	if s.bar != nil {
		_ = s.bar.Finish()
	}
}

// attributes returns the attributes of a log line: with units for people, as numbers for programs.
func (s *Stage) attributes() []any {
	elapsed := time.Since(s.started)
	rate, left := s.times()
	whole, known := s.remaining(left)
	if s.Numbers {
		list := []any{"what", s.what, "unit", string(s.unit), "done", s.done, "seconds", elapsed.Seconds(), "per_second", rate}
		if s.total > 0 {
			list = append(list, "total", s.total, "eta_seconds", left.Round(time.Second).Seconds())
		}
		if s.of > 0 {
			list = append(list, "stage", s.number, "stages", s.of)
		}
		if known {
			list = append(list, "build_eta_seconds", whole.Round(time.Second).Seconds())
		}
		return list
	}
	var list []any
	if s.of > 0 {
		list = append(list, "stage", fmt.Sprintf("%d/%d", s.number, s.of))
	}
	list = append(list, "what", s.what)
	if s.done > 0 || s.total > 0 {
		list = append(list, "done", s.format(s.done))
	} else {
		list = append(list, "for", elapsed.Round(time.Second).String())
	}
	if rate > 0 {
		list = append(list, "rate", s.unit.format(int64(rate))+"/s")
	}
	if left > 0 {
		list = append(list, "of", s.unit.format(s.total), "percent", fmt.Sprintf("%.0f", 100*float64(s.done)/float64(s.total)), "eta", left.Round(time.Second).String())
	}
	if known {
		list = append(list, "build_eta", whole.Round(time.Second).String())
	}
	return list
}

// format returns a count with its unit.
func (s *Stage) format(n int64) string {
	if s.unit == inBytes {
		return s.unit.format(n)
	}
	return s.unit.format(n) + " " + string(s.unit)
}

// End ends the stage and clears the bar.
func (s *Stage) End() {
	s.ticker.Stop()
	close(s.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Clock.end(s.Name)
	s.Last.CompareAndSwap(s, nil)
	s.clear()
}
