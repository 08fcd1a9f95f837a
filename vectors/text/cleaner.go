// Package text turns the HTML of a post into the text that is embedded: clean paragraphs and marked code,
// cut into windows that an embedding model can take.
//
// Clean text looks like Markdown: a blank line between blocks, code fenced with its language, inline code in
// backticks, "- " and "1. " before items, "> " before quotes, "| " between cells, "~~" around what is struck out,
// "[1]" for the mark of a footnote. Emphasis is left out, and so are the addresses of links unless they are asked for.
// What no reader of the post would miss is dropped by the rules of noise.go.
package text

import (
	"bytes"
	"cmp"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Cleaner turns the HTML of posts into clean text. The zero value works; it is made to be reused, and is not
// safe for concurrent use.
type Cleaner struct {
	// Language is that of code which names none itself, as Stack Overflow's highlighter takes it from a question's
	// tags; empty: such a block has none.
	Language string
	// Links keeps the addresses of links, "[text](address)".
	Links bool

	source []byte
	markup markup
	page   page
	para   inline
	noise  noise

	decoded  []byte    // a text without entities
	pre      int       // depth of <pre>
	code     []byte    // what stands in it, or in the code that a paragraph begins with
	lang     string    // of this <pre>, or of the next one
	langAll  string    // of all code in the post, unless it says otherwise
	skip     atom.Atom // the element whose text is left out
	table    int       // depth of <table>
	cells    int       // in this row so far
	heading  bool      // the row has a <th>
	firstRow bool
}

// Drop is a piece of text that a rule took out.
type Drop struct {
	Rule string // the rule's name, one of NoiseRules
	Text string // what was dropped
}

// Counts returns how often each rule dropped something, over all calls of Clean so far. Rules that never did
// are not in it.
func (c *Cleaner) Counts() map[string]int64 { return maps.Clone(c.noise.counts) }

// Drops returns what the last call of Clean dropped. It is valid until the next one.
func (c *Cleaner) Drops() []Drop { return c.noise.drops }

// Clean returns the text of a post's HTML: valid UTF-8 without control characters other than line feeds and
// tabs, and without blank lines at its ends. Any input is accepted; broken HTML gives what can be made of it.
func (c *Cleaner) Clean(source string) string {
	if !utf8.ValidString(source) {
		source = strings.ToValidUTF8(source, "\uFFFD")
	}
	c.reset(source)
	m := &c.markup
	for {
		switch m.next() {
		case html.ErrorToken: // the end: a string has no other error
			c.table = min(c.table, 1)
			c.endTable(atom.Table)
			c.pre = min(c.pre, 1)
			c.endPre()
			c.flush()
			return string(bytes.TrimRight(c.page.out, " \t\n"))
		case html.TextToken:
			c.raw(m.raw)
		case html.StartTagToken, html.SelfClosingTagToken:
			c.start(m.tag)
		case html.EndTagToken:
			c.end(m.tag)
		case html.CommentToken:
			c.comment(m.data)
		}
	}
}

// reset makes the cleaner as new, but for its counts and its buffers.
func (c *Cleaner) reset(source string) {
	c.source = append(c.source[:0], source...)
	c.markup.reset(c.source)
	c.page.reset()
	c.para.take()
	c.noise.drops = c.noise.drops[:0]
	c.pre, c.lang, c.langAll, c.skip, c.table, c.cells = 0, "", "", 0, 0, 0
}

// raw takes text as the HTML has it.
func (c *Cleaner) raw(b []byte) {
	if bytes.IndexByte(b, '&') >= 0 {
		c.decoded = unescape(c.decoded[:0], b)
		b = c.decoded
	}
	c.text(b)
}

func (c *Cleaner) text(b []byte) {
	switch {
	case c.skip != 0:
	case c.pre > 0 && c.table == 0:
		c.code = append(c.code, b...)
	default:
		if c.para.inFirstCode() {
			c.code = append(c.code, b...)
		}
		c.para.text(b)
	}
}

// start takes a start tag, whose attributes the markup has.
func (c *Cleaner) start(tag atom.Atom) {
	switch tag {
	case atom.Script, atom.Style:
		c.skip = tag
	case atom.Pre:
		c.startPre(c.language())
	case atom.Code:
		if c.pre == 0 {
			if c.para.startCode() {
				c.code = c.code[:0]
			}
		} else if lang := c.language(); lang != "" {
			c.lang = lang
		}
	case atom.Br:
		c.lineBreak()
	case atom.Img:
		c.image()
	case atom.Sup:
		c.para.sup = true
	case atom.S, atom.Strike, atom.Del:
		if c.pre == 0 {
			c.para.startStrike()
		}
	case atom.A:
		if c.Links && c.pre == 0 {
			c.para.startLink(c.address())
		}
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		c.startTable(tag)
	default:
		switch {
		case !isBlock(tag):
		case c.table > 0:
			c.para.space()
		case c.pre == 0:
			c.startBlock(tag)
		}
	}
}

// startBlock takes the start tag of an element that begins on a line of its own, outside of tables and code.
func (c *Cleaner) startBlock(tag atom.Atom) {
	c.flush()
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		c.page.need(2)
		c.para.raw("######"[:headingLevel(tag)] + " ")
	case atom.Blockquote:
		c.page.need(2)
		c.page.push(tag, "> ", "> ")
	case atom.Ul:
		c.page.startList(tag, 1)
	case atom.Ol:
		c.page.startList(tag, c.firstNumber())
	case atom.Li:
		c.page.startItem()
	case atom.Hr:
		c.page.need(2)
		c.page.line([]byte("---"))
		c.page.need(2)
	case atom.Dt, atom.Dd, atom.Div, atom.Summary:
		c.page.need(1)
	default:
		c.page.need(2)
	}
}

func (c *Cleaner) end(tag atom.Atom) {
	switch tag {
	case atom.Script, atom.Style:
		c.skip = 0
	case atom.Pre:
		c.endPre()
	case atom.Code:
		c.para.endCode()
	case atom.Sup:
		c.para.sup = false
	case atom.S, atom.Strike, atom.Del:
		c.para.endStrike()
	case atom.A:
		c.para.endLink()
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		c.endTable(tag)
	case atom.Br:
		c.lineBreak()
	default:
		if isBlock(tag) && c.table == 0 && c.pre == 0 {
			c.endBlock(tag)
		}
	}
}

func (c *Cleaner) endBlock(tag atom.Atom) {
	c.flush()
	switch tag {
	case atom.Blockquote:
		c.page.pop(tag)
		c.page.need(2)
	case atom.Ul, atom.Ol:
		c.page.pop(tag)
		c.page.endList()
	case atom.Li:
		c.page.pop(tag)
		c.page.need(1)
	case atom.Dt, atom.Dd, atom.Div, atom.Summary:
		c.page.need(1)
	default:
		c.page.need(2)
	}
}

// flush ends the paragraph that is being collected. One of nothing but code in several lines was meant as a block: a
// browser shows one line of it.
func (c *Cleaner) flush() {
	c.para.close()
	block := c.para.isCode() && bytes.IndexByte(bytes.TrimSpace(c.code), '\n') >= 0
	switch b := c.para.take(); {
	case block:
		c.codeBlock()
	case len(b) > 0:
		c.page.lines(c.noise.prose(maths(b)))
	}
}

func (c *Cleaner) lineBreak() {
	switch {
	case c.table > 0:
		c.para.space()
	case c.pre > 0:
		c.code = append(c.code, '\n')
	default:
		if c.para.inFirstCode() {
			c.code = append(c.code, '\n')
		}
		c.para.lineBreak()
	}
}

// startPre begins a code block. Inside a table code stays in its cell.
func (c *Cleaner) startPre(lang string) {
	c.pre++
	if c.table > 0 || c.pre > 1 {
		c.para.space()
		return
	}
	c.flush()
	if lang != "" {
		c.lang = lang
	}
	c.code = c.code[:0]
}

// endPre ends a code block.
func (c *Cleaner) endPre() {
	if c.pre == 0 {
		return
	}
	if c.pre--; c.pre == 0 && c.table == 0 {
		c.codeBlock()
	}
}

// codeBlock writes the code that has been collected, fenced.
func (c *Cleaner) codeBlock() {
	lang := c.lang
	if lang == "" {
		lang = cmp.Or(c.langAll, c.Language)
	}
	if lang == "none" {
		lang = ""
	}
	c.lang = ""
	lines := c.noise.code(c.code)
	if len(lines) == 0 {
		return
	}
	fence := fenceFor(lines)
	c.page.need(2)
	c.page.line([]byte(fence + lang))
	for _, l := range lines {
		c.page.need(1)
		c.page.line(l)
	}
	c.page.need(1)
	c.page.line([]byte(fence))
	c.page.need(2)
}

// fenceFor returns a fence that no line begins with.
func fenceFor(lines [][]byte) string {
	fence := "```"
	for _, l := range lines {
		for bytes.HasPrefix(bytes.TrimLeft(l, " \t"), []byte(fence)) {
			fence += "`"
		}
	}
	return fence
}

func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Blockquote, atom.Ul, atom.Ol, atom.Li, atom.Hr, atom.Dl, atom.Dt, atom.Dd,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Details, atom.Summary, atom.Section,
		atom.Article, atom.Figure, atom.Figcaption, atom.Center, atom.Address, atom.Pre:
		return true
	}
	return false
}

func headingLevel(tag atom.Atom) int {
	switch tag {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	}
	return 6
}

// language returns the language that a class of a <pre> or <code> names ("lang-py", "language-py", and
// "snippet-code-js" of Stack Snippets), or nothing.
func (c *Cleaner) language() string {
	for class := range bytes.FieldsSeq(c.markup.attribute("class")) {
		if lang := langClass(string(class)); lang != "" {
			return lang
		}
	}
	return ""
}

func langClass(class string) string {
	for _, prefix := range []string{"lang-", "language-", "snippet-code-"} {
		if lang, ok := strings.CutPrefix(class, prefix); ok && isLanguage(lang) {
			return strings.ToLower(lang)
		}
	}
	return ""
}

// isLanguage says whether a name can stand behind a fence.
func isLanguage(s string) bool {
	for _, r := range s {
		if r <= ' ' || r > '~' || r == '`' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// comment takes the hints that posts have for Stack Overflow's highlighter: "language: lang-py" before a code
// block, "language-all: lang-py" once for all.
func (c *Cleaner) comment(b []byte) {
	key, value, ok := strings.Cut(strings.TrimSpace(string(b)), ":")
	if !ok {
		return
	}
	value = strings.TrimSpace(value)
	lang := strings.ToLower(strings.TrimPrefix(value, "lang-"))
	if !isLanguage(lang) {
		return
	}
	switch key {
	case "language":
		c.lang = lang
	case "language-all":
		c.langAll = lang
	}
}

// address returns where a link leads to, or nothing where that cannot stand in a text.
func (c *Cleaner) address() string {
	href := c.markup.attribute("href")
	if bytes.IndexFunc(href, func(r rune) bool { return r <= ' ' || r == 0x7F || r == utf8.RuneError }) >= 0 {
		return ""
	}
	return string(href)
}

// firstNumber returns the number that an ordered list begins with.
func (c *Cleaner) firstNumber() int {
	if n, err := strconv.Atoi(string(c.markup.attribute("start"))); err == nil && n >= 0 && n < 1e6 {
		return n
	}
	return 1
}

// placeholders are alternative texts that Stack Overflow's editor puts in, and say nothing.
var placeholders = map[string]bool{
	"enter image description here": true, "alt text": true, "image": true, "img": true, "screenshot": true,
}

// image takes the alternative text of an image.
func (c *Cleaner) image() {
	alt := bytes.TrimSpace(c.markup.attribute("alt"))
	switch {
	case c.skip != 0 || len(alt) == 0:
	case placeholders[strings.ToLower(string(alt))]:
		c.noise.drop(rulePlaceholder, alt)
	default:
		c.text(alt)
	}
}

// startTable takes the start tag of a table, a row or a cell. A row is a line; what nests in a cell, tables
// too, is its text.
func (c *Cleaner) startTable(tag atom.Atom) {
	switch tag {
	case atom.Table:
		if c.table == 0 {
			c.pre = min(c.pre, 1) // a table ends code, and code in a table ends with it
			c.endPre()
			c.flush()
			c.page.need(2)
			c.cells, c.heading, c.firstRow = 0, false, true
		}
		c.table++
	case atom.Tr:
		if c.table == 1 {
			c.endRow()
		}
	case atom.Td, atom.Th:
		if c.table != 1 {
			c.para.space()
			return
		}
		c.para.close()
		if c.cells++; c.cells == 1 {
			c.para.raw("| ")
		} else {
			c.para.raw(" | ")
		}
		c.heading = c.heading || tag == atom.Th
	}
}

func (c *Cleaner) endTable(tag atom.Atom) {
	if c.table == 0 {
		return
	}
	switch {
	case tag == atom.Table && c.table == 1:
		c.endRow()
		c.table, c.pre = 0, 0
		c.page.need(2)
	case tag == atom.Table:
		c.table--
	case tag == atom.Tr && c.table == 1:
		c.endRow()
	}
}

// endRow writes the row that is being collected, and below the heading a rule as Markdown has it.
func (c *Cleaner) endRow() {
	if c.cells > 0 {
		c.para.close()
		c.para.raw(" |")
	}
	if row := c.para.take(); len(row) > 0 {
		c.page.lines(c.noise.prose(row))
		c.page.need(1)
		if c.firstRow && c.heading {
			c.page.line([]byte("|" + strings.Repeat(" --- |", c.cells)))
			c.page.need(1)
		}
		c.firstRow = false
	}
	c.cells, c.heading = 0, false
}
