package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// years draws the posts of each year, nil where there are none.
func (r *Report) years() *columns {
	if len(r.survey.years) == 0 {
		return nil
	}
	known := slices.Sorted(maps.Keys(r.survey.years))
	first, last := known[0], known[len(known)-1]
	best := first
	var stacks []stack
	t := table{Caption: "Posts by year", Head: []string{"year", "questions", "answers"}}
	for year := first; year <= last; year++ {
		p := r.survey.years[year]
		if p == nil {
			p = &pair{}
		}
		if p.sum() > r.survey.years[best].sum() {
			best = year
		}
		name, shorter, total := strconv.Itoa(year), "", ""
		if (last-year)%2 == 0 || last-first < 8 { // there is room for every other one
			shorter, total = fmt.Sprintf("’%02d", year%100), short(p.sum())
		}
		stacks = append(stacks, stack{
			name: name, short: shorter, value: exact(p.sum()), brief: total,
			hint:  fmt.Sprintf("%d: %s, %s", year, plural(p.questions, "question"), plural(p.answers, "answer")),
			parts: []stackPart{{p.questions, "question"}, {p.answers, "answer"}},
		})
		t.Rows = append(t.Rows, []string{name, comma(p.questions), comma(p.answers)})
	}
	desc := fmt.Sprintf("Most were written in %d: %s and %s.", best, plural(r.survey.years[best].questions, "question"), plural(r.survey.years[best].answers, "answer"))
	if newest := r.o.Manifest.Dump.Newest; newest != "" {
		desc += " The dump ends on " + day(newest) + "."
	}
	return newColumns(chart{ID: "years", Title: "Posts by year", Desc: desc, Table: t}, stacks)
}

func (p *pair) sum() int64 { return p.questions + p.answers }

// scores draws how many posts have which score.
func (r *Report) scores() *dots {
	all := []series{{class: "question", name: "question"}, {class: "answer", name: "answer"}}
	var names []label
	var sum, zero, high pair
	t := table{Caption: "Posts by score", Head: []string{"score", "questions", "answers"}}
	for i, b := range scoreBins {
		p := r.survey.scores[i]
		names = append(names, label{Text: b.name, Short: b.short})
		all[0].counts, all[1].counts = append(all[0].counts, p.questions), append(all[1].counts, p.answers)
		t.Rows = append(t.Rows, []string{b.name, comma(p.questions), comma(p.answers)})
		sum = pair{sum.questions + p.questions, sum.answers + p.answers}
		if b.from == 0 {
			zero = p
		}
		if b.from >= 10 {
			high = pair{high.questions + p.questions, high.answers + p.answers}
		}
	}
	if sum.sum() == 0 {
		return nil
	}
	desc := fmt.Sprintf("A score is up votes less down votes. %s of the questions and %s of the answers have 0; %s and %s have 10 or more.",
		orNone(share(zero.questions, sum.questions)), orNone(share(zero.answers, sum.answers)), orNone(share(high.questions, sum.questions)), orNone(share(high.answers, sum.answers)))
	return newDots(chart{ID: "scores", Title: "Posts by score", Desc: desc, Table: t}, names, all)
}

// orNone is a share within a sentence.
func orNone(share string) string {
	if share == "" || share == "0 %" {
		return "none"
	}
	return share
}

// answers draws how many questions have how many answers.
func (r *Report) answers() *columns {
	var all int64
	for _, n := range r.survey.answers {
		all += n
	}
	if all == 0 {
		return nil
	}
	var stacks []stack
	t := table{Caption: "Questions by their number of answers", Head: []string{"answers", "questions", "share"}}
	for i, n := range r.survey.answers {
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
	desc := fmt.Sprintf("%s of the questions have no answer in the dump, %s have one.", orNone(share(r.survey.answers[0], all)), orNone(share(r.survey.answers[1], all)))
	return newColumns(chart{ID: "answers", Title: "Questions by their number of answers", Desc: desc, Table: t}, stacks)
}

// links draws the links between languages; nil where there are none.
func (r *Report) links() *matrix {
	l := r.survey.links
	if l.all.sum() == 0 || l.pairs == 0 {
		return nil
	}
	names := r.names()
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
		desc += fmt.Sprintf(" Of %d languages the %d with most questions are shown; %s lie outside of these.", n, len(names), plural(l.beyond, "edge"))
	}
	return newMatrix(chart{ID: "links", Title: "Links between languages", Desc: desc, Table: t}, l, names)
}
