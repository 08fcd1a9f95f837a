package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"s2g/cmd/s2g/internal/build"
	"s2g/cmd/s2g/internal/summary"
	"s2g/schema/manifest"
	"s2g/schema/memory"
	"s2g/schema/remote"
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
	if err == nil && whole(outcomes) {
		a.printf("\nnext:\n%s\n  s2g load qdrant --out %s --url http://localhost:6334\n", searchLine(shellQuoted(out), a.found), shellQuoted(out))
	}
	return nil
}

// searchLine returns the command of a search for a text in out, with as many of its words as a line has room for, but at
// least three.
func searchLine(out, text string) string {
	words := strings.Fields(cmp.Or(text, "how do I read a file line by line"))
	for n := len(words); ; n-- {
		line := fmt.Sprintf("  s2g search --out %s \"%s\"", out, remote.Printable(strings.Join(words[:n], " ")))
		if n <= 3 || utf8.RuneCountInString(line) <= summary.Width {
			return line
		}
	}
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

// whole reports whether the outcomes are those of a whole build.
func whole(outcomes []build.Outcome) bool {
	return len(outcomes) > 0 && slices.ContainsFunc(outcomes, func(o build.Outcome) bool { return o.Stage == build.Verify })
}

// shellQuoted quotes a path for a shell where it has other characters than the usual ones of paths.
func shellQuoted(path string) string {
	if path != "" && strings.IndexFunc(path, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+@%:,", r))
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
