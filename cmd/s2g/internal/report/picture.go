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

// The picture's measures, in pixels: three columns for tags and other questions,
// the question, and its answers; comments hang below what they are on.
const (
	margin    = 24
	frameTop  = 64
	top       = frameTop + 44
	lineStep  = 17
	padding   = 9
	indent    = 32
	character = 6.3 // the width of one, at the font's size of 12
	maxLines  = 3   // of a text
)

type pictureColumn struct{ x, width int }

var pictureColumns = [3]pictureColumn{{48, 208}, {308, 314}, {674, 314}}

const width = 988 + 48

// threadCSS gives each kind of node and edge its colours, dark where the reader's
// system is. Its rules concern what is of class thread alone.
//
//go:embed thread.css
var threadCSS string

// box is a node in its place.
type box struct {
	x, y, width, height int
}

func (b box) middle() int { return b.y + b.height/2 }

// picture is the SVG so far; lines lie below boxes.
type picture struct {
	thread *thread
	lines  bytes.Buffer
	boxes  bytes.Buffer
	bottom int
}

// file draws the thread as a file of SVG, which brings its style.
func (t *thread) file() []byte { return t.draw().svg(threadCSS) }

// element draws the thread as an element of an HTML page that has [threadCSS]. What
// stands in posts is escaped.
func (t *thread) element() []byte { return t.draw().svg("") }

func (t *thread) draw() *picture {
	p := &picture{thread: t}
	question := p.box(pictureColumns[1].x, top, pictureColumns[1].width, "question", nil, t.question)
	p.comments(pictureColumns[1], question, t.question)
	y := top
	for _, iri := range t.question.values[vocab.HasAnswer] {
		n := t.nodes[iri]
		kind := "answer"
		switch {
		case slices.Contains(n.classes, vocab.AcceptedAnswer):
			kind = "accepted"
		case slices.Contains(n.classes, vocab.PossibleBetterAnswer):
			kind = "better"
		}
		b := p.box(pictureColumns[2].x, y, pictureColumns[2].width, kind, t.question.by(toAnswers, iri), n)
		p.curve(kind, question.x+question.width, question.middle(), b.x, b.middle())
		y = p.comments(pictureColumns[2], b, n) + 2*lineStep
	}
	y = top
	for _, e := range append([]string{vocab.TaggedWith}, toOthers...) {
		kind := map[string]string{vocab.TaggedWith: "tag"}[e]
		if kind == "" {
			kind = "other"
		}
		for _, iri := range t.question.values[e] {
			b := p.box(pictureColumns[0].x, y, pictureColumns[0].width, kind, []string{e}, t.nodes[iri])
			p.curve(kind, question.x, question.middle(), b.x+b.width, b.middle())
			y = b.y + b.height + 2*lineStep
		}
	}
	return p
}

// box draws a node below the names of the edges that lead to it.
func (p *picture) box(x, y, w int, kind string, by []string, n *node) box {
	lines := p.thread.says(n, int(float64(w-2*padding)/character))
	b := box{x, y, w, len(lines)*lineStep + 2*padding - 4}
	if len(by) > 0 {
		fmt.Fprintf(&p.boxes, "<text class=\"edge %s\" x=\"%d\" y=\"%d\">so:%s</text>\n", kind, x+2, y-5, strings.Join(by, ", so:"))
	}
	fmt.Fprintf(&p.boxes, "<rect class=\"node %s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", kind, x, y, w, b.height)
	for i, line := range lines {
		class := ""
		if i == 0 {
			class = ` class="name"`
		}
		fmt.Fprintf(&p.boxes, "<text%s x=\"%d\" y=\"%d\">%s</text>\n", class, x+padding, y+padding+10+i*lineStep, escape(line))
	}
	p.bottom = max(p.bottom, y+b.height)
	return b
}

// comments draws the comments of a node below it, and returns where they end.
func (p *picture) comments(c pictureColumn, of box, n *node) int {
	y := of.y + of.height
	for _, iri := range n.values[vocab.HasComment] {
		b := p.box(c.x+indent, y+2*lineStep-6, c.width-indent, "comment", []string{vocab.HasComment}, p.thread.nodes[iri])
		fmt.Fprintf(&p.lines, "<path class=\"line comment\" marker-end=\"url(#end)\" d=\"M%d %dV%dH%d\"/>\n", c.x+indent/2, of.y+of.height, b.middle(), b.x-1)
		y = b.y + b.height
	}
	return y
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

// svg puts the picture together, within a frame that is the graph.
func (p *picture) svg(style string) []byte {
	var b bytes.Buffer
	t, height := p.thread, p.bottom+2*margin
	fmt.Fprintf(&b, "<svg class=\"thread\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s in graph %s</title>\n", escape(t.name(t.question.iri)), escape(t.graphs[0]))
	if style != "" {
		fmt.Fprintf(&b, "<style>\n%s</style>\n", style)
	}
	b.WriteString(`<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", width, height)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">S is %s</text>\n", margin, margin+6, escape(string(t.site)))
	caption := "graph " + t.name(t.graphs[0])
	if len(t.graphs) > 1 {
		var also []string
		for _, g := range t.graphs[1:] {
			also = append(also, t.name(g))
		}
		caption += " (the same thread stands in " + strings.Join(also, ", ") + ")"
	}
	fmt.Fprintf(&b, "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", margin, frameTop-10, escape(caption))
	fmt.Fprintf(&b, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"10\"/>\n", margin, frameTop, width-2*margin, height-frameTop-margin)
	b.Write(p.lines.Bytes())
	b.Write(p.boxes.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// escape makes a text one of XML: of the controls, which are none, nothing stays.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, text))
}

// said are the literals that a box shows, each where its node has it.
var said = []string{vocab.TagName, vocab.TagCount, vocab.Score, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.CreationDate}

// says is the text of a node's box, in lines of at most so many characters.
func (t *thread) says(n *node, characters int) []string {
	lines := []string{cut(t.name(n.iri), characters)}
	if len(n.classes) == 0 {
		return append(lines, "(is in another graph)")
	}
	lines = append(lines, wrap("a so:"+strings.Join(n.classes, ", so:"), characters)...)
	for _, p := range []string{vocab.HasTitle, vocab.HasBody} {
		if v := n.values[p]; len(v) > 0 {
			lines = append(lines, wrap("so:"+p+` "`+strings.Join(strings.Fields(v[0]), " ")+`"`, characters)...)
			break
		}
	}
	var short []string
	for _, p := range said {
		if v := n.values[p]; len(v) > 0 {
			short = append(short, "so:"+p+" "+v[0])
		}
	}
	for _, p := range []string{vocab.Author, vocab.License} {
		if v := n.values[p]; len(v) > 0 && slices.Contains(n.classes, vocab.Question) {
			short = append(short, "so:"+p+" "+t.name(v[0]))
		}
	}
	return append(lines, fill(short, characters)...)
}

// fill puts statements into lines, as many as there is room for.
func fill(statements []string, characters int) (lines []string) {
	for _, s := range statements {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+len(" ; ")+len(s) <= characters {
			lines[last] += " ; " + s
			continue
		}
		lines = append(lines, cut(s, characters))
	}
	return lines
}

// wrap breaks a text at spaces into at most maxLines lines, and says by an
// ellipsis that it goes on.
func wrap(text string, characters int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len([]rune(lines[last]+" "+word)) <= characters {
			lines[last] += " " + word
			continue
		}
		if len(lines) == maxLines {
			lines[last] = cut(lines[last]+" "+word, characters)
			return lines
		}
		lines = append(lines, cut(word, characters))
	}
	return lines
}

// cut shortens a text to so many characters.
func cut(text string, characters int) string {
	if r := []rune(text); len(r) > characters {
		return string(r[:characters-1]) + "…"
	}
	return text
}
