package report

import "fmt"

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
	f := r.figures.Tags
	if len(f.Largest) == 0 {
		return nil
	}
	l := &tagList{}
	most := f.Largest[0].All
	for _, t := range f.Largest {
		l.Partly = l.Partly || t.InGraph < t.All
		l.Lines = append(l.Lines, tagLine{
			Name: t.Name, All: newNumber(t.All), InGraph: newNumber(t.InGraph),
			Bar: newBar(most, stackPart{t.InGraph, "question"}, stackPart{t.All - t.InGraph, "time"}),
		})
	}
	l.About = fmt.Sprintf("%s has %s on %s. The tag of most is %s, with %s of them.", r.o.Site.Host(), plural(f.Different, "tag"),
		plural(f.Questions, "question"), isolate(f.Largest[0].Name), share(most, f.Questions))
	if n := len(f.Largest); int64(n) < f.Different {
		l.About += fmt.Sprintf(" The %d largest are shown.", n)
	}
	return l
}
