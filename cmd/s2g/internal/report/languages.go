package report

import (
	"fmt"

	"s2g/schema/vocab"
)

// language is a row of the paper's Table 1 with its bars.
type language struct {
	Name, Tag            string
	Questions, Answers   number
	OfQuestions          bar
	OfAnswers            bar
	Rate, PerQ, Comments string // accepted of 100 answers; answers a question; comments a question
}

// languages returns the rows, the largest graph first. All bars have one scale.
func (r *Report) languages() []language {
	var most int64
	for _, g := range r.order {
		most = max(most, r.stats.Graphs[g].Questions, r.stats.Graphs[g].Answers)
	}
	var rows []language
	for _, i := range r.order {
		g := r.stats.Graphs[i]
		accepted := g.Terms["a so:"+vocab.AcceptedAnswer]
		rows = append(rows, language{
			Name: g.Name, Tag: g.Tag, Questions: newNumber(g.Questions), Answers: newNumber(g.Answers),
			OfQuestions: newBar(most, stackPart{g.Questions, "question"}),
			OfAnswers:   newBar(most, stackPart{accepted, "accepted"}, stackPart{g.Answers - accepted, "answer"}),
			Rate:        fixed(g.AcceptanceRate, 1), PerQ: fixed(g.AnswersPerQuestion, 2), Comments: fixed(g.CommentsPerQuestion, 2),
		})
	}
	return rows
}

// aboutLanguages describes the bars in words.
func (r *Report) aboutLanguages() string {
	if len(r.order) == 0 {
		return "No question of this dump has a tag that is one of the selected languages, so every graph is empty. " +
			"s2g graph --languages a,b selects other tags, --other puts the rest into a graph of its own."
	}
	first := r.stats.Graphs[r.order[0]]
	all := r.stats.Node(vocab.Question)
	about := fmt.Sprintf("%s has most questions: %s, %s of all.", first.Name, comma(first.Questions), share(first.Questions, all.Distinct))
	if n := len(r.order); n > 5 {
		var five int64
		for _, g := range r.order[:5] {
			five += r.stats.Graphs[g].Questions
		}
		about += fmt.Sprintf(" The five largest graphs of %d hold %s of what all hold.", n, share(five, all.Summed))
	}
	if twice := all.Summed - all.Distinct; twice > 0 {
		about += fmt.Sprintf(" A question of several languages is in the graph of each: summed over the graphs there are %s.", comma(all.Summed))
	}
	return about
}

// emptyGraphs names the graphs without a question.
func (r *Report) emptyGraphs() string {
	var names []string
	for _, g := range r.stats.Graphs {
		if g.Questions == 0 {
			names = append(names, g.Name)
		}
	}
	const most = 50
	if n := len(names); n > most {
		names = append(names[:most], comma(int64(n-most))+" more")
	}
	if len(names) == 0 || len(r.order) == 0 {
		return ""
	}
	return "Without a question: " + and(names) + "."
}
