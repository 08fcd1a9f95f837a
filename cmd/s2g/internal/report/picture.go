package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"

	"s2g/schema/vocab"
)

// Measures of the picture in pixels. It has three columns: tags and other questions, the
// question, its answers. Comments hang below their post.
const (
	pictureMargin = 24
	frameTop      = 64
	boxesTop      = frameTop + 44
	lineStep      = 17
	boxPadding    = 9
	commentIndent = 32
	fontWidth     = 6.4 // of a cell, at the font size 10.5
	nameWidth     = 7.3 // of a cell of a name, at the font size 12 and bold
	maxLines      = 3   // of a wrapped text
	pictureWidth  = 988 + 48
)

type pictureColumn struct{ x, width int }

var leftColumn, middleColumn, rightColumn = pictureColumn{48, 208}, pictureColumn{308, 314}, pictureColumn{674, 314}

// threadCSS gives each kind of node and edge its colours, light or dark by the reader's
// system. Its rules apply only to the class thread.
//
//go:embed thread.css
var threadCSS string

// picture is an SVG under construction. Its lines are drawn below its boxes.
type picture struct {
	thread *thread
	lines  bytes.Buffer
	boxes  bytes.Buffer
	bottom int
}

// box is the place of a node.
type box struct {
	x, y, width, height int
}

func (b box) middle() int { return b.y + b.height/2 }

// svg returns the thread as an SVG element, with escaped text. style is threadCSS for a
// file of its own, "" for a page that has this style.
func (t *thread) svg(style string) []byte {
	p := &picture{thread: t}
	question := p.box(middleColumn.x, boxesTop, middleColumn.width, "question", nil, t.question)
	p.comments(middleColumn, question, t.question)
	y := boxesTop
	for _, iri := range t.question.values[vocab.HasAnswer] {
		n := t.nodes[iri]
		kind := "answer"
		switch {
		case slices.Contains(n.classes, vocab.AcceptedAnswer):
			kind = "accepted"
		case slices.Contains(n.classes, vocab.PossibleBetterAnswer):
			kind = "better"
		}
		b := p.box(rightColumn.x, y, rightColumn.width, kind, t.question.edgesTo(iri, toAnswers), n)
		p.curve(kind, question.x+question.width, question.middle(), b.x, b.middle())
		y = p.comments(rightColumn, b, n) + 2*lineStep
	}
	p.omitted(rightColumn.x, y, t.question.omitted[vocab.HasAnswer], "answer")
	y = boxesTop
	for _, e := range append([]string{vocab.TaggedWith}, toOthers...) {
		kind, name := "other", "link"
		if e == vocab.TaggedWith {
			kind, name = "tag", "tag"
		}
		for _, iri := range t.question.values[e] {
			b := p.box(leftColumn.x, y, leftColumn.width, kind, []string{e}, t.nodes[iri])
			p.curve(kind, question.x, question.middle(), b.x+b.width, b.middle())
			y = b.y + b.height + 2*lineStep
		}
		y += p.omitted(leftColumn.x, y, t.question.omitted[e], name)
	}
	return p.document(style)
}

// box draws a node below the names of the edges that lead to it.
func (p *picture) box(x, y, width int, kind string, edges []string, n *node) box {
	lines := p.thread.text(n, width-2*boxPadding)
	b := box{x, y, width, len(lines)*lineStep + 2*boxPadding - 4}
	if len(edges) > 0 {
		fmt.Fprintf(&p.boxes, "<text class=\"edge %s\" x=\"%d\" y=\"%d\">so:%s</text>\n", kind, x+2, y-5, strings.Join(edges, ", so:"))
	}
	fmt.Fprintf(&p.boxes, "<rect class=\"node %s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", kind, x, y, width, b.height)
	for i, line := range lines {
		class := ""
		if line.name {
			class = ` class="name"`
		}
		fmt.Fprintf(&p.boxes, "<text%s x=\"%d\" y=\"%d\">%s</text>\n", class, x+boxPadding, y+boxPadding+10+i*lineStep, escapeXML(line.text))
	}
	p.bottom = max(p.bottom, y+b.height)
	return b
}

// comments draws the comments of a node below its box, and returns the y of their end.
func (p *picture) comments(c pictureColumn, above box, n *node) int {
	y := above.y + above.height
	for _, iri := range n.values[vocab.HasComment] {
		b := p.box(c.x+commentIndent, y+2*lineStep-6, c.width-commentIndent, "comment", []string{vocab.HasComment}, p.thread.nodes[iri])
		fmt.Fprintf(&p.lines, "<path class=\"line comment\" marker-end=\"url(#end)\" d=\"M%d %dV%dH%d\"/>\n", c.x+commentIndent/2, above.y+above.height, b.middle(), b.x-1)
		y = b.y + b.height
	}
	return y + p.omitted(c.x+commentIndent, y+lineStep, n.omitted[vocab.HasComment], "comment")
}

// omitted writes the number of omitted nodes, and returns the height of the line.
func (p *picture) omitted(x, y, n int, name string) int {
	if n == 0 {
		return 0
	}
	fmt.Fprintf(&p.boxes, "<text x=\"%d\" y=\"%d\">%s more</text>\n", x, y, plural(int64(n), name))
	p.bottom = max(p.bottom, y)
	return 2 * lineStep
}

func (p *picture) curve(kind string, x1, y1, x2, y2 int) {
	half := (x1 + x2) / 2
	if x2 > x1 {
		x2--
	} else {
		x2++
	}
	fmt.Fprintf(&p.lines, "<path class=\"line %s\" marker-end=\"url(#end)\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n", kind, x1, y1, half, y1, half, y2, x2, y2)
}

// document assembles the picture within a frame, which represents the graph.
func (p *picture) document(style string) []byte {
	var b bytes.Buffer
	t, height := p.thread, p.bottom+2*pictureMargin
	fmt.Fprintf(&b, "<svg class=\"thread\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", pictureWidth, height, pictureWidth, height)
	fmt.Fprintf(&b, "<title>%s in graph %s</title>\n", escapeXML(t.shortName(t.question.iri)), escapeXML(t.graphs[0]))
	if style != "" {
		fmt.Fprintf(&b, "<style>\n%s</style>\n", style)
	}
	b.WriteString(`<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", pictureWidth, height)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">S is %s</text>\n", pictureMargin, pictureMargin+6, escapeXML(string(t.site)))
	caption := t.caption(pictureWidth - 2*pictureMargin)
	fmt.Fprintf(&b, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", pictureMargin, frameTop-10, escapeXML(caption))
	fmt.Fprintf(&b, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"10\"/>\n", pictureMargin, frameTop, pictureWidth-2*pictureMargin, height-frameTop-pictureMargin)
	b.Write(p.lines.Bytes())
	b.Write(p.boxes.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// shownLiterals are the short literals that a box shows.
var shownLiterals = []string{vocab.TagName, vocab.TagCount, vocab.Score, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.CreationDate}

// caption names the graph, and the others that hold the thread as far as there is room in so many pixels.
func (t *thread) caption(width int) string {
	room := int(float64(width) / nameWidth)
	caption := "graph " + fitCells(t.shortName(t.graphs[0]), room-len("graph "))
	others := t.graphs[1:]
	for n := len(others); n > 0; n-- {
		var also []string
		for _, g := range others[:n] {
			also = append(also, t.shortName(g))
		}
		if n < len(others) {
			also = append(also, fmt.Sprintf("%d more", len(others)-n))
		}
		verb := "hold"
		if len(others) == 1 {
			verb = "holds"
		}
		if longer := caption + " (" + and(also) + " " + verb + " the same thread)"; cells(longer) <= room {
			return longer
		}
	}
	return caption
}

// boxLine is a line of a box. That of a name is bold.
type boxLine struct {
	text string
	name bool
}

// text returns the lines of a node's box, which is so many pixels wide within.
func (t *thread) text(n *node, width int) (lines []boxLine) {
	room := int(float64(width) / fontWidth)
	add := func(texts ...string) {
		for _, text := range texts {
			lines = append(lines, boxLine{text: text})
		}
	}
	for _, line := range wrap(t.shortName(n.iri), int(float64(width)/nameWidth), 0) {
		lines = append(lines, boxLine{line, true})
	}
	if len(n.classes) == 0 {
		add("(is in another graph)")
		return lines
	}
	add(wrap("a so:"+strings.Join(n.classes, ", so:"), room, 0)...)
	for _, p := range []string{vocab.HasTitle, vocab.HasBody} {
		if v := n.values[p]; len(v) > 0 {
			add(wrap("so:"+p+` "`+strings.Join(strings.Fields(v[0]), " ")+`"`, room, maxLines)...)
			break
		}
	}
	var statements []string
	for _, p := range shownLiterals {
		if v := n.values[p]; len(v) > 0 {
			statements = append(statements, "so:"+p+" "+v[0])
		}
	}
	for _, p := range []string{vocab.Author, vocab.License} {
		if v := n.values[p]; len(v) > 0 && n == t.question {
			statements = append(statements, "so:"+p+" "+t.shortName(v[0]))
		}
	}
	add(joinStatements(statements, room)...)
	return lines
}

// joinStatements puts as many statements into a line as it has room for. A longer one takes several lines.
func joinStatements(statements []string, room int) (lines []string) {
	for _, s := range statements {
		last := len(lines) - 1
		if last >= 0 && cells(lines[last]+" ; "+s) <= room {
			lines[last] += " ; " + s
			continue
		}
		lines = append(lines, wrap(s, room, 0)...)
	}
	return lines
}

// wrap breaks a text at spaces, and words that are longer than a line within, into at most
// so many lines of so many cells; most 0: any number. An ellipsis ends a text that is longer.
func wrap(text string, room, most int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && cells(lines[last]+" "+word) <= room {
			lines[last] += " " + word
			continue
		}
		for rest := word; rest != ""; {
			if len(lines) == most && most > 0 {
				lines[most-1] = fitCells(lines[most-1]+" "+rest+" …", room)
				return lines
			}
			var line string
			line, rest = splitCells(rest, room)
			lines = append(lines, line)
		}
	}
	return lines
}

// escapeXML escapes a text for XML, and removes control characters, which XML does not
// allow.
func escapeXML(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, text))
}
