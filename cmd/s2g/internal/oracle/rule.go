package oracle

import (
	"fmt"
	"strings"
)

// rule gives each row of a table a quad of a term, unless the object is NULL.
type rule struct {
	term          string
	mark          mark
	object        string // SQL expression
	questionsOnly bool
	presence      string // cheaper SQL expression that is NULL where object is; "1": never; empty: object
}

// license returns the SQL expression of a licence's IRI. Its version is that in content
// or, where content has none, the version in force at date. The CASE spares the regular
// expression for the spellings of today's dumps.
func license(content, date string) string {
	day := "IF(" + date + "<'2011-04-08','2.5',IF(" + date + "<'2018-05-02','3.0','4.0'))"
	return "CONCAT('https://creativecommons.org/licenses/by-sa/'," +
		"CASE " + content + " WHEN 'CC BY-SA 4.0' THEN '4.0' WHEN 'CC BY-SA 3.0' THEN '3.0' WHEN 'CC BY-SA 2.5' THEN '2.5'" +
		" ELSE COALESCE(NULLIF(REGEXP_SUBSTR(" + content + ",'[0-9]\\\\.[0-9]'),'')," + day + ") END,'/')"
}

// columns are the expressions that a statement selects, each once.
type columns []string

// place returns the position of an expression, and adds it where it is new.
func (c *columns) place(expression string) int {
	for i, known := range *c {
		if known == expression {
			return i
		}
	}
	*c = append(*c, expression)
	return len(*c) - 1
}

func (c columns) String() string { return strings.Join(c, ",") }

// placedRule is a rule whose object is a selected column.
type placedRule struct {
	term          Term
	mark          mark
	questionsOnly bool
	column        int
}

// placeRules adds the columns of rules. With countsOnly a column is 1 instead of the
// object, so that the server reads no text.
func (c *columns) placeRules(rules []rule, countsOnly bool) []placedRule {
	var placed []placedRule
	for _, r := range rules {
		object := r.object
		if countsOnly {
			if r.presence == "" {
				r.presence = r.object
			}
			object = fmt.Sprintf("IF(%s IS NULL,NULL,1)", r.presence)
		}
		placed = append(placed, placedRule{mustTerm(r.term), r.mark, r.questionsOnly, c.place(object)})
	}
	return placed
}

// termsOf returns the terms of rules, and those of more.
func termsOf(rules []placedRule, more ...Term) []Term {
	for _, r := range rules {
		more = append(more, r.term)
	}
	return more
}

// addRow adds the quads that rules give a row, whose subject is s. question is whether
// the row is a question.
func (c *collector) addRow(in graphSet, s *subject, rules []placedRule, question bool, row [][]byte) {
	for i := range rules {
		r := &rules[i]
		if object := row[r.column]; object != nil && (question || !r.questionsOnly) {
			c.addQuad(in, r.term, s.path, s.quad(r.mark, object))
		}
	}
}
