package main

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

// logEvery is the time between two log lines of progress, aliveEvery that between two drawings on a terminal.
const (
	logEvery   = 5 * time.Second
	aliveEvery = 500 * time.Millisecond
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

// progress shows the progress of a stage from its beginning to its end: a bar on a terminal, a log line every few seconds
// elsewhere. It repeats the last report while none comes. Its method report is the Progress callback of stages; several
// goroutines may call it.
type progress struct {
	stage      string
	number, of int // of the stage in the build; 0: the command has no stages
	unit       unit
	clock      *buildClock
	last       *atomic.Pointer[progress] // which of several reported last; only that repeats its report
	log        *slog.Logger
	terminal   io.Writer // nil: lines are logged
	numbers    bool      // log lines have numbers without units, for programs

	mu          sync.Mutex
	bar         *progressbar.ProgressBar
	barTotal    int64
	started     time.Time
	logged      time.Time
	what        string // of the last report, as done and total
	done, total int64
	ticker      *time.Ticker
	ended       chan struct{}
}

// progress begins to show a stage.
func (a *app) progress(stage string) *progress {
	if earlier := a.preparation; earlier != nil {
		a.preparation = nil
		earlier.end()
	}
	p := a.laterProgress(stage)
	p.number, p.of = a.clock.begin(stage)
	p.report("", 0, 0)
	return p
}

// prepare shows that a command works before its first stage, until that begins or the result is called.
func (a *app) prepare(what string) (end func()) {
	a.preparation = a.progress(what)
	return func() {
		if p := a.preparation; p != nil {
			a.preparation = nil
			p.end()
		}
	}
}

// laterProgress is progress that shows nothing before the first report.
func (a *app) laterProgress(stage string) *progress {
	p := &progress{
		stage: stage, unit: cmp.Or(unitOf[stage], "posts"), clock: a.clock, last: &a.lastProgress, log: a.log, numbers: a.json,
		started: time.Now(), logged: time.Now(), ticker: time.NewTicker(aliveEvery), ended: make(chan struct{}),
	}
	if a.terminal {
		p.terminal = a.stderr
	}
	go p.repeat()
	return p
}

// repeat shows the last report again and again until the stage ends.
func (p *progress) repeat() {
	for {
		select {
		case <-p.ticker.C:
			p.mu.Lock()
			if p.last.Load() == p {
				p.show()
			}
			p.mu.Unlock()
		case <-p.ended:
			return
		}
	}
}

// newBar returns a bar, or a spinner if the total is unknown.
func (p *progress) newBar(total int64) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p.terminal),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	}
	if total <= 0 {
		return progressbar.NewOptions64(-1, options...)
	}
	options = append(options, progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount())
	if p.unit == inBytes {
		options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true))
	} else {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString(string(p.unit)))
	}
	return progressbar.NewOptions64(total, options...)
}

// report shows the name of the work, its done part and its total. A total of 0 is unknown.
func (p *progress) report(what string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.done, p.total = what, done, total
	p.last.Store(p)
	p.show()
}

// show draws the last report, or logs it if the last log line is old enough.
func (p *progress) show() {
	if p.terminal != nil {
		p.draw()
		return
	}
	if time.Since(p.logged) < logEvery {
		return
	}
	p.logged = time.Now()
	p.log.Info(p.stage, p.attributes()...)
}

// draw draws the bar and ignores errors of drawing.
func (p *progress) draw() {
	if p.bar == nil || p.total != p.barTotal {
		p.clear()
		p.bar, p.barTotal = p.newBar(p.total), p.total
		p.bar.Describe(p.title())
		_ = p.bar.RenderBlank() // a spinner turns from here on
	}
	p.bar.Describe(p.title())
	if p.total > 0 {
		_ = p.bar.Set64(min(p.done, p.total-1)) // a full bar ends itself before the stage ends
	}
}

// title returns the stage with its number, its work, and the remaining time of the whole build.
func (p *progress) title() string {
	title := p.stage
	if p.of > 0 {
		title = fmt.Sprintf("%d/%d %s", p.number, p.of, p.stage)
	}
	if p.what != "" && p.what != p.stage {
		title += ": " + p.what
	}
	_, left := p.times()
	if whole, ok := p.remaining(left); ok {
		title += fmt.Sprintf(" (all: %s)", whole.Round(time.Second))
	}
	return title
}

// times returns the work done per second and the remaining time of the stage; 0: unknown.
func (p *progress) times() (rate float64, left time.Duration) {
	rate = float64(p.done) / time.Since(p.started).Seconds()
	if rate > 0 && p.total > p.done {
		left = time.Duration(float64(p.total-p.done) / rate * float64(time.Second))
	}
	return rate, left
}

// remaining returns the remaining time of the whole build.
func (p *progress) remaining(left time.Duration) (time.Duration, bool) {
	if p.of == 0 {
		return 0, false
	}
	share := 0.0
	if p.total > 0 {
		share = float64(p.done) / float64(p.total)
	}
	return p.clock.remaining(left, share)
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// attributes returns the attributes of a log line: with units for people, as numbers for programs.
func (p *progress) attributes() []any {
	elapsed := time.Since(p.started)
	rate, left := p.times()
	whole, known := p.remaining(left)
	if p.numbers {
		list := []any{"what", p.what, "unit", string(p.unit), "done", p.done, "seconds", elapsed.Seconds(), "per_second", rate}
		if p.total > 0 {
			list = append(list, "total", p.total, "eta_seconds", left.Round(time.Second).Seconds())
		}
		if p.of > 0 {
			list = append(list, "stage", p.number, "stages", p.of)
		}
		if known {
			list = append(list, "build_eta_seconds", whole.Round(time.Second).Seconds())
		}
		return list
	}
	var list []any
	if p.of > 0 {
		list = append(list, "stage", fmt.Sprintf("%d/%d", p.number, p.of))
	}
	list = append(list, "what", p.what)
	if p.done > 0 || p.total > 0 {
		list = append(list, "done", p.format(p.done))
	} else {
		list = append(list, "for", elapsed.Round(time.Second).String())
	}
	if rate > 0 {
		list = append(list, "rate", p.unit.format(int64(rate))+"/s")
	}
	if left > 0 {
		list = append(list, "of", p.unit.format(p.total), "percent", fmt.Sprintf("%.0f", 100*float64(p.done)/float64(p.total)), "eta", left.Round(time.Second).String())
	}
	if known {
		list = append(list, "build_eta", whole.Round(time.Second).String())
	}
	return list
}

// format returns a count with its unit.
func (p *progress) format(n int64) string {
	if p.unit == inBytes {
		return p.unit.format(n)
	}
	return p.unit.format(n) + " " + string(p.unit)
}

// end clears the bar.
func (p *progress) end() {
	p.ticker.Stop()
	close(p.ended)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock.end(p.stage)
	p.last.CompareAndSwap(p, nil)
	p.clear()
}
