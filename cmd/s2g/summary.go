package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/build"
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
	if err := writeSummary(a.stdout, outcomes, took); err != nil {
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
		if n <= 3 || utf8.RuneCountInString(line) <= summaryWidth {
			return line
		}
	}
}

// stopwatch begins to measure a stage that the manifest does not list. Its result appends the outcome to those of the build.
func stopwatch(b *build.Build, stage string) (stop func()) {
	memory.ResetPeak()
	started := time.Now()
	return func() {
		summary := manifest.Summary{Seconds: time.Since(started).Seconds(), PeakRSS: memory.Peak()}
		b.Outcomes = append(b.Outcomes, build.Outcome{Stage: stage, Summary: summary, XMLBytes: b.Dir.Manifest().Dump.Bytes()})
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

// summaryWidth is the width of the summary in columns.
const summaryWidth = 80

// writeSummary writes a line for each stage, their totals, and what the stages left out.
func writeSummary(w io.Writer, outcomes []build.Outcome, took time.Duration) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "stage\trows\tread\twritten\tseconds\tXML MB/s\tmemory\tbad data\t")
	var all build.Outcome
	var bad int64
	for _, o := range outcomes {
		all.ServerPeakRSS = max(all.ServerPeakRSS, o.ServerPeakRSS)
		if o.Fresh {
			fmt.Fprintf(table, "%s\tup to date\t\t\t\t\t\t\t\n", o.Stage)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t\n", o.Stage, count(o.Rows), size(o.BytesIn), size(o.BytesOut),
			o.Seconds, rate(o.XMLBytes, o.Seconds, 1e6), size(o.PeakRSS), count(total(o.Errors)))
		all.BytesOut += o.BytesOut
		all.PeakRSS = max(all.PeakRSS, o.PeakRSS)
		bad += total(o.Errors)
	}
	fmt.Fprintf(table, "total\t\t\t%s\t%.1f\t\t%s\t%s\t\n", size(all.BytesOut), took.Seconds(), size(all.PeakRSS), count(bad))
	if err := table.Flush(); err != nil {
		return err
	}
	if all.ServerPeakRSS > 0 {
		fmt.Fprintf(w, "memory of MariaDB: %s\n", size(all.ServerPeakRSS))
	}
	for _, o := range outcomes {
		if o.Fresh {
			writeWrapped(w, o.Stage+", warning: ", o.Warning)
			continue
		}
		if reused, texts := o.Counts["texts_reused"], o.Counts["texts"]; reused > 0 {
			fmt.Fprintf(w, "%s: %s of %s texts reused\n", o.Stage, humanize.Comma(reused), humanize.Comma(texts))
		}
		writeWrapped(w, o.Stage+", bad data: ", classes(o.Errors))
		writeWrapped(w, o.Stage+", dropped by the rules of cleaning: ", classes(droppedBy(o.Counts)))
		writeWrapped(w, o.Stage+", embedded in part or not at all: ", classes(incomplete(o.Counts)))
		writeWrapped(w, o.Stage+", warning: ", o.Warning)
	}
	return nil
}

// writeWrapped writes a text with a title in lines of summaryWidth; nothing where there is no text.
func writeWrapped(w io.Writer, title, text string) {
	if text == "" {
		return
	}
	line := title
	empty := true
	for _, word := range strings.Fields(remote.Printable(text)) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > summaryWidth {
			fmt.Fprintln(w, line)
			line, empty = "    ", true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(w, line)
}

// droppedBy returns the counts of cleaning's drops, by rule.
func droppedBy(counts map[string]int64) map[string]int64 {
	by := map[string]int64{}
	for name, n := range counts {
		if rule, ok := strings.CutPrefix(name, "dropped_"); ok && n > 0 {
			by[strings.ReplaceAll(rule, "_", "-")] = n
		}
	}
	return by
}

// incomplete returns the counts of texts whose vectors are of a part of the text or missing, by reason.
func incomplete(counts map[string]int64) map[string]int64 {
	by := map[string]int64{}
	for name, n := range counts {
		for _, end := range []string{"_texts_truncated", "_texts_refused", "texts_without_a_known_term", "posts_of_too_large_ids_left_out"} {
			if strings.HasSuffix(name, end) && n > 0 {
				by[strings.ReplaceAll(name, "_", " ")] = n
			}
		}
	}
	return by
}

// size formats a number of bytes; "-" for 0.
func size(n int64) string {
	if n <= 0 {
		return "-"
	}
	return humanize.IBytes(uint64(n))
}

// rate formats n per second, in units of per; "-" for 0 or an unknown time.
func rate(n int64, seconds, per float64) string {
	if n == 0 || seconds <= 0 {
		return "-"
	}
	return humanize.CommafWithDigits(float64(n)/seconds/per, 0)
}

// count formats a number; "-" for 0.
func count(n int64) string {
	if n == 0 {
		return "-"
	}
	return humanize.Comma(n)
}

func total(classes map[string]int64) (n int64) {
	for _, c := range classes {
		n += c
	}
	return n
}

// classes formats counts with their names, the largest first.
func classes(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, humanize.Comma(counts[name]))
	}
	return strings.Join(names, ", ")
}
