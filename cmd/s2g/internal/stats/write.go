package stats

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/cmd/s2g/internal/textgrid"
	"s2g/schema"
)

// WriteJSON writes the statistics as one JSON object. Undefined ratios are null.
func (s *Stats) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// spreadRows are the rows of the distribution.
var spreadRows = []struct {
	name  string
	value func(Spread) *float64
}{
	{"min", func(s Spread) *float64 { return s.Min }},
	{"median", func(s Spread) *float64 { return s.Median }},
	{"mean", func(s Spread) *float64 { return s.Mean }},
	{"max", func(s Spread) *float64 { return s.Max }},
	{"pooled", func(s Spread) *float64 { return s.Pooled }},
}

// paperRows are the rows of the paper's Table 1.
var paperRows = []struct {
	name  string
	value func(PaperSpread) string
}{
	{"min", func(p PaperSpread) string { return p.Min }},
	{"median", func(p PaperSpread) string { return p.Median }},
	{"mean", func(p PaperSpread) string { return p.Mean }},
	{"max", func(p PaperSpread) string { return p.Max }},
}

// WriteCSV writes a header and a line for each graph, then lines for the
// distribution and the totals. The first column names the kind of line: graph, min,
// median, mean, max, pooled, summed or distinct. The columns after the measures are
// quads by predicate and class. An undefined value is empty.
func (s *Stats) WriteCSV(w io.Writer) error {
	exact := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	header := []string{"row", "tag", "graph"}
	for _, m := range measures {
		header = append(header, m.name)
	}
	header = append(header, "quads")
	firstTerm := len(header)
	for t := range s.terms() {
		header = append(header, t.String())
	}
	lines := [][]string{header}
	for _, g := range s.Graphs {
		line := []string{"graph", g.Tag, g.IRI}
		for _, m := range measures {
			line = append(line, exact(m.value(g)))
		}
		line = append(line, strconv.FormatInt(g.Quads, 10))
		for t := range s.terms() {
			line = append(line, strconv.FormatInt(g.Terms[t.String()], 10))
		}
		lines = append(lines, line)
	}
	for _, row := range spreadRows {
		line := make([]string, len(header))
		line[0] = row.name
		for i, d := range s.Distribution {
			line[3+i] = exact(row.value(d))
		}
		lines = append(lines, line)
	}
	for _, row := range []struct {
		name  string
		value func(Total) int64
	}{{"summed", func(t Total) int64 { return t.Summed }}, {"distinct", func(t Total) int64 { return t.Distinct }}} {
		line := make([]string, len(header))
		line[0], line[firstTerm-1] = row.name, strconv.FormatInt(row.value(s.Quads), 10)
		for _, group := range s.Edges {
			for _, e := range group.Edges {
				t, _ := oracle.LookupTerm(e.Name)
				line[firstTerm+int(t)] = strconv.FormatInt(row.value(e), 10)
			}
		}
		lines = append(lines, line)
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("writing the statistics: %w", err)
	}
	return nil
}

// maxNamedEmpty is up to how many graphs without questions WriteTable names: enough to
// show a misspelt tag, too few to fill the screen for a small site.
const maxNamedEmpty = 8

// WriteTable writes the statistics as text in columns, without the graphs that have no
// questions. withPaper adds the paper's figures (see [ComparesWithPaper]).
func (s *Stats) WriteTable(w io.Writer, withPaper bool) error {
	var graphs textgrid.Grid
	var titles []string
	for _, m := range measures {
		titles = append(titles, m.title)
	}
	graphs.Add(append([]string{"graph"}, titles...)...)
	var empty []string
	for _, g := range s.Graphs {
		if g.Questions == 0 {
			empty = append(empty, g.Name)
			continue
		}
		line := []string{g.Name}
		for _, m := range measures {
			line = append(line, rounded(m.value(g), m.isCount))
		}
		graphs.Add(line...)
	}
	graphs.Add()
	for _, row := range spreadRows {
		line := []string{row.name}
		for i, d := range s.Distribution {
			line = append(line, rounded(row.value(d), measures[i].isCount))
		}
		graphs.Add(line...)
	}
	if withPaper {
		graphs.Add()
		graphs.Add(append([]string{"the paper"}, titles...)...)
		for _, row := range paperRows {
			line := []string{row.name}
			for _, d := range PaperDistribution {
				line = append(line, row.value(d))
			}
			graphs.Add(line...)
		}
	}
	text := graphs.String()
	if len(s.Graphs) > 1 && slices.ContainsFunc(s.Graphs, func(g Graph) bool { return g.Tag == schema.SiteTag }) {
		text += "\nmin to pooled leave out the graph of the whole site, which holds all others\n"
	}
	switch n := len(empty); {
	case n > maxNamedEmpty:
		text += fmt.Sprintf("\n%d graphs without questions are left out\n", n)
	case n > 0:
		text += fmt.Sprintf("\nleft out, having no questions: %s\n", strings.Join(empty, ", "))
	}

	var totals textgrid.Grid
	add := func(indent string, t Total) {
		totals.Add(indent+t.Name, humanize.Comma(t.Summed), humanize.Comma(t.Distinct))
	}
	totals.Add("nodes", "summed", "distinct")
	for _, n := range s.Nodes {
		add("  ", n)
	}
	totals.Add()
	totals.Add("edges", "summed", "distinct")
	for _, group := range s.Edges {
		add("  ", group.Total)
		for _, e := range group.Edges {
			if e.Summed > 0 {
				add("    ", e)
			}
		}
	}
	add("  ", s.Quads)
	text += "\n" + totals.String()

	if withPaper {
		g := textgrid.Grid{{"beside the paper", "the paper", "summed", "distinct"}}
		for _, f := range s.PaperFigures() {
			if f.Paper == "" {
				continue
			}
			name := "  " + f.Name
			switch {
			case f.Derived != "":
				name += " (the paper's is derived: " + f.Derived + ")"
			case f.Note != "":
				name += " (" + f.Note + ")"
			}
			g.Add(name, f.Paper, humanize.Comma(f.Build.Summed), humanize.Comma(f.Build.Distinct))
		}
		text += "\n" + g.String()
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("writing the statistics: %w", err)
	}
	return nil
}

// rounded writes a ratio with two digits after the point, and a count with one unless it
// is whole, as means and medians may not be. It returns "" for an undefined value.
func rounded(v *float64, isCount bool) string {
	if v == nil {
		return ""
	}
	if !isCount {
		return strconv.FormatFloat(*v, 'f', 2, 64)
	}
	if whole := int64(*v); float64(whole) == *v {
		return humanize.Comma(whole)
	}
	text := strconv.FormatFloat(*v, 'f', 1, 64)
	whole, err := strconv.ParseInt(text[:len(text)-2], 10, 64)
	if err != nil { // above what an integer holds
		return text
	}
	return humanize.Comma(whole) + text[len(text)-2:]
}
