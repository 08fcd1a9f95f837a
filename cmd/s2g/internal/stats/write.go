package stats

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"s2g/cmd/s2g/internal/oracle"
)

// WriteJSON writes the statistics as one JSON object; undefined ratios are null.
func (s *Stats) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// WriteCSV writes a header and a line for each graph, then lines for the
// distribution and the totals. The first column says which: graph, min, median,
// mean, max, pooled, summed or distinct. The columns after the measures are
// quads by predicate and class. What is undefined is empty.
func (s *Stats) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"row", "tag", "graph"}
	for _, m := range measures() {
		header = append(header, m.name)
	}
	header = append(header, "quads")
	for t := range s.terms() {
		header = append(header, t.String())
	}
	lines := [][]string{header}
	for _, g := range s.Graphs {
		line := []string{"graph", g.Tag, g.IRI}
		for _, m := range measures() {
			line = append(line, exact(m.of(g)))
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
			line[3+i] = exact(row.of(d))
		}
		lines = append(lines, line)
	}
	lines = append(lines, s.totalLine("summed", len(header), func(t Total) int64 { return t.Summed }),
		s.totalLine("distinct", len(header), func(t Total) int64 { return t.Distinct }))
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("writing the statistics: %w", err)
	}
	return nil
}

func (s *Stats) totalLine(name string, width int, of func(Total) int64) []string {
	line := make([]string, width)
	first := width - int(s.terms())
	line[0], line[first-1] = name, strconv.FormatInt(of(s.Quads), 10)
	for _, group := range s.Edges {
		for _, e := range group.Edges {
			t, _ := oracle.LookupTerm(e.Name)
			line[first+int(t)] = strconv.FormatInt(of(e), 10)
		}
	}
	return line
}

var spreadRows = []struct {
	name string
	of   func(Spread) *float64
}{
	{"min", func(s Spread) *float64 { return s.Min }},
	{"median", func(s Spread) *float64 { return s.Median }},
	{"mean", func(s Spread) *float64 { return s.Mean }},
	{"max", func(s Spread) *float64 { return s.Max }},
	{"pooled", func(s Spread) *float64 { return s.Pooled }},
}

func exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// WriteTable writes the statistics for people. Graphs without questions are
// left out.
func (s *Stats) WriteTable(w io.Writer) error {
	g := grid{{"graph"}}
	for _, m := range measures() {
		g[0] = append(g[0], m.title)
	}
	for _, graph := range s.Graphs {
		if graph.Questions == 0 {
			continue
		}
		line := []string{graph.Name}
		for i, m := range measures() {
			line = append(line, rounded(m.of(graph), i))
		}
		g = append(g, line)
	}
	g = append(g, nil)
	for _, row := range spreadRows {
		line := []string{row.name}
		for i, d := range s.Distribution {
			line = append(line, rounded(row.of(d), i))
		}
		g = append(g, line)
	}
	totals := grid{{"nodes", "summed", "distinct"}}
	for _, n := range s.Nodes {
		totals = append(totals, n.line("  "))
	}
	totals = append(totals, nil, []string{"edges", "summed", "distinct"})
	for _, group := range s.Edges {
		totals = append(totals, group.line("  "))
		for _, e := range group.Edges {
			if e.Summed > 0 {
				totals = append(totals, e.line("    "))
			}
		}
	}
	totals = append(totals, s.Quads.line("  "))
	text := g.String()
	if rest := s.empty(); len(rest) > 0 && len(rest) <= namedEmpty {
		text += fmt.Sprintf("\nleft out, having no questions: %s\n", strings.Join(rest, ", "))
	} else if len(rest) > 0 {
		text += fmt.Sprintf("\n%d graphs without questions are left out\n", len(rest))
	}
	if _, err := io.WriteString(w, text+"\n"+totals.String()); err != nil {
		return fmt.Errorf("writing the statistics: %w", err)
	}
	return nil
}

// namedEmpty is how many graphs without questions the table names: a tag that was
// misspelt shows itself there, and a small site does not fill the screen.
const namedEmpty = 8

// empty names the graphs without questions.
func (s *Stats) empty() (names []string) {
	for _, g := range s.Graphs {
		if g.Questions == 0 {
			names = append(names, g.Name)
		}
	}
	return names
}

func (t Total) line(indent string) []string {
	return []string{indent + t.Name, grouped(strconv.FormatInt(t.Summed, 10)), grouped(strconv.FormatInt(t.Distinct, 10))}
}

// counts is how many of the measures, the first, are counts; the rest are ratios.
const counts = 2

func rounded(v *float64, measure int) string {
	if v == nil {
		return ""
	}
	if measure >= counts {
		return strconv.FormatFloat(*v, 'f', 2, 64)
	}
	if whole := math.Trunc(*v); whole != *v { // the mean or median of counts
		text := strconv.FormatFloat(*v, 'f', 1, 64)
		return grouped(text[:len(text)-2]) + text[len(text)-2:]
	}
	return grouped(strconv.FormatFloat(*v, 'f', 0, 64))
}

// grouped puts commas between the thousands of a number that is not negative.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// grid is lines of cells, the first column aligned left, the others right. An
// empty line is one.
type grid [][]string

func (g grid) String() string {
	var widths []int
	for _, line := range g {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range g {
		for i, cell := range line {
			if i == 0 {
				fmt.Fprintf(&b, "%-*s", widths[i], cell)
			} else {
				fmt.Fprintf(&b, "  %*s", widths[i], cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
