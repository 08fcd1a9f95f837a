package main

import (
	"time"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/summary"
	"s2g/schema/manifest"
	"s2g/schema/memory"
)

// printSummary prints the outcomes of a command in out as a table, or as one line of JSON. The command took the given time
// and ended well if err is nil.
func (a *app) printSummary(out string, outcomes []build.Outcome, took time.Duration, err error) error {
	for i := range outcomes {
		outcomes[i].Warning = a.withFlagNames(outcomes[i].Warning)
	}
	if a.json {
		return printJSON(a, map[string]any{"result": outcomes})
	}
	if a.quiet {
		return nil
	}
	if err := summary.Write(a.stdout, outcomes, took); err != nil {
		return err
	}
	if err == nil {
		return summary.WriteNext(a.stdout, outcomes, out, a.found)
	}
	return nil
}

// stopwatch begins to measure a stage that the manifest does not list. Its result appends the outcome to those of the build.
func stopwatch(b *build.Build, stage string) (stop func()) {
	memory.ResetPeak()
	started := time.Now()
	return func() {
		measured := manifest.Summary{Seconds: time.Since(started).Seconds(), PeakRSS: memory.Peak()}
		b.Outcomes = append(b.Outcomes, build.Outcome{Stage: stage, Summary: measured, XMLBytes: b.Dir.Manifest().Dump.Bytes()})
	}
}
