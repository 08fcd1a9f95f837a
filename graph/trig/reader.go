package trig

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Reader reads quads from a TriG or N-Quads text, one at a time:
//
//	r := trig.NewReader(f, trig.TriG)
//	for r.Scan() {
//		use(r.Record())
//	}
//	if err := r.Err(); err != nil { … }
//
// It returns quads in the order of the text, repeated ones each time.
type Reader struct {
	in       input
	format   Format
	prefixes namespaces
	base     []byte
	state    state
	begun    bool
	inGraph  bool
	quad     Quad
	name     []byte // the last prefix or keyword
	err      error
}

// state is the element that the reader has read last.
type state uint8

const (
	afterStatement state = iota // or at the start
	afterPredicate
	afterObject
)

// Comments returns the number of comments that the reader has skipped.
func (r *Reader) Comments() int { return r.in.comments }

// NewReader returns a reader. It holds a window of 256 KiB of the text and the longest
// terms.
func NewReader(r io.Reader, format Format) *Reader {
	return &Reader{in: input{r: r, buf: make([]byte, inputSize)}, format: format}
}

// Scan reads the next quad. It returns false at the end of the text and at the first
// error.
func (r *Reader) Scan() bool {
	if r.err != nil {
		return false
	}
	if !r.begun {
		r.begun = true
		r.in.skipByteOrderMark()
	}
	if r.format == NQuads {
		return r.nquad()
	}
	for {
		var ok bool
		switch r.state {
		case afterStatement:
			ok = r.statement()
		case afterObject:
			ok = r.separator()
		case afterPredicate:
			if !r.object(&r.quad.Object) {
				return false
			}
			r.state = afterObject
			return true
		}
		if !ok {
			return false
		}
	}
}

// Record returns the quad that Scan has read. It is valid until the next Scan.
func (r *Reader) Record() *Quad { return &r.quad }

// Err returns the error that ended the scan: a *[SyntaxError], or one of the underlying
// reader; nil at the end of the text.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// fail ends the scan. An error of the underlying reader takes precedence over a syntax
// error, which the missing bytes may have caused.
func (r *Reader) fail(msg string) bool {
	if r.err == nil {
		r.err = r.in.err
		if r.err == nil || r.err == io.EOF {
			line, column := r.in.position()
			r.err = &SyntaxError{Line: line, Column: column, Msg: msg}
		}
	}
	return false
}

// statement reads a subject with its predicate, the opening or end of a graph, or a
// directive.
func (r *Reader) statement() bool {
	switch c := r.in.space(); c {
	case 0:
		return r.finish()
	case '}':
		if !r.inGraph {
			return r.fail("} without a graph")
		}
		r.in.pos++
		r.inGraph = false
		return true
	case '{':
		if r.inGraph {
			return r.fail("{ inside a graph")
		}
		r.in.pos++
		r.openGraph(Term{})
		return true
	case '@':
		if r.inGraph {
			return r.fail("directive inside a graph")
		}
		r.in.pos++
		return r.directive()
	case '<', '_':
		return r.node(&r.quad.Subject, "subject") && r.afterSubject()
	}
	return r.nameStatement()
}

// finish ends the scan at the end of the text.
func (r *Reader) finish() bool {
	switch {
	case r.in.end > r.in.pos: // a NUL
		return r.fail("unexpected character U+0000")
	case r.inGraph:
		return r.fail("the text ends inside a graph: } is missing")
	case r.err == nil:
		r.err = r.in.err
	}
	return false
}

// openGraph starts a graph; the zero Term is the default graph.
func (r *Reader) openGraph(name Term) {
	r.inGraph = true
	g := &r.quad.Graph
	g.Kind, g.Value = name.Kind, append(g.Value[:0], name.Value...)
}

// afterSubject reads the first predicate of a subject, or the { after the name of a graph.
func (r *Reader) afterSubject() bool {
	if r.in.space() == '{' {
		if r.inGraph {
			return r.fail("{ inside a graph")
		}
		r.in.pos++
		r.openGraph(r.quad.Subject)
		return true
	}
	if !r.inGraph {
		r.quad.Graph.Kind, r.quad.Graph.Value = None, r.quad.Graph.Value[:0]
	}
	return r.predicate()
}

// nameStatement reads a statement that begins with a name: a subject, or one of the
// keywords GRAPH, PREFIX and BASE in any letter case.
func (r *Reader) nameStatement() bool {
	if !r.prefix() {
		return false
	}
	if r.in.peek(0) == ':' {
		return r.local(&r.quad.Subject) && r.afterSubject()
	}
	if !r.inGraph {
		switch strings.ToUpper(string(r.name)) {
		case "GRAPH":
			r.in.space()
			if !r.node(&r.quad.Subject, "name of a graph") {
				return false
			}
			if r.in.space() != '{' {
				return r.fail("expected { after the name of a graph")
			}
			r.in.pos++
			r.openGraph(r.quad.Subject)
			return true
		case "PREFIX":
			return r.definePrefix()
		case "BASE":
			return r.defineBase()
		}
	}
	return r.fail("expected a subject")
}

// predicate reads a predicate.
func (r *Reader) predicate() bool {
	p := &r.quad.Predicate
	switch c := r.in.space(); c {
	case '<':
		if !r.iri(p) {
			return false
		}
	case '[', '(':
		return r.fail(anonymous)
	default:
		if !r.prefix() {
			return false
		}
		if len(r.name) == 1 && r.name[0] == 'a' && r.in.peek(0) != ':' {
			p.Kind, p.Value = IRI, append(p.Value[:0], rdfType...)
		} else if r.in.peek(0) != ':' {
			return r.fail("expected a predicate")
		} else if !r.local(p) {
			return false
		}
	}
	r.state = afterPredicate
	return true
}

// separator reads a comma, a semicolon with the next predicate, or the end of the
// statement: one of these follows an object.
func (r *Reader) separator() bool {
	c := r.in.space()
	if c == ',' {
		r.in.pos++
		r.state = afterPredicate
		return true
	}
	semicolon := c == ';'
	for c == ';' {
		r.in.pos++
		c = r.in.space()
	}
	switch {
	case c == '.':
		r.in.pos++
	case c == '}' && r.inGraph: // the last dot of a graph is optional
	case c == 0 && r.in.pos == r.in.end:
		return r.fail("the text ends inside a statement")
	case semicolon:
		return r.predicate()
	default:
		return r.fail("expected , ; or . after an object")
	}
	r.state = afterStatement
	return true
}

// nquad reads a line of N-Quads.
func (r *Reader) nquad() bool {
	q := &r.quad
	if r.in.space() == 0 {
		return r.finish()
	}
	if !r.unprefixed(&q.Subject, "subject") || r.in.space() != '<' && !r.fail("expected a predicate") || !r.iri(&q.Predicate) {
		return false
	}
	q.Object.Datatype, q.Object.Language = q.Object.Datatype[:0], q.Object.Language[:0]
	if r.in.space() == '"' {
		if !r.quoted(&q.Object) {
			return false
		}
	} else if !r.unprefixed(&q.Object, "object") {
		return false
	}
	q.Graph.Kind, q.Graph.Value = None, q.Graph.Value[:0]
	if r.in.space() != '.' && !r.unprefixed(&q.Graph, "name of a graph or .") {
		return false
	}
	if r.in.space() != '.' {
		return r.fail("expected . at the end of a line")
	}
	r.in.pos++
	return true
}

// unprefixed reads an IRI in brackets or a blank node.
func (r *Reader) unprefixed(t *Term, what string) bool {
	if c := r.in.space(); c != '<' && c != '_' {
		return r.fail("expected a " + what)
	}
	return r.node(t, what)
}

// directive reads the rest of @prefix or @base after the @, with the dot.
func (r *Reader) directive() bool {
	if !r.prefix() {
		return false
	}
	var ok bool
	switch string(r.name) {
	case "prefix":
		ok = r.definePrefix()
	case "base":
		ok = r.defineBase()
	default:
		return r.fail("expected prefix or base after @")
	}
	if ok && r.in.space() != '.' {
		return r.fail("expected . after a directive")
	}
	r.in.pos++
	return ok
}

// definePrefix reads `name: <iri>`.
func (r *Reader) definePrefix() bool {
	r.in.space()
	if !r.prefix() {
		return false
	}
	if r.in.peek(0) != ':' {
		return r.fail("expected a prefix and :")
	}
	name := string(r.name)
	if name != "" && !isLetter(name[0]) && name[0] < utf8.RuneSelf {
		return r.fail("a prefix must begin with a letter")
	}
	r.in.pos++
	var t Term
	if r.in.space() != '<' {
		return r.fail("expected the IRI of a prefix")
	}
	if !r.iri(&t) {
		return false
	}
	r.prefixes.define(name, t.Value)
	return true
}

// defineBase reads `<iri>`.
func (r *Reader) defineBase() bool {
	var t Term
	if r.in.space() != '<' {
		return r.fail("expected the IRI of a base")
	}
	if !r.iri(&t) {
		return false
	}
	r.base = t.Value
	return true
}

// OpenText opens the text of a stored file. The endings of the file's name decide the
// compression (.gz, .zst, or none) and the format (.nq, else TriG). The caller closes
// the text; OpenText does not close r.
func OpenText(r io.Reader, name string) (text io.ReadCloser, format Format, err error) {
	plain, gz := strings.CutSuffix(name, ".gz")
	plain, zst := strings.CutSuffix(plain, ".zst")
	if strings.HasSuffix(plain, ".nq") {
		format = NQuads
	}
	switch {
	case gz:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, format, err
		}
		return z, format, nil
	case zst:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, format, err
		}
		return z.IOReadCloser(), format, nil
	}
	return io.NopCloser(r), format, nil
}
