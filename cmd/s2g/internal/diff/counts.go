package diff

import (
	"cmp"
	"slices"
)

// Section is the counts of questions, answers or texts by language.
type Section struct {
	Languages []Count `json:"languages"` // those that are in one of the builds, in the order of NEW
	Distinct  Count   `json:"distinct"`  // each post or text once; its Language is empty
}

// Count is the counts of a language. Before is Removed, Text, Other and Same; After is
// Added, Text, Other and Same.
type Count struct {
	Language string `json:"language"` // tag; empty: the remainder
	Before   int64  `json:"before"`
	After    int64  `json:"after"`
	Added    int64  `json:"added"`   // to this language, new or not
	Removed  int64  `json:"removed"` // from this language
	Text     int64  `json:"text"`    // in both, with another text
	Other    int64  `json:"other"`   // in both, with the same text and another change
	Same     int64  `json:"same"`
	Embed    int64  `json:"embed"` // of texts only: those without a vector in OLD for option reuse, because the post did not have them
}

// change is the difference of something that is in both builds.
type change uint8

const (
	same change = iota
	otherChanged
	textChanged
)

func (n *Count) count(before, after bool, what change) {
	if before {
		n.Before++
	}
	if after {
		n.After++
	}
	switch {
	case !before:
		n.Added++
	case !after:
		n.Removed++
	case what == textChanged:
		n.Text++
	case what == otherChanged:
		n.Other++
	default:
		n.Same++
	}
}

// sectionCounts counts posts or texts, by language and each once.
type sectionCounts struct {
	languages []Count
	distinct  Count
}

func newSectionCounts(languages []string) *sectionCounts {
	c := &sectionCounts{languages: make([]Count, len(languages))}
	for i, tag := range languages {
		c.languages[i].Language = tag
	}
	return c
}

// count counts a post or text, given the graphs that hold it in each build. what is its
// change, if both builds hold it.
func (c *sectionCounts) count(before, after []int, what change) {
	for _, g := range before {
		c.languages[g].count(true, slices.Contains(after, g), what)
	}
	for _, g := range after {
		if !slices.Contains(before, g) {
			c.languages[g].count(false, true, what)
		}
	}
	c.distinct.count(len(before) > 0, len(after) > 0, what)
}

// section returns the counts without the languages that neither build has.
func (c *sectionCounts) section() *Section {
	return &Section{
		Languages: slices.DeleteFunc(c.languages, func(n Count) bool { return n.Before == 0 && n.After == 0 }),
		Distinct:  c.distinct,
	}
}

// Property counts the posts of both builds that differ in a property.
type Property struct {
	Name      string `json:"name"`
	Questions int64  `json:"questions"`
	Answers   int64  `json:"answers"`
}

// postCounts counts the differences of posts.
type postCounts struct {
	comparison         *comparison
	questions, answers *sectionCounts
	properties         [len(properties)]Property
	languages          Property // posts whose graphs differ
}

func newPostCounts(c *comparison) *postCounts {
	t := &postCounts{comparison: c, questions: newSectionCounts(c.languages), answers: newSectionCounts(c.languages), languages: Property{Name: "languages"}}
	for i, name := range properties {
		t.properties[i].Name = name
	}
	return t
}

// add compares a post of both builds, or counts one of one build; the other is nil.
func (t *postCounts) add(before, after *post) error {
	if before != nil && after != nil && before.question != after.question { // the post is another one under the same id
		if err := t.add(before, nil); err != nil {
			return err
		}
		return t.add(nil, after)
	}
	either, none := cmp.Or(before, after), &post{}
	counts, changed := t.answers, Post{ID: either.id, Type: "answer"}
	if either.question {
		counts, changed.Type = t.questions, "question"
	}
	graphsBefore, graphsAfter := cmp.Or(before, none).graphs, cmp.Or(after, none).graphs
	var what change
	switch {
	case len(graphsBefore) == 0 && len(graphsAfter) == 0:
		return nil
	case len(graphsBefore) == 0:
		changed.What = "added"
	case len(graphsAfter) == 0:
		changed.What = "removed"
	default:
		if what, changed.Changed = t.compare(before, after); what != same {
			changed.What = "changed"
		}
	}
	counts.count(graphsBefore, graphsAfter, what)
	if t.comparison.Each == nil || changed.What == "" {
		return nil
	}
	for i, tag := range t.comparison.languages {
		if slices.Contains(graphsBefore, i) || slices.Contains(graphsAfter, i) {
			changed.Languages = append(changed.Languages, tag)
		}
	}
	return t.comparison.Each(changed)
}

// compare counts the properties in which a post differs, and returns their names.
func (t *postCounts) compare(before, after *post) (what change, names []string) {
	count := func(p *Property) {
		what = max(what, otherChanged)
		names = append(names, p.Name)
		if before.question {
			p.Questions++
		} else {
			p.Answers++
		}
	}
	for _, i := range changes(&before.values, &after.values, &t.comparison.ignored) {
		count(&t.properties[i])
		if i < textual {
			what = textChanged
		}
	}
	if !slices.Equal(before.graphs, after.graphs) {
		count(&t.languages)
	}
	return what, names
}

// finish adds the counts to the result, the properties with most posts first.
func (t *postCounts) finish() {
	r := t.comparison.result
	r.Questions, r.Answers = t.questions.section(), t.answers.section()
	for _, p := range append(t.properties[:], t.languages) {
		if p.Questions+p.Answers > 0 {
			r.Properties = append(r.Properties, p)
		}
	}
	slices.SortStableFunc(r.Properties, func(a, b Property) int { return int(b.Questions+b.Answers) - int(a.Questions+a.Answers) })
}
