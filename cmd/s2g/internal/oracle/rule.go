package oracle

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// rule states that a node has a value: a quad for each row whose column of the
// object is not NULL.
type rule struct {
	term          string
	mark          mark
	object        string // SQL expression
	questionsOnly bool
	presence      string // a column that is NULL where there is no quad; empty: object. "1": there always is one
}

// mark is the kind of an object; see the package comment.
type mark string

const (
	markIRI     mark = "<"
	markText    mark = `"`
	markInteger mark = "#"
	markDate    mark = "@"
)

// license returns the SQL expression of a licence's IRI: the version that content
// names, else that of the day. The CASE spares the regular expression for the
// spellings of today's dumps.
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

// placedRule is a rule with the position of its object's column.
type placedRule struct {
	term          Term
	mark          mark
	questionsOnly bool
	column        int
}

// placeRules adds the columns of rules. With countsOnly they hold whether there
// is an object, and the server reads no text.
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

// termsOf returns the terms of rules, and more.
func termsOf(rules []placedRule, more ...Term) []Term {
	for _, r := range rules {
		more = append(more, r.term)
	}
	return more
}

// addRow adds the quads that rules state of a row's subject.
func (c *collector) addRow(in graphSet, s *subject, rules []placedRule, question bool, row [][]byte) {
	for i := range rules {
		r := &rules[i]
		if object := row[r.column]; object != nil && (question || !r.questionsOnly) {
			c.addQuad(in, r.term, s.path, s.quad(r.mark, object))
		}
	}
}

// polynomial is Castagnoli's: processors have an instruction for it, and most
// texts are short.
var polynomial = crc32.MakeTable(crc32.Castagnoli)

// CRC continues a CRC-32C with more text. A checksum begins with 0.
func CRC(crc uint32, text []byte) uint32 { return crc32.Update(crc, polynomial, text) }

// subject computes the checksums of quads with one subject, which it hashes once.
type subject struct {
	path       []byte // its IRI, without the site
	crc        uint32 // of path
	text       []byte // room for a mark and an object
	countsOnly bool   // all checksums are 0
}

// What the paths of subjects begin with.
const (
	questionPath = "/questions/"
	answerPath   = "/a/"
	commentPath  = "/posts/comments/"
	wikiPath     = "/posts/"
	tagPath      = "/tags/"
)

// set sets the subject to path followed by id.
func (s *subject) set(path string, id []byte) {
	s.path = append(append(s.path[:0], path...), id...)
	if !s.countsOnly {
		s.crc = CRC(0, s.path)
	}
}

// typeQuad returns the checksum of the quad that gives the subject a type.
func (s *subject) typeQuad() uint32 {
	if s.countsOnly {
		return 0
	}
	return CRC(s.crc, typeText)
}

var typeText = []byte(" a") // a variable: a constant is copied to the heap at every use

// quad returns the checksum of the quad with an object: a value, or the parts of
// an IRI.
func (s *subject) quad(m mark, value []byte, more ...[]byte) uint32 {
	if s.countsOnly {
		return 0
	}
	s.text = append(append(s.text[:0], ' '), m...)
	at := len(s.text)
	s.text = append(s.text, value...)
	for _, part := range more {
		s.text = append(s.text, part...)
	}
	if m == markDate { // MariaDB writes 2008-07-31 21:42:52.667
		const day = len("2006-01-02")
		if len(value) > day {
			s.text[at+day] = 'T'
		}
		s.text = append(s.text, 'Z')
	}
	return CRC(s.crc, s.text)
}
