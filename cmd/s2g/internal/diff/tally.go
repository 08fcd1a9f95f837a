package diff

import "slices"

// counter counts by language, and each thing once.
type counter struct {
	by       []Count
	distinct Count
}

func newCounter(languages []string) *counter {
	c := &counter{by: make([]Count, len(languages))}
	for i, tag := range languages {
		c.by[i].Language = tag
	}
	return c
}

// section leaves out the languages that neither build has anything of.
func (c *counter) section() *Section {
	return &Section{
		Languages: slices.DeleteFunc(c.by, func(n Count) bool { return n.Before == 0 && n.After == 0 }),
		Distinct:  c.distinct,
	}
}

// change is what became of something that is in both builds.
type change uint8

const (
	same change = iota
	otherChanged
	textChanged
)

// add counts something that stood in some graphs and stands in others; nil where
// it was, or is, not there. As one thing it is in a build that has it in any graph.
func (c *counter) add(was, now []int, what change) {
	for _, g := range was {
		c.by[g].count(true, slices.Contains(now, g), what)
	}
	for _, g := range now {
		if !slices.Contains(was, g) {
			c.by[g].count(false, true, what)
		}
	}
	c.distinct.count(len(was) > 0, len(now) > 0, what)
}

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

// postTally counts posts.
type postTally struct {
	c                  *comparison
	questions, answers *counter
	properties         [len(properties)]Property
	moved              Property // posts that are in other graphs than before
}

func newPostTally(c *comparison) *postTally {
	t := &postTally{c: c, questions: newCounter(c.languages), answers: newCounter(c.languages), moved: Property{Name: "languages"}}
	for i, name := range properties {
		t.properties[i].Name = name
	}
	return t
}

// add takes a post of both builds, or of one; the other is nil then.
func (t *postTally) add(was, now *post) error {
	if was != nil && now != nil && was.question != now.question { // an id that was given again
		if err := t.add(was, nil); err != nil {
			return err
		}
		return t.add(nil, now)
	}
	of := was
	if of == nil {
		of = now
	}
	counter, says := t.answers, Post{ID: of.id, Type: "answer"}
	if of.question {
		counter, says.Type = t.questions, "question"
	}
	var before, after []int
	if was != nil {
		before = was.graphs
	}
	if now != nil {
		after = now.graphs
	}
	var what change
	switch {
	case len(before) == 0 && len(after) == 0:
		return nil
	case len(before) == 0:
		says.What = "added"
	case len(after) == 0:
		says.What = "removed"
	default:
		if what = t.compare(was, now, &says); what != same {
			says.What = "changed"
		}
	}
	counter.add(before, after, what)
	if t.c.Each == nil || says.What == "" {
		return nil
	}
	for i, tag := range t.c.languages {
		if slices.Contains(before, i) || slices.Contains(after, i) {
			says.Languages = append(says.Languages, tag)
		}
	}
	return t.c.Each(says)
}

// compare counts in what a post differs.
func (t *postTally) compare(was, now *post, says *Post) change {
	what := same
	one := func(p *Property) {
		what = max(what, otherChanged)
		says.Changed = append(says.Changed, p.Name)
		if was.question {
			p.Questions++
		} else {
			p.Answers++
		}
	}
	for _, i := range changes(&was.values, &now.values, &t.c.mask) {
		one(&t.properties[i])
		if i < textual {
			what = textChanged
		}
	}
	if !slices.Equal(was.graphs, now.graphs) {
		one(&t.moved)
	}
	return what
}

func (t *postTally) finish() {
	r := t.c.result
	r.Questions, r.Answers = t.questions.section(), t.answers.section()
	for _, p := range append(t.properties[:], t.moved) {
		if p.Questions+p.Answers > 0 {
			r.Properties = append(r.Properties, p)
		}
	}
	slices.SortStableFunc(r.Properties, func(a, b Property) int { return int(b.Questions+b.Answers) - int(a.Questions+a.Answers) })
}
