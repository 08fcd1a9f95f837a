package graph

import (
	"strconv"

	"s2g/graph/trig"
)

// turtle is a file of Turtle that is being written.
type turtle struct{ text []byte }

// node writes a subject with predicates and objects by turns.
func (t *turtle) node(subject string, about ...string) {
	t.text = append(t.text, '\n')
	t.text = append(t.text, subject...)
	for i := 0; i < len(about); i += 2 {
		if i > 0 {
			t.text = append(t.text, " ;\n\t"...)
		} else {
			t.text = append(t.text, ' ')
		}
		t.text = append(t.text, about[i]+" "+about[i+1]...)
	}
	t.text = append(t.text, " .\n"...)
}

func iri(s string) string   { return string(trig.AppendIRI(nil, s)) }
func text(s string) string  { return string(trig.AppendString(nil, []byte(s))) }
func number(n int64) string { return strconv.FormatInt(n, 10) }
