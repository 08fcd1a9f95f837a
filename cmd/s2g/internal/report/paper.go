package report

import (
	"s2g/cmd/s2g/internal/stats"
	"s2g/schema/vocab"
)

// What the paper says of its graph, of all of Stack Overflow. More than this is
// not known here: where a figure is missing the page says so.
const (
	paperTitle     = "Stack2Graph: A Structured Knowledge Representation of Stack Overflow Data for Retrieval-based Question Answering"
	paperLanguages = "39"
	paperMean      = "433,291"      // questions a language
	paperQuestions = "16.9 million" // 39 × 433,291
	paperNodes     = "117 million"
	paperEdges     = "275 million"
	unknown        = "not known"
)

// paperRow is a figure of the paper beside that of the build.
type paperRow struct{ Name, Note, Paper, Build, Distinct string }

// besidePaper is what the paper says beside this build.
func (r *Report) besidePaper() []paperRow {
	const none = "–"
	total := func(name, note, paper string, t stats.Total) paperRow {
		return paperRow{name, note, paper, comma(t.Summed), comma(t.Distinct)}
	}
	nodes := stats.Total{}
	for _, n := range r.stats.Nodes {
		nodes.Summed += n.Summed
		nodes.Distinct += n.Distinct
	}
	return []paperRow{
		{"language graphs", "those that have a question", paperLanguages, comma(int64(len(r.order))), none},
		{"questions a language", "the mean over these graphs", paperMean, rounded(r.stats.Distribution[0].Mean), none},
		total("questions", "", paperQuestions, r.stats.Node(vocab.Question)),
		total("answers", "", unknown, r.stats.Node(vocab.Answer)),
		total("nodes", "questions, answers, comments, tags, their wikis and excerpts", paperNodes, nodes),
		total("edges", "here: triples of object properties; which the paper counted cannot be told", paperEdges, r.stats.Edge("object properties")),
		total("classes", "triples of rdf:type", unknown, r.stats.Edge("rdf:type")),
		total("literals", "triples with text, numbers and dates", unknown, r.stats.Edge("literals")),
		total("triples", "all of these", unknown, r.stats.Quads),
	}
}

// distribution is section 4 of the paper: how the languages differ.
func (r *Report) distribution() table {
	t := table{
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
		t.Rows = append(t.Rows, []string{name, comma(int64(d.Graphs)), show(d.Min), show(d.Median), show(d.Mean), show(d.Max), show(d.Pooled)})
	}
	return t
}
