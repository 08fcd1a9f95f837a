package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/build"
)

// printSummary prints the outcomes as a table, or as one line of JSON.
func (a *app) printSummary(outcomes []build.Outcome) error {
	for i := range outcomes {
		outcomes[i].Warning = a.withFlagNames(outcomes[i].Warning)
	}
	if a.json {
		return printJSON(a, map[string]any{"result": outcomes})
	}
	if a.quiet {
		return nil
	}
	return writeSummary(a.stdout, outcomes)
}

func writeSummary(w io.Writer, outcomes []build.Outcome) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "stage\trows\tread\twritten\tseconds\tXML MB/s\trows/s\tmemory\tmariadbd\tbad data\t")
	for _, o := range outcomes {
		if o.Fresh {
			fmt.Fprintf(table, "%s\tup to date\t\t\t\t\t\t\t\t\t\n", o.Stage)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s\t\n", o.Stage, humanize.Comma(o.Rows), size(o.BytesIn), size(o.BytesOut),
			o.Seconds, rate(o.XMLBytes, o.Seconds, 1e6), rate(o.Rows, o.Seconds, 1), size(o.PeakRSS), size(o.ServerPeakRSS), total(o.Errors))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, o := range outcomes {
		for _, losses := range []struct {
			what   string
			counts map[string]int64
		}{{"bad data", o.Errors}, {"dropped by the rules of cleaning", droppedBy(o.Counts)}, {"embedded in part or not at all", incomplete(o.Counts)}} {
			if len(losses.counts) > 0 && !o.Fresh {
				fmt.Fprintf(w, "%s, %s: %s\n", o.Stage, losses.what, classes(losses.counts))
			}
		}
		if o.Warning != "" {
			fmt.Fprintf(w, "%s, warning: %s\n", o.Stage, printable(o.Warning))
		}
	}
	return nil
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

func total(classes map[string]int64) string {
	var n int64
	for _, c := range classes {
		n += c
	}
	return humanize.Comma(n)
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
