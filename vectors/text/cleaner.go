// Package text turns the HTML of a post into the text that is embedded: clean paragraphs and marked code, cut into windows
// that an embedding model accepts.
//
// Clean text resembles Markdown: a blank line between blocks, code fenced with its language, inline code in backticks, "- "
// and "1. " before items, "> " before quotes, "| " between cells, "~~" around struck-out text, "[1]" for the mark of a
// footnote. Emphasis is omitted, and so are the addresses of links unless [Cleaner.Links] is set. [NoiseRules] drop text
// that no reader of the post would miss.
//
// A [Cleaner] scans the tokens of the HTML (htmlscanner.go), collects inline text (paragraph.go), code (codeblock.go) and
// rows of tables, drops noise (noise.go) and lays out the blocks (blockwriter.go). [Chunks] cuts the result.
package text

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"s2g/schema"
)

// Cleaner turns the HTML of posts into clean text. The zero value works. A Cleaner reuses its buffers, and is not safe for
// concurrent use.
type Cleaner struct {
	// Languages are those of the build, in the order of the language table. Code that names no language has the first of
	// them that is a tag of the post's question. So the text of a post is the same in the shards of all its languages. If
	// the table has only the whole site, the languages of the default table name code.
	Languages []schema.Language
	// Links keeps the addresses of links, "[text](address)".
	Links bool

	codeLanguages []schema.Language // that name code; nil: not yet chosen

	decoded []byte // a text without entities
	scanner htmlScanner
	out     blockWriter
	para    paragraph
	code    codeBlock
	table   table
	noise   noiseFilter
	skip    atom.Atom // the open element whose text is omitted; 0: none
}

// table is the state of an outermost table.
type table struct {
	depth    int // of <table>
	cells    int // of this row, so far
	heading  bool
	firstRow bool
}

// Clean returns the text of the HTML in a post's body: valid UTF-8 without control characters other than line feeds and
// tabs, and without blank lines at its ends. It accepts any input, and reads broken HTML as browsers do. tags are those of
// the post's question, stored as |a|b|.
func (c *Cleaner) Clean(body, tags []byte) string {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	c.scanner.reset(body)
	c.out.reset()
	c.para.take()
	c.code.reset(c.codeLanguage(tags))
	c.table = table{}
	c.noise.drops = c.noise.drops[:0]
	c.skip = 0
	for s := &c.scanner; ; {
		switch s.next() {
		case html.ErrorToken: // the end: no other error occurs in memory
			c.table.depth = min(c.table.depth, 1)
			c.endTable(atom.Table)
			c.code.depth = min(c.code.depth, 1)
			c.endPre()
			c.endParagraph()
			return string(bytes.TrimRight(c.out.text, " \t\n"))
		case html.TextToken:
			text := s.raw
			if bytes.IndexByte(text, '&') >= 0 {
				c.decoded = unescape(c.decoded[:0], text)
				text = c.decoded
			}
			c.text(text)
		case html.StartTagToken, html.SelfClosingTagToken:
			c.startElement(s.tag)
		case html.EndTagToken:
			c.endElement(s.tag)
		case html.CommentToken:
			c.code.hint(s.data)
		}
	}
}

// Drops returns the text that the last call of Clean dropped. It is valid until the next call.
func (c *Cleaner) Drops() []Drop { return c.noise.drops }

// codeLanguage returns the language of code that names none itself; "" where no tag is a language of the build.
func (c *Cleaner) codeLanguage(tags []byte) string {
	if c.codeLanguages == nil {
		c.codeLanguages = slices.DeleteFunc(slices.Clone(c.Languages), func(l schema.Language) bool { return l.Tag == schema.SiteTag })
		if len(c.codeLanguages) == 0 && len(c.Languages) > 0 {
			c.codeLanguages = schema.DefaultLanguages()
		}
	}
	languages := c.codeLanguages
	first := len(languages)
	for tag := range schema.SplitTags(tags) {
		if i := slices.IndexFunc(languages[:first], func(l schema.Language) bool { return l.Tag == string(tag) }); i >= 0 {
			first = i
		}
	}
	if first == len(languages) {
		return ""
	}
	return languages[first].Tag
}

func (c *Cleaner) text(b []byte) {
	switch {
	case c.skip != 0:
	case c.code.depth > 0 && c.table.depth == 0:
		c.code.text = append(c.code.text, b...)
	default:
		if c.para.inFirstCode() {
			c.code.text = append(c.code.text, b...)
		}
		c.para.text(b)
	}
}

func (c *Cleaner) startElement(tag atom.Atom) {
	switch tag {
	case atom.Script, atom.Style:
		c.skip = tag
	case atom.Pre:
		c.startPre()
	case atom.Code:
		if c.code.depth == 0 {
			if c.para.startCode() {
				c.code.text = c.code.text[:0]
			}
		} else {
			c.code.setLanguage(languageOf(c.scanner.attribute("class")))
		}
	case atom.Br:
		c.lineBreak()
	case atom.Img:
		c.image()
	case atom.Sup:
		c.para.superscript = true
	case atom.S, atom.Strike, atom.Del:
		if c.code.depth == 0 {
			c.para.startStrike()
		}
	case atom.A:
		if c.Links && c.code.depth == 0 {
			c.para.startLink(c.address())
		}
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		c.startTable(tag)
	default:
		switch {
		case !isBlock(tag):
		case c.table.depth > 0:
			c.para.space()
		case c.code.depth == 0:
			c.startBlock(tag)
		}
	}
}

func (c *Cleaner) endElement(tag atom.Atom) {
	switch tag {
	case atom.Script, atom.Style:
		c.skip = 0
	case atom.Pre:
		c.endPre()
	case atom.Code:
		c.para.endCode()
	case atom.Sup:
		c.para.superscript = false
	case atom.S, atom.Strike, atom.Del:
		c.para.endStrike()
	case atom.A:
		c.para.endLink()
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		c.endTable(tag)
	case atom.Br:
		c.lineBreak()
	default:
		if isBlock(tag) && c.table.depth == 0 && c.code.depth == 0 {
			c.endBlock(tag)
		}
	}
}

// isBlock reports whether an element begins on a line of its own.
func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Blockquote, atom.Ul, atom.Ol, atom.Li, atom.Hr, atom.Dl, atom.Dt, atom.Dd,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Details, atom.Summary, atom.Section,
		atom.Article, atom.Figure, atom.Figcaption, atom.Center, atom.Address, atom.Pre:
		return true
	}
	return false
}

// startBlock begins a block outside of tables and code.
func (c *Cleaner) startBlock(tag atom.Atom) {
	c.endParagraph()
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		c.out.blankLine()
		level := tag.String()[1] - '0'
		c.para.markup("######"[:level] + " ")
	case atom.Blockquote:
		c.out.blankLine()
		c.out.push(tag, "> ", "> ")
	case atom.Ul:
		c.out.startList(tag, 1)
	case atom.Ol:
		first := 1
		if n, err := strconv.Atoi(string(c.scanner.attribute("start"))); err == nil && n >= 0 && n < 1e6 {
			first = n
		}
		c.out.startList(tag, first)
	case atom.Li:
		c.out.startItem()
	case atom.Hr:
		c.out.blankLine()
		c.out.line([]byte("---"))
		c.out.blankLine()
	case atom.Dt, atom.Dd, atom.Div, atom.Summary:
		c.out.newLine()
	default:
		c.out.blankLine()
	}
}

func (c *Cleaner) endBlock(tag atom.Atom) {
	c.endParagraph()
	switch tag {
	case atom.Blockquote:
		c.out.pop(tag)
		c.out.blankLine()
	case atom.Ul, atom.Ol:
		c.out.pop(tag)
		c.out.gapOfList()
	case atom.Li:
		c.out.pop(tag)
		c.out.newLine()
	case atom.Dt, atom.Dd, atom.Div, atom.Summary:
		c.out.newLine()
	default:
		c.out.blankLine()
	}
}

// endParagraph writes the collected paragraph. Inline code of several lines that is the whole paragraph becomes a block,
// although a browser shows it in one line.
func (c *Cleaner) endParagraph() {
	c.para.closeAll()
	block := c.para.isCode() && bytes.IndexByte(bytes.TrimSpace(c.code.text), '\n') >= 0
	switch b := c.para.take(); {
	case block:
		c.writeCode()
	case len(b) > 0:
		c.out.lines(c.noise.prose(tidyFormulas(b)))
	}
}

func (c *Cleaner) lineBreak() {
	switch {
	case c.table.depth > 0:
		c.para.space()
	case c.code.depth > 0:
		c.code.text = append(c.code.text, '\n')
	default:
		if c.para.inFirstCode() {
			c.code.text = append(c.code.text, '\n')
		}
		c.para.lineBreak()
	}
}

// startPre begins a code block. Inside a table code is part of its cell.
func (c *Cleaner) startPre() {
	lang := languageOf(c.scanner.attribute("class"))
	c.code.depth++
	if c.table.depth > 0 || c.code.depth > 1 {
		c.para.space()
		return
	}
	c.endParagraph()
	c.code.setLanguage(lang)
	c.code.text = c.code.text[:0]
}

func (c *Cleaner) endPre() {
	if c.code.depth == 0 {
		return
	}
	if c.code.depth--; c.code.depth == 0 && c.table.depth == 0 {
		c.writeCode()
	}
}

// writeCode writes the collected code, fenced.
func (c *Cleaner) writeCode() {
	lang := c.code.takeLanguage()
	lines := c.noise.code(c.code.text)
	if len(lines) == 0 {
		return
	}
	fence := fenceOf(lines)
	c.out.blankLine()
	c.out.line([]byte(fence + lang))
	for _, l := range lines {
		c.out.newLine()
		c.out.line(l)
	}
	c.out.newLine()
	c.out.line([]byte(fence))
	c.out.blankLine()
}

// startTable begins a table, a row or a cell. A row is a line. Elements inside a cell, tables included, are text.
func (c *Cleaner) startTable(tag atom.Atom) {
	t := &c.table
	switch tag {
	case atom.Table:
		if t.depth == 0 {
			c.code.depth = min(c.code.depth, 1) // a table ends code, and code in a table ends with it
			c.endPre()
			c.endParagraph()
			c.out.blankLine()
			t.cells, t.heading, t.firstRow = 0, false, true
		}
		t.depth++
	case atom.Tr:
		if t.depth == 1 {
			c.endRow()
		}
	case atom.Td, atom.Th:
		if t.depth != 1 {
			c.para.space()
			return
		}
		c.para.closeAll()
		if t.cells++; t.cells == 1 {
			c.para.markup("| ")
		} else {
			c.para.markup(" | ")
		}
		t.heading = t.heading || tag == atom.Th
	}
}

func (c *Cleaner) endTable(tag atom.Atom) {
	t := &c.table
	switch {
	case t.depth == 0:
	case tag == atom.Table && t.depth == 1:
		c.endRow()
		t.depth, c.code.depth = 0, 0
		c.out.blankLine()
	case tag == atom.Table:
		t.depth--
	case tag == atom.Tr && t.depth == 1:
		c.endRow()
	}
}

// endRow writes the collected row, and Markdown's rule below a heading.
func (c *Cleaner) endRow() {
	t := &c.table
	if t.cells > 0 {
		c.para.closeAll()
		c.para.markup(" |")
	}
	if row := c.para.take(); len(row) > 0 {
		c.out.lines(c.noise.prose(row))
		c.out.newLine()
		if t.firstRow && t.heading {
			c.out.line([]byte("|" + strings.Repeat(" --- |", t.cells)))
			c.out.newLine()
		}
		t.firstRow = false
	}
	t.cells, t.heading = 0, false
}

// address returns the address of a link, or "" if it contains a blank or an invisible character.
func (c *Cleaner) address() string {
	href := c.scanner.attribute("href")
	if bytes.IndexFunc(href, func(r rune) bool { return r <= ' ' || r == 0x7F || r == utf8.RuneError }) >= 0 {
		return ""
	}
	return string(href)
}

// placeholders are the alternative texts that Stack Overflow's editor inserts.
var placeholders = map[string]bool{
	"enter image description here": true, "alt text": true, "image": true, "img": true, "screenshot": true,
}

// image adds the alternative text of an image.
func (c *Cleaner) image() {
	alt := bytes.TrimSpace(c.scanner.attribute("alt"))
	switch {
	case c.skip != 0 || len(alt) == 0:
	case placeholders[strings.ToLower(string(alt))]:
		c.noise.record(rulePlaceholder, alt)
	default:
		c.text(alt)
	}
}
