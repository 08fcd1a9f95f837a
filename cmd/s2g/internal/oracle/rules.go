package oracle

import (
	"fmt"
	"strings"

	"s2g/schema/vocab"
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

// questionsOnly are the rules of questions beside those of all posts.
var questionRules = []rule{
	{term: vocab.HasTitle, mark: asText, object: "p.Title", only: true},
	{term: vocab.ViewCount, mark: asInt, object: "p.ViewCount", only: true},
	{term: vocab.AnswerCount, mark: asInt, object: "p.AnswerCount", only: true},
	{term: vocab.FavoriteCount, mark: asInt, object: "p.FavoriteCount", only: true},
	{term: vocab.ClosedDate, mark: asDate, object: "p.ClosedDate", only: true},
}

// edited is when a post was edited by someone else than the site.
const edited = "IF(p.LastEditorUserId<=>-1,NULL,p.LastEditDate)"

const postAuthor = "CONCAT('/users/',p.OwnerUserId)"

var postLicense = license("p.ContentLicense", "IFNULL("+edited+",p.CreationDate)")

// postRules are the rules of questions, answers, wikis and excerpts alike.
var postRules = []rule{
	{term: vocab.PostID, mark: asInt, object: "p.Id"},
	{term: vocab.Score, mark: asInt, object: "p.Score"},
	{term: vocab.HasBody, mark: asText, object: "p.Body"},
	{term: vocab.CommentCount, mark: asInt, object: "p.CommentCount"},
	{term: vocab.CreationDate, mark: asDate, object: "p.CreationDate"},
	{term: vocab.LastEditDate, mark: asDate, object: "p.LastEditDate"},
	{term: vocab.LastActivityDate, mark: asDate, object: "p.LastActivityDate"},
	{term: vocab.CommunityOwnedDate, mark: asDate, object: "p.CommunityOwnedDate"},
	{term: vocab.AuthorName, mark: asText, object: "p.OwnerDisplayName"},
	{term: vocab.Author, mark: asIRI, object: postAuthor, null: "p.OwnerUserId"},
	{term: vocab.License, mark: asIRI, object: postLicense, null: "1"},
}

var commentRules = []rule{
	{term: vocab.CommentID, mark: asInt, object: "c.Id"},
	{term: vocab.Score, mark: asInt, object: "c.Score"},
	{term: vocab.HasBody, mark: asText, object: "c.Text"},
	{term: vocab.CreationDate, mark: asDate, object: "c.CreationDate"},
	{term: vocab.AuthorName, mark: asText, object: "c.UserDisplayName"},
	{term: vocab.Author, mark: asIRI, object: "CONCAT('/users/',c.UserId)", null: "c.UserId"},
	{term: vocab.License, mark: asIRI, object: license("c.ContentLicense", "c.CreationDate"), null: "1"},
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
	t, ok := Named(name)
	if !ok {
		panic("expect: a rule names " + name + ", which is no term")
	}
	return t
}
