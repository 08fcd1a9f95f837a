package report

import "s2g/cmd/s2g/internal/stats"

// countSection has the nodes and edges of the build. If Compared is true, the paper's figures
// are beside them.
type countSection struct {
	Paper        string // the paper's title
	Compared     bool
	Summed       bool // there are several graphs
	Rows         []countRow
	Distribution *table // nil: there is one graph
}

// countRow is a figure of the build, and the paper's.
type countRow struct{ Name, Note, Paper, Build, Distinct string }

// counts returns the figures of section 4 and Table 1 of the paper.
func (r *Report) counts() countSection {
	const none = "–"
	s := countSection{Paper: stats.PaperTitle, Compared: stats.ComparesWithPaper(r.o.Site, r.o.Manifest), Summed: len(r.order) > 1 || r.whole && !r.isWholeSite()}
	if s.Summed {
		s.Rows = []countRow{
			{"graphs", "those that have a question", stats.PaperLanguages, comma(int64(len(r.order))), none},
			{"questions a graph", "the mean over these", stats.PaperDistribution[0].Mean, rounded(r.stats.Distribution[0].Mean), none},
		}
		if r.whole {
			s.Rows[0].Build, s.Rows[1].Note = comma(int64(len(r.order)+1)), "the mean over those that are not of the whole site"
		}
	}
	for _, f := range r.stats.PaperFigures() {
		row := countRow{f.Name, f.Note, f.Paper, comma(f.Build.Summed), comma(f.Build.Distinct)}
		if row.Paper == "" {
			row.Paper = none
		}
		if f.Derived != "" && s.Compared {
			row.Note = "the paper’s is derived: " + f.Derived
		}
		s.Rows = append(s.Rows, row)
	}
	if !s.Summed {
		return s
	}
	s.Distribution = &table{
		Caption: "How the graphs of " + r.noun() + "s differ",
		Head:    []string{"", "graphs", "min", "median", "mean", "max", "all as one"},
	}
	for i, name := range []string{"questions", "answers", "accepted, of 100 answers", "answers a question", "comments a question"} {
		d := r.stats.Distribution[i]
		show := func(x *float64) string {
			if i < 2 {
				return rounded(x)
			}
			return fixed(x, 2)
		}
		s.Distribution.Rows = append(s.Distribution.Rows, []string{name, comma(int64(d.Graphs)), show(d.Min), show(d.Median), show(d.Mean), show(d.Max), show(d.Pooled)})
		if p := stats.PaperDistribution[i]; s.Compared {
			s.Distribution.Rows = append(s.Distribution.Rows, []string{"the paper’s", stats.PaperLanguages, p.Min, p.Median, p.Mean, p.Max, none})
		}
	}
	return s
}
