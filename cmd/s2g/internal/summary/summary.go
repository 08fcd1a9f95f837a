// Package summary writes the outcomes of a command's stages for people: a table, and what the stages left out.
package summary

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
	"s2g/schema/remote"
)

// Width is the width of a summary in columns.
const Width = 80

// Write writes a line for each stage, their totals, and what the stages left out.
func Write(w io.Writer, outcomes []build.Outcome, took time.Duration) error {
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
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t\n", o.Stage, Count(o.Rows), Size(o.BytesIn), Size(o.BytesOut),
			o.Seconds, Rate(o.XMLBytes, o.Seconds, 1e6), Size(o.PeakRSS), Count(total(o.Errors)))
		all.BytesOut += o.BytesOut
		all.PeakRSS = max(all.PeakRSS, o.PeakRSS)
		bad += total(o.Errors)
	}
	fmt.Fprintf(table, "total\t\t\t%s\t%.1f\t\t%s\t%s\t\n", Size(all.BytesOut), took.Seconds(), Size(all.PeakRSS), Count(bad))
	if err := table.Flush(); err != nil {
		return err
	}
	if all.ServerPeakRSS > 0 {
		fmt.Fprintf(w, "memory of MariaDB: %s\n", Size(all.ServerPeakRSS))
	}
	for _, o := range outcomes {
		if o.Fresh {
			WriteWrapped(w, o.Stage+", warning: ", o.Warning)
			continue
		}
		if reused, texts := o.Counts["texts_reused"], o.Counts["texts"]; reused > 0 {
			fmt.Fprintf(w, "%s: %s of %s texts reused\n", o.Stage, humanize.Comma(reused), humanize.Comma(texts))
		}
		WriteWrapped(w, o.Stage+", bad data: ", classes(o.Errors))
		WriteWrapped(w, o.Stage+", dropped by the rules of cleaning: ", classes(droppedBy(o.Counts)))
		WriteWrapped(w, o.Stage+", embedded in part or not at all: ", classes(incomplete(o.Counts)))
		WriteWrapped(w, o.Stage+", warning: ", o.Warning)
	}
	return nil
}

// WriteWrapped writes a text with a title in lines of Width; nothing where there is no text.
func WriteWrapped(w io.Writer, title, text string) {
	if text == "" {
		return
	}
	line := title
	empty := true
	for _, word := range strings.Fields(remote.Printable(text)) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Width {
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

// Size formats a number of bytes; "-" for 0.
func Size(n int64) string {
	if n <= 0 {
		return "-"
	}
	return humanize.IBytes(uint64(n))
}

// Rate formats n per second, in units of per; "-" for 0 or an unknown time.
func Rate(n int64, seconds, per float64) string {
	if n == 0 || seconds <= 0 {
		return "-"
	}
	return humanize.CommafWithDigits(float64(n)/seconds/per, 0)
}

// Count formats a number; "-" for 0.
func Count(n int64) string {
	if n == 0 {
		return "-"
	}
	return humanize.Comma(n)
}

// total returns the sum of the counts.
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
