package schema

import "slices"

// Figures are the counts of a build's posts and links that report.html shows beside the
// triples that graph/void.ttl counts. The graph stage adds them up and leaves them in the
// manifest. They count posts that are in a graph, each once, where a field has no other
// rule.
type Figures struct {
	Months  map[string]PostCounts `json:"months,omitempty"` // by month of creation, as 2008-07
	Scores  []PostCounts          `json:"scores"`           // by ScoreRanges, without the posts that have no score
	Answers []int64               `json:"answers"`          // questions by the number of their answers in the dump; the last counts all from MaxAnswers
	Tags    TagFigures            `json:"tags"`
	Best    []ScoredQuestion      `json:"best,omitempty"` // the questions with the highest scores, at most BestQuestions; of equal scores the smaller id is first

	// Examples are the ids of questions that show much of the graph with few posts, at
	// most ExampleQuestions, ascending: those of the highest [ExampleRank], and of too
	// many the ones with the smallest Mix64. Where no question has an answer, it is the
	// first question.
	Examples []int64 `json:"examples,omitempty"`

	Links LinkFigures `json:"links"`
}

// Fits reports whether figures, which were read from a file, have the form of those of a
// build with these graphs.
func (f *Figures) Fits(graphs []Language) bool {
	n := len(f.Links.Graphs)
	isSquare := func(cells [][]int64) bool {
		return len(cells) == n && !slices.ContainsFunc(cells, func(row []int64) bool { return len(row) != n })
	}
	return len(f.Scores) == len(ScoreRanges) && len(f.Answers) == MaxAnswers+1 && isSquare(f.Links.Linked) && isSquare(f.Links.Duplicate) &&
		!slices.ContainsFunc(f.Links.Graphs, func(tag string) bool {
			return !slices.ContainsFunc(graphs, func(l Language) bool { return l.Tag == tag })
		})
}

// PostCounts counts questions and answers.
type PostCounts struct {
	Questions int64 `json:"questions"`
	Answers   int64 `json:"answers"`
}

// Add counts a post.
func (c *PostCounts) Add(question bool) {
	if question {
		c.Questions++
	} else {
		c.Answers++
	}
}

// Sum returns the number of posts.
func (c PostCounts) Sum() int64 { return c.Questions + c.Answers }

// TagFigures count the questions of the dump, in a graph or not.
type TagFigures struct {
	Questions int64      `json:"questions"`
	Different int64      `json:"different"`         // number of tags that they have
	Largest   []TagCount `json:"largest,omitempty"` // the tags of most questions, at most LargestTags; of equal counts the smaller name is first
}

// TagCount counts the questions of the dump that have a tag.
type TagCount struct {
	Name    string `json:"name"`
	All     int64  `json:"all"`
	InGraph int64  `json:"in_graph"` // of these, those that are in a graph
}

// ScoredQuestion is a question with its score.
type ScoredQuestion struct {
	ID    int64 `json:"id"`
	Score int64 `json:"score"`
}

// LinkFigures count the edges from posts of one graph to posts of another or the same. An
// edge whose ends are in several graphs counts in the cell of each pair of graphs, and
// once in All.
type LinkFigures struct {
	// Graphs are the tags of the graphs with cells: those with most questions, at most
	// LinkGraphs, the largest first. The graph of the whole site is among them only where
	// no other graph has a question.
	Graphs []string `json:"graphs,omitempty"`

	Linked    [][]int64 `json:"linked,omitempty"`    // so:LinkedTo edges by the graphs of their ends: from rows to columns, in the order of Graphs
	Duplicate [][]int64 `json:"duplicate,omitempty"` // so:DuplicateOf edges

	All     LinkCount `json:"all"`
	Across  LinkCount `json:"across"`  // edges whose ends have no graph in common
	Outside int64     `json:"outside"` // edges that are in no cell
}

// LinkCount counts edges by their property.
type LinkCount struct {
	Linked    int64 `json:"linked"`
	Duplicate int64 `json:"duplicate"`
}

// Add counts an edge.
func (c *LinkCount) Add(duplicate bool) {
	if duplicate {
		c.Duplicate++
	} else {
		c.Linked++
	}
}

// Sum returns the number of edges.
func (c LinkCount) Sum() int64 { return c.Linked + c.Duplicate }

// The limits of [Figures].
const (
	MaxAnswers       = 10
	BestQuestions    = 10
	LargestTags      = 20
	ExampleQuestions = 256
	LinkGraphs       = 40
)

// ScoreRanges are the first scores of the ranges that Figures counts; each ends before the
// next. They widen, because few posts have high scores.
var ScoreRanges = [...]int64{-1 << 63, -9, -4, 0, 1, 2, 3, 5, 10, 20, 50, 100, 500}

// ExampleRank is higher for a question that shows more of the graph with few answers. A
// question without answers has none, and the result is negative. accepted is whether one of
// its answers is accepted, better whether one is possibly better.
func ExampleRank(answers int, accepted, better bool) int {
	few := answers == 2 || answers == 3
	switch {
	case answers == 0:
		return -1
	case few && accepted && better:
		return 3
	case few && accepted:
		return 2
	case answers <= 4:
		return 1
	}
	return 0
}
