package eval

import (
	"fmt"
	"io"
	"text/tabwriter"

	"s2g/schema/manifest"
)

// Report holds the measures of a build.
type Report struct {
	Dense     string  `json:"dense"`     // model
	Sparse    string  `json:"sparse"`    // model
	Questions int     `json:"questions"` // searched
	Answers   int     `json:"answers"`   // searched
	Weight    float64 `json:"weight"`    // of the dense score in a fused score, fitted
	Fitted    int     `json:"fitted"`    // number of queries for the fit of the weight
	HeldOut   []Cell  `json:"held_out"`  // of the other queries
	All       []Cell  `json:"all"`       // of all queries: a little too good for hybrid

	NoGoodMatch *manifest.NoGoodMatch `json:"no_good_match,omitempty"` // nil: no title finds its body
}

// Cell holds the measures of a kind of search in a task.
type Cell struct {
	Task      string  `json:"task"`
	Search    string  `json:"search"` // sparse, dense or hybrid
	Queries   int     `json:"queries"`
	MRR       Measure `json:"mrr"`
	Recall1   Measure `json:"recall_1"`
	Recall10  Measure `json:"recall_10"`
	Recall100 Measure `json:"recall_100"`
}

func summarise(all []result, prior float64) *Report {
	best := fit(all, prior)
	r := &Report{Weight: weights[best]}
	for _, f := range all {
		if f.fits {
			r.Fitted++
		}
	}
	r.HeldOut = cells(all, best, result.isReported)
	r.All = cells(all, best, result.isAny)
	return r
}

func cells(all []result, best int, which func(result) bool) []Cell {
	var list []Cell
	for t := range Task(tasks) {
		for _, s := range []struct {
			name   string
			weight int
		}{{"sparse", 0}, {"dense", len(weights) - 1}, {"hybrid", best}} {
			c := Cell{Task: t.String(), Search: s.name}
			for m, into := range []*Measure{&c.MRR, &c.Recall1, &c.Recall10, &c.Recall100} {
				v := values(all, t, s.weight, measures[m], which)
				if c.Queries = len(v); c.Queries > 0 {
					*into = measure(v)
				}
			}
			if c.Queries > 0 {
				list = append(list, c)
			}
		}
	}
	return list
}

// WriteTable writes the report as text.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "dense %s, sparse %s; %d questions, %d answers\n", r.Dense, r.Sparse, r.Questions, r.Answers)
	fmt.Fprintf(w, "weight of dense in hybrid: %.2f, fitted on %d queries\n", r.Weight, r.Fitted)
	for _, part := range []struct {
		title string
		cells []Cell
	}{{"the other queries", r.HeldOut}, {"all queries, those that the weight was fitted on too", r.All}} {
		fmt.Fprintf(w, "\n%s\n", part.title)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "task\tsearch\tqueries\tMRR\t95 %\trecall@1\t95 %\trecall@10\t95 %\trecall@100\t95 %\t")
		for _, c := range part.cells {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t\n", c.Task, c.Search, c.Queries, c.MRR, c.Recall1, c.Recall10, c.Recall100)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if n := r.NoGoodMatch; n != nil {
		fmt.Fprintf(w, "\nno good match below a strength of %.2f: reported for %.1f %% of the other queries whose body is among the first %d, not reported for %.1f %% of %d foreign questions\n",
			n.Least, 100*n.False, foundWithin, 100*n.Missed, len(foreignQueries()))
	}
	return nil
}

// String returns the mean and its interval as two columns of a table.
func (m Measure) String() string { return fmt.Sprintf("%.3f\t%.3f-%.3f", m.Mean, m.Low, m.High) }
