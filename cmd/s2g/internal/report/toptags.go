package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"s2g/schema"
)

// shownTags is the number of tags that the page lists.
const shownTags = 20

// tagCount counts the questions of the dump that have a tag.
type tagCount struct {
	all     int64
	inGraph int64 // of these, those that are in a graph
}

func (s *tableScan) countTags(tags []byte, inGraph bool) {
	s.questions++
	for tag := range schema.SplitTags(tags) {
		c := s.tags[string(tag)]
		if c == nil {
			c = &tagCount{}
			s.tags[string(tag)] = c
		}
		c.all++
		if inGraph {
			c.inGraph++
		}
	}
}

// largestTags returns the tags with most questions, at most n of them.
func (s *tableScan) largestTags(n int) []string {
	tags := slices.SortedFunc(maps.Keys(s.tags), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.tags[b].all, s.tags[a].all), cmp.Compare(a, b))
	})
	return tags[:min(n, len(tags))]
}

// tagList is the tags with most questions.
type tagList struct {
	About  string
	Partly bool // some of their questions are in no graph
	Lines  []tagLine
}

// tagLine is a tag of the dump. The bar has the questions in a graph before the others.
type tagLine struct {
	Name         string
	All, InGraph number
	Bar          bar
}

// tags returns the tags with most questions, nil where no question has a tag.
func (r *Report) tags() *tagList {
	names := r.scan.largestTags(shownTags)
	if len(names) == 0 {
		return nil
	}
	l := &tagList{}
	most := r.scan.tags[names[0]].all
	for _, name := range names {
		c := r.scan.tags[name]
		l.Partly = l.Partly || c.inGraph < c.all
		l.Lines = append(l.Lines, tagLine{
			Name: name, All: newNumber(c.all), InGraph: newNumber(c.inGraph),
			Bar: newBar(most, stackPart{c.inGraph, "question"}, stackPart{c.all - c.inGraph, "time"}),
		})
	}
	l.About = fmt.Sprintf("%s has %s on %s. The tag of most is %s, with %s of them.", r.o.Site.Host(), plural(int64(len(r.scan.tags)), "tag"),
		plural(r.scan.questions, "question"), isolate(names[0]), share(most, r.scan.questions))
	if n := len(names); n < len(r.scan.tags) {
		l.About += fmt.Sprintf(" The %d largest are shown.", n)
	}
	return l
}
