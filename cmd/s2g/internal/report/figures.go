package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// maxMonths is the longest time, in months, that the page shows by month.
const maxMonths = 18

// times returns the chart of posts by year, or by month where the time is short; nil
// without posts.
func (r *Report) times() (c *columnChart, byMonth bool) {
	known := slices.Sorted(maps.Keys(r.scan.months))
	if len(known) == 0 {
		return nil, false
	}
	first, last := known[0], known[len(known)-1]
	byMonth = last-first < maxMonths
	if byMonth {
		return r.periods("months", "month", r.scan.months, first, last, func(month, at int) (name label, title string) {
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
	return r.periods("years", "year", r.scan.years(), first/12, last/12, func(year, _ int) (name label, title string) {
		name.Text = strconv.Itoa(year)
		if (last/12-year)%2 == 0 || last/12-first/12 < 8 { // from nine years on there is room only for every other label
			name.Short = fmt.Sprintf("’%02d", year%100)
		}
		return name, name.Text
	}), false
}

// years returns the counts by year.
func (s *tableScan) years() map[int]*postCounts {
	years := map[int]*postCounts{}
	for month, n := range s.months {
		if years[month/12] == nil {
			years[month/12] = &postCounts{}
		}
		years[month/12].questions += n.questions
		years[month/12].answers += n.answers
	}
	return years
}

// periods returns the chart of posts by periods of time, from the first to the last. name
// returns the label of the period at a place, and its name in a sentence.
func (r *Report) periods(id, unit string, counts map[int]*postCounts, first, last int, name func(period, at int) (label, string)) *columnChart {
	title := "Posts by " + unit
	best, bestName := postCounts{}, ""
	var stacks []stack
	t := table{Caption: title, Head: []string{unit, "questions", "answers"}}
	for period := first; period <= last; period++ {
		var n postCounts
		if counts[period] != nil {
			n = *counts[period]
		}
		label, named := name(period, period-first)
		if n.sum() > best.sum() {
			best, bestName = n, named
		}
		total := ""
		if label.Short != "" {
			total = short(n.sum())
		}
		stacks = append(stacks, stack{
			name: label, value: exact(n.sum()), brief: total,
			hint:  fmt.Sprintf("%s: %s, %s", named, plural(n.questions, "question"), plural(n.answers, "answer")),
			parts: []stackPart{{n.questions, "question"}, {n.answers, "answer"}},
		})
		t.Rows = append(t.Rows, []string{named, comma(n.questions), comma(n.answers)})
	}
	desc := fmt.Sprintf("Most were written in %s: %s and %s.", bestName, plural(best.questions, "question"), plural(best.answers, "answer"))
	if newest := r.o.Manifest.Dump.Newest; newest != "" {
		desc += " The dump ends on " + day(newest) + "."
	}
	return newColumnChart(chart{ID: id, Title: title, Desc: desc, Table: t}, stacks)
}

// scores returns the chart of posts by score, nil if no post has one.
func (r *Report) scores() *dotChart {
	all := []series{{class: "question", name: "question"}, {class: "answer", name: "answer"}}
	var names []label
	var sum, zero, high postCounts
	t := table{Caption: "Posts by score", Head: []string{"score", "questions", "answers"}}
	for i, b := range scoreBins {
		n := r.scan.scores[i]
		names = append(names, label{Text: b.name, Short: b.short})
		all[0].counts, all[1].counts = append(all[0].counts, n.questions), append(all[1].counts, n.answers)
		t.Rows = append(t.Rows, []string{b.name, comma(n.questions), comma(n.answers)})
		sum = postCounts{sum.questions + n.questions, sum.answers + n.answers}
		if b.from == 0 {
			zero = n
		}
		if b.from >= 10 {
			high = postCounts{high.questions + n.questions, high.answers + n.answers}
		}
	}
	if sum.sum() == 0 {
		return nil
	}
	desc := fmt.Sprintf("A score is up votes less down votes. Of the questions %s have 0 and %s have 10 or more, of the answers %s and %s.",
		orNone(share(zero.questions, sum.questions)), orNone(share(high.questions, sum.questions)), orNone(share(zero.answers, sum.answers)), orNone(share(high.answers, sum.answers)))
	return newDotChart(chart{ID: "scores", Title: "Posts by score", Desc: desc, Table: t}, names, all)
}

// answers returns the chart of questions by number of answers, nil without questions.
func (r *Report) answers() *columnChart {
	var all int64
	for _, n := range r.scan.answers {
		all += n
	}
	if all == 0 {
		return nil
	}
	var stacks []stack
	t := table{Caption: "Questions by their number of answers", Head: []string{"answers", "questions", "share"}}
	for i, n := range r.scan.answers {
		name := strconv.Itoa(i)
		if i == maxAnswers {
			name += "+"
		}
		stacks = append(stacks, stack{
			name: label{Text: name, Short: name}, value: brief(n, all), brief: brief(n, all), hint: name + " answers: " + plural(n, "question"),
			parts: []stackPart{{n, "question"}},
		})
		t.Rows = append(t.Rows, []string{name, comma(n), share(n, all)})
	}
	none := share(r.scan.answers[0], all) + " of the questions have no answer in the dump"
	if r.scan.answers[0] == 0 {
		none = "All questions have an answer in the dump"
	}
	desc := fmt.Sprintf("%s, %s have one.", none, orNone(share(r.scan.answers[1], all)))
	return newColumnChart(chart{ID: "answers", Title: "Questions by their number of answers", Desc: desc, Table: t}, stacks)
}

// links returns the matrix of links between graphs, nil where there are not two graphs with
// links. about describes the links in words.
func (r *Report) links() (m *linkMatrix, about string) {
	l := r.scan.links
	if l.all.sum() == 0 {
		return nil, "There is no link between posts of the graphs."
	}
	about = fmt.Sprintf("%s in all: %s so:LinkedTo and %s so:DuplicateOf.", plural(l.all.sum(), "edge"), comma(l.all.linked), comma(l.all.duplicate))
	if len(r.order) < 2 || l.inside == 0 {
		return nil, about
	}
	noun := r.noun()
	var names []string
	for _, g := range r.order[:min(len(r.order), matrixLanguages)] {
		names = append(names, r.stats.Graphs[g].Name)
	}
	t := table{Caption: "The largest cells off the diagonal", Head: []string{"from, to", "LinkedTo", "DuplicateOf"}}
	for _, p := range l.largest(40) {
		t.Rows = append(t.Rows, []string{isolate(names[p.from]) + " to " + isolate(names[p.to]), comma(p.linked), comma(p.duplicate)})
	}
	switch n := l.across.sum(); {
	case r.whole: // all posts have the graph of the whole site in common
	case n == 0:
		about += " None leads to a post that shares no " + noun + " with the one it comes from."
	case n == 1:
		about += " One leads to a post that shares no " + noun + " with the one it comes from."
	default:
		about += fmt.Sprintf(" %s, %s, lead to a post that shares no %s with the one they come from.", comma(n), share(n, l.all.sum()), noun)
	}
	if n := len(r.order); n > len(names) {
		about += fmt.Sprintf(" Of %d %ss the %d with most questions are shown.", n, noun, len(names))
	}
	if l.outside > 0 {
		about += fmt.Sprintf(" %s of all have an end outside of these %ss.", share(l.outside, l.all.sum()), noun)
	}
	return newLinkMatrix(chart{ID: "links", Title: "Links between " + noun + "s", Desc: about, Table: t}, l, names), about
}
