package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"s2g/cmd/s2g/internal/stats"
	"s2g/schema"
)

// maxMonths is the longest time, in months, that the page shows by month.
const maxMonths = 18

// times returns the chart of posts by year, or by month where the time is short; nil
// without posts.
func (r *Report) times() (c *columnChart, byMonth bool) {
	months := map[int]schema.PostCounts{} // by 12 times the year and the month, January being 0
	for name, n := range r.figures.Months {
		if t, err := time.Parse("2006-01", name); err == nil {
			months[12*t.Year()+int(t.Month())-1] = n
		}
	}
	known := slices.Sorted(maps.Keys(months))
	if len(known) == 0 {
		return nil, false
	}
	first, last := known[0], known[len(known)-1]
	byMonth = last-first < maxMonths
	if byMonth {
		return r.periods("months", "month", months, first, last, func(month, at int) (name label, title string) {
			t := time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC)
			name.Text = t.Format("Jan")
			if last-first < maxMonths*2/3 || (last-month)%2 == 0 {
				name.Short = name.Text
			}
			if at == 0 || month%12 == 0 {
				name.Below = t.Format("2006")
			}
			return name, t.Format("January 2006")
		}), true
	}
	return r.periods("years", "year", byYear(months), first/12, last/12, func(year, _ int) (name label, title string) {
		name.Text = strconv.Itoa(year)
		if (last/12-year)%2 == 0 || last/12-first/12 < 8 { // from nine years on there is room only for every other label
			name.Short = fmt.Sprintf("’%02d", year%100)
		}
		return name, name.Text
	}), false
}

// byYear returns the sums of counts by month.
func byYear(months map[int]schema.PostCounts) map[int]schema.PostCounts {
	years := map[int]schema.PostCounts{}
	for month, n := range months {
		of := years[month/12]
		years[month/12] = schema.PostCounts{Questions: of.Questions + n.Questions, Answers: of.Answers + n.Answers}
	}
	return years
}

// periods returns the chart of posts by periods of time, from the first to the last. name
// returns the label of the period at a place, and its name in a sentence.
func (r *Report) periods(id, unit string, counts map[int]schema.PostCounts, first, last int, name func(period, at int) (label, string)) *columnChart {
	title := "Posts by " + unit
	best, bestName := schema.PostCounts{}, ""
	var stacks []stack
	t := table{Caption: title, Head: []string{unit, "questions", "answers"}}
	for period := first; period <= last; period++ {
		n := counts[period]
		label, named := name(period, period-first)
		if n.Sum() > best.Sum() {
			best, bestName = n, named
		}
		total := ""
		if label.Short != "" {
			total = short(n.Sum())
		}
		stacks = append(stacks, stack{
			name: label, value: exact(n.Sum()), brief: total,
			hint:  fmt.Sprintf("%s: %s, %s", named, plural(n.Questions, "question"), plural(n.Answers, "answer")),
			parts: []stackPart{{n.Questions, "question"}, {n.Answers, "answer"}},
		})
		t.Rows = append(t.Rows, []string{named, comma(n.Questions), comma(n.Answers)})
	}
	desc := fmt.Sprintf("Most were written in %s: %s and %s.", bestName, plural(best.Questions, "question"), plural(best.Answers, "answer"))
	if newest := r.o.Manifest.Dump.Newest; newest != "" {
		desc += " The dump ends on " + day(newest) + "."
	}
	return newColumnChart(chart{ID: id, Title: title, Desc: desc, Table: t}, stacks)
}

// scoreRanges name schema.ScoreRanges. short is the score of the range that is nearest to 0.
var scoreRanges = [len(schema.ScoreRanges)]struct{ name, short string }{
	{"≤−10", "−10"}, {"−9…−5", "−5"}, {"−4…−1", "−1"}, {"0", "0"}, {"1", "1"}, {"2", "2"}, {"3, 4", "3"}, {"5…9", "5"}, {"10…19", "10"},
	{"20…49", "20"}, {"50…99", "50"}, {"100…499", "100"}, {"≥500", "500"},
}

// scores returns the chart of posts by score, nil if no post has one.
func (r *Report) scores() *dotChart {
	all := []series{{class: "question", name: "question"}, {class: "answer", name: "answer"}}
	var names []label
	var sum, zero, high schema.PostCounts
	t := table{Caption: "Posts by score", Head: []string{"score", "questions", "answers"}}
	for i, b := range scoreRanges {
		n := r.figures.Scores[i]
		names = append(names, label{Text: b.name, Short: b.short})
		all[0].counts, all[1].counts = append(all[0].counts, n.Questions), append(all[1].counts, n.Answers)
		t.Rows = append(t.Rows, []string{b.name, comma(n.Questions), comma(n.Answers)})
		sum = schema.PostCounts{Questions: sum.Questions + n.Questions, Answers: sum.Answers + n.Answers}
		if schema.ScoreRanges[i] == 0 {
			zero = n
		}
		if schema.ScoreRanges[i] >= 10 {
			high = schema.PostCounts{Questions: high.Questions + n.Questions, Answers: high.Answers + n.Answers}
		}
	}
	if sum.Sum() == 0 {
		return nil
	}
	desc := fmt.Sprintf("A score is up votes less down votes. Of the questions %s have 0 and %s have 10 or more, of the answers %s and %s.",
		orNone(share(zero.Questions, sum.Questions)), orNone(share(high.Questions, sum.Questions)), orNone(share(zero.Answers, sum.Answers)), orNone(share(high.Answers, sum.Answers)))
	return newDotChart(chart{ID: "scores", Title: "Posts by score", Desc: desc, Table: t}, names, all)
}

// answers returns the chart of questions by number of answers, nil without questions.
func (r *Report) answers() *columnChart {
	var all int64
	for _, n := range r.figures.Answers {
		all += n
	}
	if all == 0 {
		return nil
	}
	var stacks []stack
	t := table{Caption: "Questions by their number of answers", Head: []string{"answers", "questions", "share"}}
	for i, n := range r.figures.Answers {
		name := strconv.Itoa(i)
		if i == schema.MaxAnswers {
			name += "+"
		}
		stacks = append(stacks, stack{
			name: label{Text: name, Short: name}, value: brief(n, all), brief: brief(n, all), hint: name + " answers: " + plural(n, "question"),
			parts: []stackPart{{n, "question"}},
		})
		t.Rows = append(t.Rows, []string{name, comma(n), share(n, all)})
	}
	none := share(r.figures.Answers[0], all) + " of the questions have no answer in the dump"
	if r.figures.Answers[0] == 0 {
		none = "All questions have an answer in the dump"
	}
	desc := fmt.Sprintf("%s, %s have one.", none, orNone(share(r.figures.Answers[1], all)))
	return newColumnChart(chart{ID: "answers", Title: "Questions by their number of answers", Desc: desc, Table: t}, stacks)
}

// links returns the matrix of links between graphs, nil where there are not two graphs with
// links. about describes the links in words.
func (r *Report) links() (m *linkMatrix, about string) {
	l := linkCells{r.figures.Links}
	if l.All.Sum() == 0 {
		return nil, "There is no link between posts of the graphs."
	}
	about = fmt.Sprintf("%s in all: %s so:LinkedTo and %s so:DuplicateOf.", plural(l.All.Sum(), "edge"), comma(l.All.Linked), comma(l.All.Duplicate))
	if len(r.order) < 2 || l.maxCell() == 0 {
		return nil, about
	}
	noun := r.noun()
	var names []string
	for _, tag := range l.Graphs {
		g := slices.IndexFunc(r.stats.Graphs, func(g stats.Graph) bool { return g.Tag == tag })
		names = append(names, r.stats.Graphs[g].Name)
	}
	t := table{Caption: "The largest cells off the diagonal", Head: []string{"from, to", "LinkedTo", "DuplicateOf"}}
	for _, p := range l.largest(40) {
		t.Rows = append(t.Rows, []string{isolate(names[p.from]) + " to " + isolate(names[p.to]), comma(p.Linked), comma(p.Duplicate)})
	}
	switch n := l.Across.Sum(); {
	case r.whole: // all posts have the graph of the whole site in common
	case n == 0:
		about += " None leads to a post that shares no " + noun + " with the one it comes from."
	case n == 1:
		about += " One leads to a post that shares no " + noun + " with the one it comes from."
	default:
		about += fmt.Sprintf(" %s, %s, lead to a post that shares no %s with the one they come from.", comma(n), share(n, l.All.Sum()), noun)
	}
	if n := len(r.order); n > len(names) {
		about += fmt.Sprintf(" Of %d %ss the %d with most questions are shown.", n, noun, len(names))
	}
	if l.Outside > 0 {
		about += fmt.Sprintf(" %s of all have an end outside of these %ss.", share(l.Outside, l.All.Sum()), noun)
	}
	return newLinkMatrix(chart{ID: "links", Title: "Links between " + noun + "s", Desc: about, Table: t}, l, names), about
}
