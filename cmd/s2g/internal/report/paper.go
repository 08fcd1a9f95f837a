package report

import "s2g/cmd/s2g/internal/stats"

// paperSection has the build's figures for the paper's measures and, if Compared is true,
// the paper's own beside them.
type paperSection struct {
	Title        string // of the paper
	Compared     bool
	Rows         []paperRow
	Distribution table
}

// paperRow is a figure of the build, and the paper's.
type paperRow struct{ Name, Note, Paper, Build, Distinct string }

// paper returns the figures of section 4 and Table 1 of the paper.
func (r *Report) paper() paperSection {
	const none = "–"
	s := paperSection{Title: stats.PaperTitle, Compared: stats.ComparesWithPaper(r.o.Site, r.o.Manifest.Dump)}
	s.Rows = []paperRow{
		{"language graphs", "those that have a question", stats.PaperLanguages, comma(int64(len(r.order))), none},
		{"questions a language", "the mean over these graphs", stats.PaperDistribution[0].Mean, rounded(r.stats.Distribution[0].Mean), none},
	}
	for _, f := range r.stats.PaperFigures() {
		row := paperRow{f.Name, f.Note, f.Paper, comma(f.Build.Summed), comma(f.Build.Distinct)}
		if row.Paper == "" {
			row.Paper = none
		}
		if f.Derived != "" && s.Compared {
			row.Note = "the paper’s is derived: " + f.Derived
		}
		s.Rows = append(s.Rows, row)
	}
	s.Distribution = table{
		Caption: "How the languages differ",
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
