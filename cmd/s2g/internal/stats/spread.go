package stats

import "slices"

// measure is a column of Table 1.
type measure struct {
	name, title string
	of          func(Graph) *float64
}

func measures() []measure {
	whole := func(n int64) *float64 { x := float64(n); return &x }
	return []measure{
		{"questions", "Ques.", func(g Graph) *float64 { return whole(g.Questions) }},
		{"answers", "Ans.", func(g Graph) *float64 { return whole(g.Answers) }},
		{"acceptance_rate", "AccRat", func(g Graph) *float64 { return g.AcceptanceRate }},
		{"answers_per_question", "Ans/Q", func(g Graph) *float64 { return g.AnswersPerQuestion }},
		{"comments_per_question", "Com/Q", func(g Graph) *float64 { return g.CommentsPerQuestion }},
	}
}

// distribution computes the spread of each measure over the graphs that have
// questions; pooled is all of them as one.
func distribution(graphs []Graph, pooled Graph) []Spread {
	var spreads []Spread
	for _, m := range measures() {
		var values []float64
		for _, g := range graphs {
			if v := m.of(g); g.Questions > 0 && v != nil {
				values = append(values, *v)
			}
		}
		spreads = append(spreads, spread(m.name, values, m.of(pooled)))
	}
	return spreads
}

func spread(name string, values []float64, pooled *float64) Spread {
	s := Spread{Measure: name, Graphs: len(values)}
	if len(values) == 0 {
		return s
	}
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	n := len(values)
	median, mean := (values[(n-1)/2]+values[n/2])/2, sum/float64(n)
	s.Min, s.Median, s.Mean, s.Max, s.Pooled = &values[0], &median, &mean, &values[n-1], pooled
	return s
}
