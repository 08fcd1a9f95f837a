package stats

import (
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// PaperTitle is the title of the paper whose method builds follow.
const PaperTitle = "Stack2Graph: A Structured Knowledge Representation of Stack Overflow Data for Retrieval-based Question Answering"

// PaperLanguages is the number of language graphs in the paper.
const PaperLanguages = "39"

// PaperSpread is a row of the paper's Table 1, over its 39 language graphs, as printed.
type PaperSpread struct{ Min, Median, Mean, Max string }

// PaperDistribution is the paper's Table 1, in the order of Stats.Distribution.
var PaperDistribution = []PaperSpread{
	{"1,787", "112,820", "433,291", "2,531,840"},
	{"3,106", "162,208", "688,331", "3,965,784"},
	{"28.3", "36.5", "37.3", "52.1"},
	{"1.15", "1.57", "1.54", "2.14"},
	{"2.75", "4.04", "4.14", "6.66"},
}

// PaperFigure is a total of the paper's section 4 beside that of the build. Totals of
// the paper are summed over the graphs.
type PaperFigure struct {
	Name  string
	Note  string // what the build counts; empty: Name is clear
	Paper string // as printed; empty: the paper has none
	// Derived is the computation of Paper from other figures of the paper; empty:
	// the paper has it.
	Derived string
	Build   Total
}

// PaperFigures returns the totals that the paper gives, and those of the build that
// complete them.
func (s *Stats) PaperFigures() []PaperFigure {
	var nodes, links Total
	for _, n := range s.Nodes {
		nodes.add(n)
	}
	links.add(s.Edge(vocab.LinkedTo))
	links.add(s.Edge(vocab.DuplicateOf))
	return []PaperFigure{
		{Name: "questions", Paper: "16.9 million", Derived: "39 × 433,291", Build: s.Node(vocab.Question)},
		{Name: "unanswered questions", Paper: "2.1 million", Build: s.Edge(vocab.UnansweredQuestion)},
		{Name: "answers", Paper: "26.8 million", Build: s.Node(vocab.Answer)},
		{Name: "accepted answers", Paper: "9.1 million", Build: s.Edge(vocab.AcceptedAnswer)},
		{Name: "possibly better answers", Paper: "1.4 million", Build: s.Edge(vocab.PossibleBetterAnswer)},
		{Name: "edges to comments", Paper: "72.7 million", Build: s.Edge(vocab.HasComment)},
		{Name: "edges to tags", Paper: "54.9 million", Build: s.Edge(vocab.TaggedWith)},
		{Name: "links", Note: "LinkedTo and DuplicateOf", Paper: "9 million", Build: links},
		{Name: "tags", Paper: "371 thousand", Build: s.Node(vocab.Tag)},
		{Name: "nodes", Note: "questions, answers, comments, tags, their wikis and excerpts", Paper: "117 million", Build: nodes},
		{Name: "edges", Note: "triples of object properties", Paper: "275 million", Build: s.Edge("object properties")},
		{Name: "classes", Note: "triples of rdf:type", Build: s.Edge("rdf:type")},
		{Name: "literals", Note: "triples with text, numbers and dates", Build: s.Edge("literals")},
		{Name: "triples", Note: "all of these", Build: s.Quads},
	}
}

// Least numbers of rows in the whole dump of Stack Overflow, which has some 60 million
// posts and 65,000 tags.
const (
	wholePosts = 1_000_000
	wholeTags  = 10_000
)

// ComparesWithPaper reports whether the paper's figures have a meaning beside those
// of a build: its site is stackoverflow.com, the dump is not a sample, and the graphs are
// those of languages alone.
//
// The size of the tables shows whether a dump is a sample; no mark in the dump does. A
// synthetic sample has 415 tags, however many posts it has, and a part of the real dump
// has few posts. A dump whose tags were not loaded counts as a sample.
func ComparesWithPaper(site vocab.Site, m *manifest.Manifest) bool {
	d := m.Dump
	return site.Host() == vocab.StackOverflow.Host() && !m.Options.WholeSite && d.Tables["Posts"].Rows >= wholePosts && d.Tables["Tags"].Rows >= wholeTags
}
