package diff

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"s2g/cmd/s2g/internal/textgrid"
)

// WriteJSON writes the result as one JSON object.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// namedSection is a section under its name.
type namedSection struct {
	name string
	*Section
}

func (r *Result) sections() (list []namedSection) {
	for _, s := range []namedSection{{"questions", r.Questions}, {"answers", r.Answers}, {"texts", r.Texts}} {
		if s.Section != nil {
			list = append(list, s)
		}
	}
	return list
}

// countColumns are the columns of a count.
var countColumns = []struct {
	name  string
	value func(Count) int64
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

// lacks reports whether a column does not apply to the section.
func (s namedSection) lacks(column string) bool {
	if s.name == "texts" {
		return column == "other"
	}
	return column == "embed"
}

// WriteCSV writes a header and a line for each section and language. The first
// column names the kind of line: language, or distinct for all of them together. A
// column that does not apply to a section is empty.
func (r *Result) WriteCSV(w io.Writer) error {
	header := []string{"row", "what", "language"}
	for _, c := range countColumns {
		header = append(header, c.name)
	}
	lines := [][]string{header}
	for _, s := range r.sections() {
		add := func(row string, n Count) {
			line := []string{row, s.name, n.Language}
			for _, c := range countColumns {
				text := strconv.FormatInt(c.value(n), 10)
				if s.lacks(c.name) {
					text = ""
				}
				line = append(line, text)
			}
			lines = append(lines, line)
		}
		for _, n := range s.Languages {
			add("language", n)
		}
		add("distinct", s.Distinct)
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("writing the differences: %w", err)
	}
	return nil
}

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer) error {
	var b strings.Builder
	for _, side := range []struct {
		name string
		Build
	}{{"OLD", r.Old}, {"NEW", r.New}} {
		fmt.Fprintf(&b, "%s  %s: %s, newest post %s\n", side.name, side.Out, strings.TrimPrefix(side.Site, "http://"), cmp.Or(side.Newest, "unknown"))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, s := range r.sections() {
		var g textgrid.Grid
		add := func(name string, cell func(i int) string) {
			line := []string{name}
			for i, c := range countColumns {
				if !s.lacks(c.name) {
					line = append(line, cell(i))
				}
			}
			g.Add(line...)
		}
		addCount := func(name string, n Count) {
			add("  "+name, func(i int) string { return humanize.Comma(countColumns[i].value(n)) })
		}
		add(s.name, func(i int) string { return countColumns[i].name })
		for _, n := range s.Languages {
			addCount(names([]string{n.Language}), n)
		}
		addCount("distinct", s.Distinct)
		b.WriteString("\n" + g.String())
	}
	if len(r.Properties) > 0 {
		g := textgrid.Grid{{"posts of both differ in", "questions", "answers"}}
		for _, p := range r.Properties {
			g.Add("  "+p.Name, humanize.Comma(p.Questions), humanize.Comma(p.Answers))
		}
		b.WriteString("\n" + g.String())
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the differences: %w", err)
	}
	return nil
}
