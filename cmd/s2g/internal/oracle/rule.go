package oracle

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// mark tells what kind of value an object is; see the package comment.
type mark string

const (
	asIRI  mark = "<"
	asText mark = `"`
	asInt  mark = "#"
	asDate mark = "@"
)

// rule says that a node has a value: a quad whose object a column holds, where
// it is not NULL.
type rule struct {
	term   string
	mark   mark
	object string // SQL expression
	only   bool   // of questions alone
	null   string // a column without which there is no quad; empty: as object. "1": there always is
}

// license is the IRI of a licence: the version that content names, else that of
// the day. The licences of today are compared as a whole, which costs less than
// the regular expression.
func license(content, date string) string {
	day := "IF(" + date + "<'2011-04-08','2.5',IF(" + date + "<'2018-05-02','3.0','4.0'))"
	return "CONCAT('https://creativecommons.org/licenses/by-sa/'," +
		"CASE " + content + " WHEN 'CC BY-SA 4.0' THEN '4.0' WHEN 'CC BY-SA 3.0' THEN '3.0' WHEN 'CC BY-SA 2.5' THEN '2.5'" +
		" ELSE COALESCE(NULLIF(REGEXP_SUBSTR(" + content + ",'[0-9]\\\\.[0-9]'),'')," + day + ") END,'/')"
}

// columns are what a statement selects, each expression once.
type columns []string

// place returns the position of an expression.
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

// placed is a rule and the column that has its object.
type placed struct {
	term   Term
	mark   mark
	only   bool
	column int
}

// place adds the columns of rules. Where only counts are asked for they tell
// whether there is an object, and no text is read.
func place(c *columns, rules []rule, countsOnly bool) []placed {
	var all []placed
	for _, r := range rules {
		object := r.object
		if countsOnly {
			if r.null == "" {
				r.null = r.object
			}
			object = fmt.Sprintf("IF(%s IS NULL,NULL,1)", r.null)
		}
		all = append(all, placed{named(r.term), r.mark, r.only, c.place(object)})
	}
	return all
}

// say says the quads of a row. Those of questions alone are said of questions.
func say(o *out, in []int, n *node, rules []placed, question bool, row [][]byte) {
	for i := range rules {
		r := &rules[i]
		if object := row[r.column]; object != nil && (question || !r.only) {
			o.quad(in, r.term, n.path, n.object(r.mark, object))
		}
	}
}

func termsOf(rules []placed, more ...Term) []Term {
	for _, r := range rules {
		more = append(more, r.term)
	}
	return more
}

// named is the term of a name that is one.
func named(name string) Term {
	t, ok := LookupTerm(name)
	if !ok {
		panic("expect: a rule names " + name + ", which is no term")
	}
	return t
}

// polynomial is Castagnoli's: processors have an instruction for it, and most
// texts are short.
var polynomial = crc32.MakeTable(crc32.Castagnoli)

// CRC continues a checksum with more text; one begins with 0. It is CRC-32C.
func CRC(crc uint32, text []byte) uint32 { return crc32.Update(crc, polynomial, text) }

// node is the subject of quads, while their texts are hashed: the subject once,
// for all of them.
type node struct {
	path []byte // its IRI, without the site
	sum  uint32 // of path
	text []byte // room for a mark and an object
	mute bool   // nothing is hashed
}

const (
	questionPath = "/questions/"
	answerPath   = "/a/"
	commentPath  = "/posts/comments/"
	wikiPath     = "/posts/"
	tagPath      = "/tags/"
)

// begin sets the subject.
func (n *node) begin(path string, id []byte) {
	n.path = append(append(n.path[:0], path...), id...)
	if !n.mute {
		n.sum = CRC(0, n.path)
	}
}

// typed is the checksum of the quad that gives the node a type.
func (n *node) typed() uint32 {
	if n.mute {
		return 0
	}
	return CRC(n.sum, isOfType)
}

var isOfType = []byte(" a") // not on the heap at every use

// shortText is up to where a value is copied to be hashed together with its mark.
const shortText = 256

// object is the checksum of a quad with an object: its IRI in parts, or a value.
func (n *node) object(m mark, value []byte, more ...[]byte) uint32 {
	if n.mute {
		return 0
	}
	n.text = append(append(n.text[:0], ' '), m...)
	if len(value) > shortText {
		return CRC(CRC(n.sum, n.text), value)
	}
	at := len(n.text)
	n.text = append(n.text, value...)
	for _, part := range more {
		n.text = append(n.text, part...)
	}
	if m == asDate { // the database writes 2008-07-31 21:42:52.667
		const day = len("2006-01-02")
		if len(value) > day {
			n.text[at+day] = 'T'
		}
		n.text = append(n.text, 'Z')
	}
	return CRC(n.sum, n.text)
}
