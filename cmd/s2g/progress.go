package main

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
)

// logEvery is the time between two log lines of progress.
const logEvery = 5 * time.Second

// unit is the unit of a stage's progress.
type unit uint8

const (
	inRows unit = iota
	inBytes
)

// String returns the unit's name.
func (u unit) String() string {
	if u == inBytes {
		return "bytes"
	}
	return "rows"
}

func (u unit) format(n int64) string {
	if u == inBytes {
		return humanize.IBytes(uint64(max(n, 0)))
	}
	return humanize.Comma(n)
}

// stagesInBytes count their progress in bytes; all others in rows.
var stagesInBytes = []string{"ingest", "verify", "diff"}

// progress shows the progress of a stage: a bar on a terminal, a log line every few seconds elsewhere. Its method report
// is the Progress callback of stages; several goroutines may call it.
type progress struct {
	stage    string
	unit     unit
	log      *slog.Logger
	terminal io.Writer // nil: lines are logged
	numbers  bool      // log lines have numbers without units, for programs

	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	total   int64 // of the bar
	started time.Time
	logged  time.Time
	last    func() // repeats the last report
}

// progress begins to show a stage.
func (a *app) progress(stage string) *progress {
	p := &progress{stage: stage, log: a.log, numbers: a.json, started: time.Now(), logged: time.Now()}
	if slices.Contains(stagesInBytes, stage) {
		p.unit = inBytes
	}
	if a.terminal {
		p.terminal = a.stderr
	}
	return p
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
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"))
	}
	return progressbar.NewOptions64(total, options...)
}

// report shows the name of the work, its done part and its total. A total of 0 is unknown.
func (p *progress) report(what string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = func() { p.report(what, done, total) }
	if p.terminal != nil {
		p.draw(what, done, total)
		return
	}
	if time.Since(p.logged) < logEvery {
		return
	}
	p.logged = time.Now()
	p.log.Info(p.stage, p.attributes(what, done, total)...)
}

// alive repeats the last report each second until stop is called, because a request to a server may take long.
func (p *progress) alive() (stop func()) {
	ticker, ended := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				p.mu.Lock()
				last := p.last
				p.mu.Unlock()
				if last != nil {
					last()
				}
			case <-ended:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(ended) }
}

// draw draws the bar and ignores errors of drawing.
func (p *progress) draw(what string, done, total int64) {
	if p.bar == nil || total != p.total {
		p.clear()
		p.bar, p.total = p.newBar(total), total
	}
	p.bar.Describe(p.stage + ": " + what)
	if total > 0 {
		_ = p.bar.Set64(min(done, total-1)) // a full bar ends itself before the stage ends
	}
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// attributes returns the attributes of a log line: with units for people, as numbers for programs.
func (p *progress) attributes(what string, done, total int64) []any {
	elapsed := time.Since(p.started)
	rate := float64(done) / elapsed.Seconds()
	var left time.Duration
	if rate > 0 && total > done {
		left = time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
	}
	if p.numbers {
		list := []any{"what", what, "unit", p.unit.String(), "done", done, "seconds", elapsed.Seconds(), "per_second", rate}
		if total > 0 {
			list = append(list, "total", total, "eta_seconds", left.Seconds())
		}
		return list
	}
	list := []any{"what", what, "done", p.unit.format(done)}
	if rate > 0 {
		list = append(list, "rate", p.unit.format(int64(rate))+"/s")
	}
	if left > 0 {
		list = append(list, "of", p.unit.format(total), "percent", fmt.Sprintf("%.0f", 100*float64(done)/float64(total)), "eta", left.String())
	}
	return list
}

// end clears the bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
