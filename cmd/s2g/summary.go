package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"s2g/schema/manifest"
)

// outcome is a line of the table that a build ends with.
type outcome struct {
	Stage string `json:"stage"`
	Fresh bool   `json:"fresh"` // nothing was to be done
	manifest.Summary
	XMLBytes      int64 `json:"xml_bytes"`                 // of the dump, decoded: what every stage's speed is measured by
	ServerPeakRSS int64 `json:"server_peak_rss,omitempty"` // of the private mariadbd, bytes

	Warning string `json:"warning,omitempty"` // what does not stop a build, and yet may be a mistake
}

// printSummary writes the outcomes as a table, or as one JSON line.
func (a *app) printSummary(outcomes []outcome) error {
	if a.json {
		return json.NewEncoder(a.stdout).Encode(map[string]any{"result": outcomes})
	}
	if a.quiet {
		return nil
	}
	return writeSummary(a.stdout, outcomes)
}

func writeSummary(w io.Writer, outcomes []outcome) error {
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
		if len(o.Errors) > 0 && !o.Fresh {
			fmt.Fprintf(w, "%s, bad data: %s\n", o.Stage, classes(o.Errors))
		}
		if o.Warning != "" {
			fmt.Fprintf(w, "%s, warning: %s\n", o.Stage, printable(o.Warning))
		}
	}
	return nil
}

func size(n int64) string {
	if n <= 0 {
		return "-"
	}
	return humanize.IBytes(uint64(n))
}

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

// classes lists counts by name, the largest first.
func classes(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, humanize.Comma(counts[name]))
	}
	return strings.Join(names, ", ")
}
