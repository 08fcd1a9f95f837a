package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// years returns the chart of posts by year, nil without posts.
func (r *Report) years() *columnChart {
	byYear := r.scan.years
	if len(byYear) == 0 {
		return nil
	}
	known := slices.Sorted(maps.Keys(byYear))
	first, last := known[0], known[len(known)-1]
	best := first
	var stacks []stack
	t := table{Caption: "Posts by year", Head: []string{"year", "questions", "answers"}}
	for year := first; year <= last; year++ {
		var n postCounts
		if byYear[year] != nil {
			n = *byYear[year]
		}
		if n.sum() > byYear[best].sum() {
			best = year
		}
		name, shorter, total := strconv.Itoa(year), "", ""
		if (last-year)%2 == 0 || last-first < 8 { // from nine years on there is room only for every other label
			shorter, total = fmt.Sprintf("’%02d", year%100), short(n.sum())
		}
		stacks = append(stacks, stack{
			name: name, short: shorter, value: exact(n.sum()), brief: total,
			hint:  fmt.Sprintf("%d: %s, %s", year, plural(n.questions, "question"), plural(n.answers, "answer")),
			parts: []stackPart{{n.questions, "question"}, {n.answers, "answer"}},
		})
		t.Rows = append(t.Rows, []string{name, comma(n.questions), comma(n.answers)})
	}
	desc := fmt.Sprintf("Most were written in %d: %s and %s.", best, plural(byYear[best].questions, "question"), plural(byYear[best].answers, "answer"))
	if newest := r.o.Manifest.Dump.Newest; newest != "" {
		desc += " The dump ends on " + day(newest) + "."
	}
	return newColumnChart(chart{ID: "years", Title: "Posts by year", Desc: desc, Table: t}, stacks)
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
	desc := fmt.Sprintf("A score is up votes less down votes. %s of the questions and %s of the answers have 0; %s and %s have 10 or more.",
		orNone(share(zero.questions, sum.questions)), orNone(share(zero.answers, sum.answers)), orNone(share(high.questions, sum.questions)), orNone(share(high.answers, sum.answers)))
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
			name: name, short: name, value: brief(n, all), brief: brief(n, all), hint: name + " answers: " + plural(n, "question"),
			parts: []stackPart{{n, "question"}},
		})
		t.Rows = append(t.Rows, []string{name, comma(n), share(n, all)})
	}
	desc := fmt.Sprintf("%s of the questions have no answer in the dump, %s have one.", orNone(share(r.scan.answers[0], all)), orNone(share(r.scan.answers[1], all)))
	return newColumnChart(chart{ID: "answers", Title: "Questions by their number of answers", Desc: desc, Table: t}, stacks)
}

// links returns the matrix of links between languages, nil without links.
func (r *Report) links() *linkMatrix {
	l := r.scan.links
	if l.all.sum() == 0 || l.inside == 0 {
		return nil
	}
	var names []string
	for _, g := range r.order[:min(len(r.order), matrixLanguages)] {
		names = append(names, r.stats.Graphs[g].Name)
	}
	t := table{Caption: "The largest cells off the diagonal", Head: []string{"from, to", "LinkedTo", "DuplicateOf"}}
	for _, p := range l.largest(40) {
		t.Rows = append(t.Rows, []string{names[p.from] + " to " + names[p.to], comma(p.linked), comma(p.duplicate)})
	}
	desc := fmt.Sprintf("%s in all: %s so:LinkedTo and %s so:DuplicateOf.", plural(l.all.sum(), "edge"), comma(l.all.linked), comma(l.all.duplicate))
	switch n := l.across.sum(); n {
	case 0:
		desc += " None leads to a post that shares no language with the one it comes from."
	case 1:
		desc += " One leads to a post that shares no language with the one it comes from."
	default:
		desc += fmt.Sprintf(" %s, %s, lead to a post that shares no language with the one they come from.", comma(n), share(n, l.all.sum()))
	}
	if n := len(r.order); n > len(names) {
		desc += fmt.Sprintf(" Of %d languages the %d with most questions are shown; %s are outside of these.", n, len(names), plural(l.outside, "edge"))
	}
	return newLinkMatrix(chart{ID: "links", Title: "Links between languages", Desc: desc, Table: t}, l, names)
}
