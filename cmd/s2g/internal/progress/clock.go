package progress

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema/manifest"
)

// stageCost is the usual time of each stage as a share of the whole build; docs/performance.md has the table it is taken
// from. Only ratios matter: the stages that have ended give the speed of the machine.
var stageCost = map[string]float64{manifest.Ingest: 4, manifest.Graph: 2, manifest.Vectors: 4, build.Verify: 5, build.Report: 1}

// Clock estimates the remaining time of a whole build. A nil Clock estimates nothing. Several goroutines may call
// its methods.
type Clock struct {
	stages []string        // of the build, in order
	fresh  map[string]bool // stages that are up to date
	remote bool            // an endpoint embeds: no other stage tells the time of vectors

	mu      sync.Mutex
	ended   map[string]bool
	spent   time.Duration // by the stages that have ended and whose cost is comparable
	cost    float64       // of these
	current string
	started time.Time
}

// newClock returns a clock for the given stages. A stage whose entry in stale is false takes no time.
func newClock(stages []string, stale map[string]bool, remote bool) *Clock {
	c := &Clock{fresh: map[string]bool{}, ended: map[string]bool{}, remote: remote}
	for _, stage := range build.Stages {
		if !slices.Contains(stages, stage) {
			continue
		}
		c.stages = append(c.stages, stage)
		isStale, known := stale[stage]
		c.fresh[stage] = known && !isStale
	}
	return c
}

// ClockOf returns the clock of a build that runs the given stages.
func ClockOf(ctx context.Context, b *build.Build, stages []string) (*Clock, error) {
	state, err := b.Options.State(ctx, b.Dir.Manifest(), stages)
	if err != nil {
		return nil, err
	}
	shape := b.Options.Shape
	return newClock(stages, state.Stale, strings.Contains(shape.Dense+shape.Sparse, "://")), nil
}

// begin notes that a stage begins, and returns its number and the number of all stages. Both are 0 for a stage that the
// build does not have.
func (c *Clock) begin(stage string) (number, of int) {
	if c == nil {
		return 0, 0
	}
	i := slices.Index(c.stages, stage)
	if i < 0 {
		return 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, earlier := range c.stages[:i] {
		c.ended[earlier] = true
	}
	c.current, c.started = stage, time.Now()
	return i + 1, len(c.stages)
}

// end notes that a stage has ended. Other stages than the current one are ignored.
func (c *Clock) end(stage string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != stage {
		return
	}
	c.current, c.ended[stage] = "", true
	if c.comparable(stage) {
		c.spent += time.Since(c.started)
		c.cost += stageCost[stage]
	}
}

// comparable reports whether the time of a stage follows from the times of the others.
func (c *Clock) comparable(stage string) bool { return !(c.remote && stage == manifest.Vectors) }

// remaining returns the time that the build still takes, if left is that of the current stage and share, from 0 to 1, the
// done part of it. It returns false where nothing measured allows an estimate.
func (c *Clock) remaining(left time.Duration, share float64) (time.Duration, bool) {
	if c == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == "" {
		return 0, false
	}
	spent, cost := c.spent.Seconds(), c.cost
	if c.comparable(c.current) {
		spent += time.Since(c.started).Seconds()
		cost += share * stageCost[c.current]
	}
	if cost < 0.1 { // of the first stage a few percent are done: its start-up is no measure
		return 0, false
	}
	if left <= 0 || share < 0.02 && c.comparable(c.current) { // the stage has no total, or its start is no measure
		left = time.Duration((1 - share) * stageCost[c.current] * spent / cost * float64(time.Second))
	}
	for _, stage := range c.stages {
		if c.ended[stage] || c.fresh[stage] || stage == c.current {
			continue
		}
		if !c.comparable(stage) {
			return 0, false
		}
		left += time.Duration(stageCost[stage] * spent / cost * float64(time.Second))
	}
	return left, true
}
