package text

import (
	"bytes"
	"strconv"

	"golang.org/x/net/html/atom"
)

// maxDepth is how deep quotes and lists are shown; what nests deeper is written at this depth, and what nests
// deeper than maxOpen is not even looked for when it ends.
const (
	maxDepth = 12
	maxOpen  = 200
)

// page lays out blocks: the lines owed between them, and what stands before the lines of quotes and lists.
type page struct {
	out    []byte
	gap    int    // line feeds owed before the next line
	prefix []byte // of every line
	first  []byte // of the next line instead, where an item begins
	begins bool   // first is to be used
	above  int    // length of the prefix that the last line written has in common with the next
	open   []element
}

// element is an open quote, list or item.
type element struct {
	tag    atom.Atom
	prefix int // length of the prefix outside of it
	number int // of the next item of an ordered list
}

func (p *page) reset() {
	p.out, p.prefix, p.open = p.out[:0], p.prefix[:0], p.open[:0]
	p.gap, p.begins, p.above = 0, false, 0
}

// need asks for n line feeds before the next line: 1 for a new line, 2 for a blank line. After the marker of an
// item none is needed.
func (p *page) need(n int) {
	if !p.begins {
		p.gap = max(p.gap, n)
	}
}

func (p *page) push(tag atom.Atom, first, rest string) {
	e := element{tag: tag, prefix: len(p.prefix), number: 1}
	if len(p.open) >= maxOpen {
		return
	}
	if len(p.open) < maxDepth {
		if !p.begins {
			p.first = append(p.first[:0], p.prefix...)
		}
		p.first = append(p.first, first...)
		p.prefix = append(p.prefix, rest...)
		p.begins = p.begins || first != rest
	}
	p.open = append(p.open, e)
}

// pop closes the innermost open tag, and what was left open in it. An end tag with no start tag is nothing.
func (p *page) pop(tag atom.Atom) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].tag == tag {
			p.prefix = p.prefix[:p.open[i].prefix]
			p.open = p.open[:i]
			p.begins = false
			p.above = min(p.above, len(p.prefix))
			return
		}
	}
}

func (p *page) startList(tag atom.Atom, number int) {
	if p.in(atom.Li) {
		p.need(1)
	} else {
		p.need(2)
	}
	if len(p.open) < maxOpen {
		p.open = append(p.open, element{tag: tag, prefix: len(p.prefix), number: number})
	}
}

// endList asks for what follows a list: a blank line, unless it is in an item.
func (p *page) endList() {
	if p.in(atom.Li) {
		p.need(1)
	} else {
		p.need(2)
	}
}

// startItem begins an item, and ends the one before where it was left open.
func (p *page) startItem() {
	if p.in(atom.Li) {
		p.pop(atom.Li)
	}
	p.need(1)
	marker := "- "
	if n := len(p.open); n > 0 && p.open[n-1].tag == atom.Ol {
		marker = strconv.Itoa(p.open[n-1].number) + ". "
		p.open[n-1].number++
	}
	p.push(atom.Li, marker, "          "[:min(len(marker), 10)])
}

// in says whether tag is the innermost open element.
func (p *page) in(tag atom.Atom) bool {
	return len(p.open) > 0 && p.open[len(p.open)-1].tag == tag
}

// lines writes lines, each on its own.
func (p *page) lines(lines [][]byte) {
	for i, l := range lines {
		if i > 0 {
			p.need(1)
		}
		p.line(l)
	}
}

// line writes a line after the gap that is owed; soft breaks become spaces.
func (p *page) line(l []byte) {
	if len(p.out) > 0 {
		for i := range p.gap {
			p.out = append(p.out, '\n')
			if i+1 < p.gap { // a blank line inside of a quote is marked
				p.out = append(p.out, bytes.TrimRight(p.prefix[:min(p.above, len(p.prefix))], " ")...)
			}
		}
	}
	if p.begins {
		p.out = append(p.out, p.first...)
	} else {
		p.out = append(p.out, p.prefix...)
	}
	p.gap, p.begins, p.above = 0, false, len(p.prefix)
	for i := bytes.IndexByte(l, softBreak); i >= 0; i = bytes.IndexByte(l, softBreak) {
		p.out = append(append(p.out, l[:i]...), ' ')
		l = l[i+1:]
	}
	p.out = append(p.out, l...)
	if len(l) == 0 { // a blank line of code in a list
		p.out = bytes.TrimRight(p.out, " ")
	}
}
