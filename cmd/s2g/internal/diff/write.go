package diff

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// WriteJSON writes the result as one JSON object.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// part is a section under its name.
type part struct {
	name string
	*Section
}

// parts are the sections that there are.
func (r *Result) parts() (list []part) {
	for _, p := range []part{{"questions", r.Questions}, {"answers", r.Answers}, {"texts", r.Texts}} {
		if p.Section != nil {
			list = append(list, p)
		}
	}
	return list
}

// counts are the columns of a count.
var counts = []struct {
	name string
	of   func(Count) int64
}{
	{"before", func(n Count) int64 { return n.Before }},
	{"after", func(n Count) int64 { return n.After }},
	{"added", func(n Count) int64 { return n.Added }},
	{"removed", func(n Count) int64 { return n.Removed }},
	{"text", func(n Count) int64 { return n.Text }},
	{"other", func(n Count) int64 { return n.Other }},
	{"same", func(n Count) int64 { return n.Same }},
	{"embed", func(n Count) int64 { return n.Embed }},
}

// WriteCSV writes a header and a line for each section and language. The first
// column says which: language, or distinct for what all hold together. What a
// section does not have is empty.
func (r *Result) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"row", "what", "language"}
	for _, c := range counts {
		header = append(header, c.name)
	}
	lines := [][]string{header}
	for _, p := range r.parts() {
		line := func(row string, n Count) {
			l := []string{row, p.name, n.Language}
			for _, c := range counts {
				text := strconv.FormatInt(c.of(n), 10)
				if p.lacks(c.name) {
					text = ""
				}
				l = append(l, text)
			}
			lines = append(lines, l)
		}
		for _, n := range p.Languages {
			line("language", n)
		}
		line("distinct", p.Distinct)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("writing the differences: %w", err)
	}
	return nil
}

// lacks says which columns say nothing of a section.
func (p part) lacks(column string) bool {
	if p.name == "texts" {
		return column == "other"
	}
	return column == "embed"
}

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer) error {
	var b strings.Builder
	for _, side := range []struct {
		name string
		Build
	}{{"OLD", r.Old}, {"NEW", r.New}} {
		fmt.Fprintf(&b, "%s  %s: %s, newest post %s\n", side.name, side.Out, strings.TrimPrefix(side.Site, "http://"), orUnknown(side.Newest))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, p := range r.parts() {
		b.WriteByte('\n')
		b.WriteString(p.grid().String())
	}
	if len(r.Properties) > 0 {
		b.WriteString("\n")
		g := grid{{"posts of both differ in", "questions", "answers"}}
		for _, p := range r.Properties {
			g = append(g, []string{"  " + p.Name, humanize.Comma(p.Questions), humanize.Comma(p.Answers)})
		}
		b.WriteString(g.String())
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the differences: %w", err)
	}
	return nil
}

// grid is the part as lines of cells.
func (p part) grid() grid {
	line := func(first string, cell func(i int) string) []string {
		l := []string{first}
		for i := range counts {
			if !p.lacks(counts[i].name) {
				l = append(l, cell(i))
			}
		}
		return l
	}
	g := grid{line(p.name, func(i int) string { return counts[i].name })}
	row := func(name string, n Count) {
		g = append(g, line(name, func(i int) string { return humanize.Comma(counts[i].of(n)) }))
	}
	for _, n := range p.Languages {
		row("  "+names([]string{n.Language}), n)
	}
	row("  distinct", p.Distinct)
	return g
}

// grid is lines of cells, the first column aligned left, the others right.
type grid [][]string

// String writes the lines, each column as wide as its widest cell.
func (g grid) String() string {
	widths := make([]int, len(g[0]))
	for _, line := range g {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range g {
		fmt.Fprintf(&b, "%-*s", widths[0], line[0])
		for i, cell := range line[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
