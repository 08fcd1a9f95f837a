package graph

import (
	"cmp"
	"slices"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
)

// figureCounts counts some posts and links for [figures].
type figureCounts struct {
	months    map[[len("2008-07")]byte]*schema.PostCounts
	scores    [len(schema.ScoreRanges)]schema.PostCounts
	best      []schema.ScoredQuestion
	questions int64 // of the dump, in a graph or not
	tags      map[string]*schema.TagCount
	links     *linkCells
}

func newFigureCounts(rows *linkRows) *figureCounts {
	return &figureCounts{months: map[[len("2008-07")]byte]*schema.PostCounts{}, tags: map[string]*schema.TagCount{}, links: newLinkCells(rows)}
}

// addPost counts a post of a graph by its columns. score is nil where the dump has none.
func (c *figureCounts) addPost(p threads.Post, created, score []byte) {
	var month [len("2008-07")]byte
	copy(month[:], created)
	n := c.months[month]
	if n == nil {
		n = &schema.PostCounts{}
		c.months[month] = n
	}
	n.Add(p.Question)
	if score == nil {
		return
	}
	s := tables.Int(score)
	from, found := slices.BinarySearch(schema.ScoreRanges[:], s)
	if !found {
		from--
	}
	c.scores[from].Add(p.Question)
	if p.Question {
		c.offerBest(schema.ScoredQuestion{ID: p.ID, Score: s})
	}
}

// offerBest keeps the question if few have a higher score.
func (c *figureCounts) offerBest(q schema.ScoredQuestion) {
	order := func(a, b schema.ScoredQuestion) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	}
	if n := len(c.best); n == schema.BestQuestions && order(c.best[n-1], q) < 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.best, q, order)
	c.best = slices.Insert(c.best, i, q)
	c.best = c.best[:min(len(c.best), schema.BestQuestions)]
}

// addTags counts a question of the dump by its tags.
func (c *figureCounts) addTags(tags []byte, inGraph bool) {
	c.questions++
	for name := range schema.SplitTags(tags) {
		t := c.tags[string(name)]
		if t == nil {
			t = &schema.TagCount{}
			c.tags[string(name)] = t
		}
		t.All++
		if inGraph {
			t.InGraph++
		}
	}
}

func (c *figureCounts) merge(d *figureCounts) {
	for month, n := range d.months {
		of := c.months[month]
		if of == nil {
			of = &schema.PostCounts{}
			c.months[month] = of
		}
		of.Questions, of.Answers = of.Questions+n.Questions, of.Answers+n.Answers
	}
	for i, n := range d.scores {
		c.scores[i].Questions, c.scores[i].Answers = c.scores[i].Questions+n.Questions, c.scores[i].Answers+n.Answers
	}
	for _, q := range d.best {
		c.offerBest(q)
	}
	c.questions += d.questions
	for name, n := range d.tags {
		t := c.tags[name]
		if t == nil {
			t = &schema.TagCount{}
			c.tags[name] = t
		}
		t.All, t.InGraph = t.All+n.All, t.InGraph+n.InGraph
	}
	c.links.merge(d.links)
}
