package report

import (
	"fmt"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/terminal"
	"s2g/schema"
	"s2g/schema/vocab"
)

// graphLine is a row of the paper's Table 1 with its bars: a graph.
type graphLine struct {
	Name, Tag            string
	Questions, Answers   number
	OfQuestions          bar
	OfAnswers            bar
	Rate, PerQ, Comments string // accepted of 100 answers; answers a question; comments a question
}

// graphs returns the rows, the largest graph first; none where the whole site is the
// only graph. All bars have one scale.
func (r *Report) graphs() []graphLine {
	if r.isWholeSite() {
		return nil
	}
	var most int64
	for _, g := range r.order {
		most = max(most, r.stats.Graphs[g].Questions, r.stats.Graphs[g].Answers)
	}
	var rows []graphLine
	for _, i := range r.order {
		g := r.stats.Graphs[i]
		accepted := g.Terms["a so:"+vocab.AcceptedAnswer]
		rows = append(rows, graphLine{
			Name: g.Name, Tag: g.Tag, Questions: newNumber(g.Questions), Answers: newNumber(g.Answers),
			OfQuestions: newBar(most, stackPart{g.Questions, "question"}),
			OfAnswers:   newBar(most, stackPart{accepted, "accepted"}, stackPart{g.Answers - accepted, "answer"}),
			Rate:        fixed(g.AcceptanceRate, 1), PerQ: fixed(g.AnswersPerQuestion, 2), Comments: fixed(g.CommentsPerQuestion, 2),
		})
	}
	return rows
}

// noun returns the word for what has a graph: language where all graphs are of the default
// table, which has programming languages, else tag.
func (r *Report) noun() string {
	shown := r.order
	if len(shown) == 0 {
		for i := range r.stats.Graphs {
			shown = append(shown, i)
		}
	}
	known := schema.DefaultLanguages()
	for _, i := range shown {
		tag := r.stats.Graphs[i].Tag
		if tag != "" && !slices.ContainsFunc(known, func(l schema.Language) bool { return l.Tag == tag }) {
			return "tag"
		}
	}
	return "language"
}

// isWholeSite reports whether the graph of the whole site is the only one with questions.
func (r *Report) isWholeSite() bool {
	return r.whole && len(r.order) == 1 && r.stats.Graphs[r.order[0]].Tag == schema.SiteTag
}

// aboutGraphs describes the bars in words.
func (r *Report) aboutGraphs() string {
	noun := r.noun()
	if len(r.order) == 0 {
		tags := []string{"a", "b"}
		if largest := r.figures.Tags.Largest; len(largest) > 0 {
			tags = tags[:0]
			for _, t := range largest[:min(len(largest), 3)] {
				tags = append(tags, t.Name)
			}
		}
		return "No question of this dump has a tag that is one of the selected " + noun + "s, so every graph is empty. " +
			"s2g graph --out OUT --languages " + terminal.ShellQuoted(strings.Join(tags, ",")) + " selects other tags, --other puts the rest into a graph of its own."
	}
	all := r.stats.Node(vocab.Question)
	if r.isWholeSite() {
		g := r.stats.Graphs[r.order[0]]
		about := fmt.Sprintf("One graph has all questions. A question has %s answers and, with those on its answers, %s comments.",
			fixed(g.AnswersPerQuestion, 2), fixed(g.CommentsPerQuestion, 2))
		if g.AcceptanceRate != nil {
			about += fmt.Sprintf(" Of 100 answers %s are accepted.", fixed(g.AcceptanceRate, 1))
		}
		return about
	}
	first := r.stats.Graphs[r.order[0]]
	held, inAll := all.Distinct, ""
	if !r.whole {
		inAll = fmt.Sprintf(" of %s", comma(held))
	}
	about := ""
	if r.whole {
		about = fmt.Sprintf("One graph has all %s; questions of these %ss are in a graph of their own, too. ", plural(held, "question"), noun)
	}
	switch first.Tag {
	case "":
		about += fmt.Sprintf("Most questions have none of the selected %ss: %s%s, %s.", noun, comma(first.Questions), inAll, share(first.Questions, held))
	default:
		of := "are of"
		if noun == "tag" {
			of = "have the tag"
		}
		about += fmt.Sprintf("Most questions %s %s: %s%s, %s.", of, isolate(first.Name), comma(first.Questions), inAll, share(first.Questions, held))
	}
	summed := all.Summed
	if r.whole {
		return about
	}
	if n := len(r.order); n > 5 {
		var five int64
		for _, g := range r.order[:5] {
			five += r.stats.Graphs[g].Questions
		}
		about += fmt.Sprintf(" The five largest graphs of %d hold %s of what all hold.", n, share(five, summed))
	}
	if twice := summed - all.Distinct; twice > 0 {
		about += fmt.Sprintf(" A question of several %ss is in the graph of each: summed over the graphs there are %s.", noun, comma(summed))
	}
	if outside := r.figures.Tags.Questions - all.Distinct; outside > 0 {
		about += fmt.Sprintf(" %s of the site, %s, have none of the selected %ss and are in no graph.",
			plural(outside, "question"), share(outside, r.figures.Tags.Questions), noun)
	}
	return about
}

// emptyGraphs names the graphs without a question.
func (r *Report) emptyGraphs() string {
	var names []string
	for _, g := range r.stats.Graphs {
		if g.Questions == 0 {
			names = append(names, isolate(g.Name))
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
