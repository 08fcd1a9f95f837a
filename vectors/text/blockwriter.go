package text

import (
	"bytes"
	"strconv"

	"golang.org/x/net/html/atom"
)

const (
	maxDepth = 12  // of quotes and lists in the layout; deeper ones are written at this depth
	maxOpen  = 200 // elements whose end tags are matched; deeper ones are ignored
)

// blockWriter lays out lines in blocks: the blank lines between them, and the prefixes of quotes and lists.
type blockWriter struct {
	text        []byte
	gap         int    // line feeds before the next line
	prefix      []byte // of every line
	firstPrefix []byte // of the next line instead, if atFirst
	atFirst     bool   // the next line is the first of an item or a quote
	shared      int    // length of the prefix that the last line shares with the next one
	open        []openElement
}

// openElement is an open quote, list or item.
type openElement struct {
	tag         atom.Atom
	outerPrefix int // length of the prefix outside of it
	number      int // of the next item of an ordered list
}

// reset begins another text. It keeps the buffers.
func (w *blockWriter) reset() {
	*w = blockWriter{text: w.text[:0], prefix: w.prefix[:0], firstPrefix: w.firstPrefix, open: w.open[:0]}
}

// newLine puts at least a line feed before the next line.
func (w *blockWriter) newLine() { w.need(1) }

// blankLine puts a blank line before the next line.
func (w *blockWriter) blankLine() { w.need(2) }

// need puts at least n line feeds before the next line, but none between the marker of an item and its text.
func (w *blockWriter) need(n int) {
	if !w.atFirst {
		w.gap = max(w.gap, n)
	}
}

// push opens an element, whose first line begins with first and whose other lines begin with rest.
func (w *blockWriter) push(tag atom.Atom, first, rest string) {
	if len(w.open) >= maxOpen {
		return
	}
	e := openElement{tag: tag, outerPrefix: len(w.prefix)}
	if len(w.open) < maxDepth {
		if !w.atFirst {
			w.firstPrefix = append(w.firstPrefix[:0], w.prefix...)
		}
		w.firstPrefix = append(w.firstPrefix, first...)
		w.prefix = append(w.prefix, rest...)
		w.atFirst = w.atFirst || first != rest
	}
	w.open = append(w.open, e)
}

// pop closes the innermost open element of a tag and the elements in it. It ignores a tag that is not open.
func (w *blockWriter) pop(tag atom.Atom) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].tag == tag {
			w.prefix = w.prefix[:w.open[i].outerPrefix]
			w.open = w.open[:i]
			w.atFirst = false
			w.shared = min(w.shared, len(w.prefix))
			return
		}
	}
}

// startList opens a list. number is that of its first item, if it is ordered.
func (w *blockWriter) startList(tag atom.Atom, number int) {
	w.gapOfList()
	if len(w.open) < maxOpen {
		w.open = append(w.open, openElement{tag: tag, outerPrefix: len(w.prefix), number: number})
	}
}

// gapOfList puts the gap before or behind a list: a blank line, unless the list is in an item.
func (w *blockWriter) gapOfList() {
	if w.isInnermost(atom.Li) {
		w.newLine()
	} else {
		w.blankLine()
	}
}

// startItem opens an item, and closes the one before if it has no end tag.
func (w *blockWriter) startItem() {
	if w.isInnermost(atom.Li) {
		w.pop(atom.Li)
	}
	w.newLine()
	marker := "- "
	if n := len(w.open); n > 0 && w.open[n-1].tag == atom.Ol {
		marker = strconv.Itoa(w.open[n-1].number) + ". "
		w.open[n-1].number++
	}
	w.push(atom.Li, marker, "          "[:min(len(marker), 10)])
}

func (w *blockWriter) isInnermost(tag atom.Atom) bool {
	return len(w.open) > 0 && w.open[len(w.open)-1].tag == tag
}

// lines writes lines without a gap between them.
func (w *blockWriter) lines(lines [][]byte) {
	for i, l := range lines {
		if i > 0 {
			w.newLine()
		}
		w.line(l)
	}
}

// line writes a line behind the gap before it. Soft breaks become spaces.
func (w *blockWriter) line(l []byte) {
	if len(w.text) > 0 {
		for i := range w.gap {
			w.text = append(w.text, '\n')
			if i+1 < w.gap { // a blank line inside of a quote has its mark
				w.text = append(w.text, bytes.TrimRight(w.prefix[:min(w.shared, len(w.prefix))], " ")...)
			}
		}
	}
	if w.atFirst {
		w.text = append(w.text, w.firstPrefix...)
	} else {
		w.text = append(w.text, w.prefix...)
	}
	w.gap, w.atFirst, w.shared = 0, false, len(w.prefix)
	for i := bytes.IndexByte(l, softBreak); i >= 0; i = bytes.IndexByte(l, softBreak) {
		w.text = append(append(w.text, l[:i]...), ' ')
		l = l[i+1:]
	}
	w.text = append(w.text, l...)
	if len(l) == 0 { // a blank line of code in a list
		w.text = bytes.TrimRight(w.text, " ")
	}
}
