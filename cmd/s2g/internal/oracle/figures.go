package oracle

import (
	"cmp"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
)

// figureCounts are counts of [schema.Figures] that scans collect.
type figureCounts struct {
	months  map[string]schema.PostCounts
	scores  map[int64]schema.PostCounts // by score
	best    []schema.ScoredQuestion     // not all in order; see trimBest
	linked  map[graphPair]schema.LinkCount
	all     schema.LinkCount
	across  schema.LinkCount
	outside int64
}

// graphPair is a row and a column of the links between graphs.
type graphPair struct{ from, to int }

// dumpQuestions counts the questions of the dump, in a graph or not.
type dumpQuestions struct {
	all     int64
	byTag   map[string]schema.TagCount
	byGraph []int64
}

func newFigureCounts() figureCounts {
	return figureCounts{months: map[string]schema.PostCounts{}, scores: map[int64]schema.PostCounts{}, linked: map[graphPair]schema.LinkCount{}}
}

// addTags counts a question of the dump.
func (d *dumpQuestions) addTags(in graphSet, tags []byte) {
	d.all++
	for _, g := range in {
		d.byGraph[g]++
	}
	for tag := range schema.SplitTags(tags) {
		n := d.byTag[string(tag)]
		n.All++
		if len(in) > 0 {
			n.InGraph++
		}
		d.byTag[string(tag)] = n
	}
}

// addPost counts a post of a graph.
func (f *figureCounts) addPost(id int64, isQuestion bool, created, score []byte) {
	count := func(n schema.PostCounts) schema.PostCounts {
		if isQuestion {
			n.Questions++
		} else {
			n.Answers++
		}
		return n
	}
	month := string(created[:len("2008-07")])
	f.months[month] = count(f.months[month])
	if score == nil {
		return
	}
	s := tables.Int(score)
	f.scores[s] = count(f.scores[s])
	if isQuestion {
		if f.best = append(f.best, schema.ScoredQuestion{ID: id, Score: s}); len(f.best) > 100*schema.BestQuestions {
			f.trimBest()
		}
	}
}

// trimBest orders the best questions and removes the others.
func (f *figureCounts) trimBest() {
	slices.SortFunc(f.best, func(a, b schema.ScoredQuestion) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.ID, b.ID))
	})
	f.best = f.best[:min(len(f.best), schema.BestQuestions)]
}

// addLink counts the edges between two posts of graphs.
func (f *figureCounts) addLink(l postLink, from, to graphSet, rows []int) {
	var n schema.LinkCount
	if l.linked {
		n.Linked = 1
	}
	if l.duplicate {
		n.Duplicate = 1
	}
	shared, shown := false, false
	for _, a := range from {
		for _, b := range to {
			shared = shared || a == b
			if slices.Contains(rows, a) && slices.Contains(rows, b) {
				f.linked[graphPair{a, b}] = sumLinks(f.linked[graphPair{a, b}], n)
				shown = true
			}
		}
	}
	f.all = sumLinks(f.all, n)
	if !shared {
		f.across = sumLinks(f.across, n)
	}
	if !shown {
		f.outside += n.Linked + n.Duplicate
	}
}

func sumLinks(a, b schema.LinkCount) schema.LinkCount {
	return schema.LinkCount{Linked: a.Linked + b.Linked, Duplicate: a.Duplicate + b.Duplicate}
}

func (f *figureCounts) merge(g *figureCounts) {
	for month, n := range g.months {
		f.months[month] = sumPosts(f.months[month], n)
	}
	for score, n := range g.scores {
		f.scores[score] = sumPosts(f.scores[score], n)
	}
	f.best = append(f.best, g.best...)
	f.trimBest()
	for pair, n := range g.linked {
		f.linked[pair] = sumLinks(f.linked[pair], n)
	}
	f.all, f.across, f.outside = sumLinks(f.all, g.all), sumLinks(f.across, g.across), f.outside+g.outside
}

func sumPosts(a, b schema.PostCounts) schema.PostCounts {
	return schema.PostCounts{Questions: a.Questions + b.Questions, Answers: a.Answers + b.Answers}
}

// linkGraphs returns the positions of the graphs between which links are counted.
func (r *tableReader) linkGraphs() (rows []int) {
	n, site := r.memberships.questions.byGraph, -1
	for g := range n {
		if g < len(r.options.Languages) && r.options.Languages[g].Tag == schema.SiteTag {
			site = g
		} else if n[g] > 0 {
			rows = append(rows, g)
		}
	}
	if len(rows) == 0 && site >= 0 && n[site] > 0 {
		return []int{site}
	}
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(-cmp.Compare(n[a], n[b]), cmp.Compare(a, b)) })
	return rows[:min(len(rows), schema.LinkGraphs)]
}

// figures returns the figures of all posts.
func (r *tableReader) figures(sum *figureCounts) *schema.Figures {
	m := r.memberships
	f := &schema.Figures{Months: sum.months, Scores: make([]schema.PostCounts, len(schema.ScoreRanges)), Best: sum.best, Answers: make([]int64, schema.MaxAnswers+1)}
	for score, n := range sum.scores {
		at := len(schema.ScoreRanges) - 1
		for score < schema.ScoreRanges[at] {
			at--
		}
		f.Scores[at] = sumPosts(f.Scores[at], n)
	}
	f.Tags = schema.TagFigures{Questions: m.questions.all, Different: int64(len(m.questions.byTag))}
	for name, n := range m.questions.byTag {
		f.Tags.Largest = append(f.Tags.Largest, schema.TagCount{Name: name, All: n.All, InGraph: n.InGraph})
	}
	slices.SortFunc(f.Tags.Largest, func(a, b schema.TagCount) int { return cmp.Or(-cmp.Compare(a.All, b.All), cmp.Compare(a.Name, b.Name)) })
	f.Tags.Largest = f.Tags.Largest[:min(len(f.Tags.Largest), schema.LargestTags)]
	r.addQuestionFigures(f)
	rows := r.linkGraphs()
	f.Links = schema.LinkFigures{All: sum.all, Across: sum.across, Outside: sum.outside}
	for _, a := range rows {
		tag := schema.OtherLanguage().Tag
		if a < len(r.options.Languages) {
			tag = r.options.Languages[a].Tag
		}
		var linked, duplicate []int64
		for _, b := range rows {
			n := sum.linked[graphPair{a, b}]
			linked, duplicate = append(linked, n.Linked), append(duplicate, n.Duplicate)
		}
		f.Links.Graphs, f.Links.Linked, f.Links.Duplicate = append(f.Links.Graphs, tag), append(f.Links.Linked, linked), append(f.Links.Duplicate, duplicate)
	}
	return f
}

// addQuestionFigures adds the numbers of questions by answers, and the examples.
func (r *tableReader) addQuestionFigures(f *schema.Figures) {
	m, rank := r.memberships, -1
	first := int64(-1)
	hash := func(id int64) uint64 { return schema.Mix64(uint64(id)) }
	trim := func() {
		slices.SortFunc(f.Examples, func(a, b int64) int { return cmp.Compare(hash(a), hash(b)) })
		f.Examples = f.Examples[:min(len(f.Examples), schema.ExampleQuestions)]
	}
	for id, q := range m.all() {
		if !q.is(isQuestion) {
			continue
		}
		if first < 0 || id < first {
			first = id
		}
		n := m.answersOf(id)
		f.Answers[min(n.count(), schema.MaxAnswers)]++
		of := schema.ExampleRank(n.count(), q.is(hasAccepted), n.hasBetter())
		if of > rank {
			rank, f.Examples = of, f.Examples[:0]
		}
		if of == rank && of >= 0 {
			if f.Examples = append(f.Examples, id); len(f.Examples) > 16*schema.ExampleQuestions {
				trim()
			}
		}
	}
	trim()
	if rank < 0 && first >= 0 {
		f.Examples = []int64{first}
	}
	slices.Sort(f.Examples)
}

// answerCount is the number of answers to a question, up to most, and whether one of them is
// possibly better.
type answerCount uint8

const (
	betterAnswer answerCount = 1 << 7
	mostAnswers  answerCount = betterAnswer - 1
)

func (n answerCount) count() int { return int(n & mostAnswers) }

func (n answerCount) hasBetter() bool { return n&betterAnswer != 0 }

// with adds an answer.
func (n answerCount) with(better bool) answerCount {
	if n&mostAnswers < mostAnswers {
		n++
	}
	if better {
		n |= betterAnswer
	}
	return n
}
