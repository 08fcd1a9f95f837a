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
var stageCost = map[string]float64{manifest.Ingest: 4, manifest.Graph: 2, manifest.Vectors: 4, build.Verify: 5, build.Report: 0.05}

// Clock estimates the remaining time of a whole build. A nil Clock estimates nothing. Several goroutines may call
// its methods.
type Clock struct {
	stages []string        // of the build, in order
	fresh  map[string]bool // stages that are up to date
	remote bool            // an endpoint embeds: the time of vectors does not follow from that of other stages

	mu        sync.Mutex
	ended     map[string]bool
	spent     time.Duration // by the stages that have ended and whose cost is comparable
	cost      float64       // of these
	running   map[string]estimate
	started   time.Time // when the first of the running stages began
	endedCost float64   // of the comparable stages that ended beside them
}

// estimate is the progress of a running stage: its remaining time, 0 where that is unknown, and the done part, from 0 to 1.
type estimate struct {
	left  time.Duration
	share float64
}

// newClock returns a clock for the given stages. A stage whose entry in stale is false takes no time.
func newClock(stages []string, stale map[string]bool, remote bool) *Clock {
	c := &Clock{fresh: map[string]bool{}, ended: map[string]bool{}, running: map[string]estimate{}, remote: remote}
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
		if _, beside := c.running[earlier]; !beside {
			c.ended[earlier] = true
		}
	}
	if len(c.running) == 0 {
		c.started, c.endedCost = time.Now(), 0
	}
	c.running[stage] = estimate{}
	return i + 1, len(c.stages)
}

// end notes that a stage has ended. A stage that does not run is ignored.
func (c *Clock) end(stage string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, runs := c.running[stage]; !runs {
		return
	}
	delete(c.running, stage)
	c.ended[stage] = true
	if c.comparable(stage) {
		c.endedCost += stageCost[stage]
	}
	if len(c.running) == 0 && c.endedCost > 0 {
		c.spent += time.Since(c.started)
		c.cost += c.endedCost
	}
}

// comparable reports whether the time of a stage follows from the times of the others.
func (c *Clock) comparable(stage string) bool { return !(c.remote && stage == manifest.Vectors) }

// remaining returns the time that the build still takes, if the progress of a running stage is now. It returns false where
// nothing measured allows an estimate.
func (c *Clock) remaining(stage string, now estimate) (time.Duration, bool) {
	if c == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, runs := c.running[stage]; !runs {
		return 0, false
	}
	c.running[stage] = now
	spent, cost := c.spent.Seconds(), c.cost
	running := c.endedCost
	for stage, e := range c.running {
		if c.comparable(stage) {
			running += e.share * stageCost[stage]
		}
	}
	if c.comparable(stage) || running > 0 {
		spent += time.Since(c.started).Seconds()
		cost += running
	}
	if cost < 0.1 { // of the first stage a few percent are done: its start-up is no measure
		return 0, false
	}
	var left time.Duration // of the running stage that ends last
	for stage, e := range c.running {
		if e.left <= 0 || e.share < 0.02 && c.comparable(stage) { // the stage has no total, or its start is no measure
			e.left = time.Duration((1 - e.share) * stageCost[stage] * spent / cost * float64(time.Second))
		}
		left = max(left, e.left)
	}
	for _, stage := range c.stages {
		if _, runs := c.running[stage]; runs || c.ended[stage] || c.fresh[stage] {
			continue
		}
		if !c.comparable(stage) {
			return 0, false
		}
		left += time.Duration(stageCost[stage] * spent / cost * float64(time.Second))
	}
	return left, true
}
