package trig

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// node reads an IRI, a prefixed name or a blank node.
func (r *Reader) node(t *Term, what string) bool {
	switch r.in.peek(0) {
	case '<':
		return r.iri(t)
	case '_':
		return r.blank(t)
	}
	if !r.prefix() {
		return false
	}
	if r.in.peek(0) != ':' {
		return r.fail("expected a " + what)
	}
	return r.local(t)
}

// anonymous is the error at a construct that the reader refuses.
const anonymous = "anonymous blank nodes and collections are not read: give the node a label"

// prefix reads the part of a name before the colon, or a keyword, into r.name.
func (r *Reader) prefix() bool {
	// the common case: the name is whole in the window and has no dots
	i, buf := r.in.pos, r.in.buf[:r.in.end]
	for i < len(buf) && classes[buf[i]]&inName != 0 {
		i++
	}
	if i < len(buf) && buf[i] == ':' {
		r.name = append(r.name[:0], buf[r.in.pos:i]...)
		r.in.pos = i
		return true
	}
	r.name = r.in.dotted(r.name[:0], inName)
	c := r.in.peek(0)
	switch {
	case len(r.name) > 0 || c == ':':
		return true
	case c == '[' || c == '(':
		return r.fail(anonymous)
	case c == 0 && r.in.pos == r.in.end:
		return r.fail("unexpected end of the text")
	}
	return r.fail("unexpected character " + strconv.QuoteRune(rune(c)))
}

// local reads the colon and the local part of a name whose prefix is r.name, and
// resolves the name.
func (r *Reader) local(t *Term) bool {
	ns, ok := r.prefixes.find(r.name)
	if !ok {
		return r.fail("prefix " + string(r.name) + ": is not defined")
	}
	r.in.pos++
	v := append(t.Value[:0], ns...)
	// A name does not begin with a hyphen. A dot in front of it ends the statement.
	for more := r.in.peek(0) != '.' && r.in.peek(0) != '-'; more; {
		v = r.in.run(v, inLocal)
		switch r.in.peek(0) {
		case '.':
			v, more = r.in.dots(v, inLocal|inEscape)
		case '%':
			if hexDigit(r.in.peek(1)) < 0 || hexDigit(r.in.peek(2)) < 0 {
				return r.fail("two hex digits must follow % in a name")
			}
			v = append(v, r.in.buf[r.in.pos:r.in.pos+3]...)
			r.in.pos += 3
		case '\\':
			c := r.in.peek(1)
			if strings.IndexByte(localEscapes, c) < 0 {
				return r.fail("unknown escape in a name")
			}
			v = append(v, c)
			r.in.pos += 2
		default:
			more = false
		}
	}
	t.Kind, t.Value = IRI, v
	return r.valid(v[len(ns):])
}

// localEscapes are the characters after a backslash in a local name (PN_LOCAL_ESC).
const localEscapes = "_~.-!$&'()*+,;=/?#@%"

// blank reads the label of a blank node.
func (r *Reader) blank(t *Term) bool {
	if r.in.peek(1) != ':' {
		return r.fail("expected : after _")
	}
	r.in.pos += 2
	t.Kind, t.Value = Blank, t.Value[:0]
	if c := r.in.peek(0); c != '.' && c != '-' {
		t.Value = r.in.dotted(t.Value, inName)
	}
	if len(t.Value) == 0 {
		return r.fail("expected the label of a blank node after _:")
	}
	return r.valid(t.Value)
}

// iri reads an IRI in brackets.
func (r *Reader) iri(t *Term) bool {
	r.in.pos++
	v := t.Value[:0]
	for {
		v = r.in.run(v, inIRI)
		switch c := r.in.peek(0); {
		case c == '>':
			r.in.pos++
			t.Kind, t.Value = IRI, v
			if !absolute(v) && !r.resolve(t) {
				return false
			}
			return r.valid(t.Value)
		case c == '\\':
			n := len(v)
			var ok bool
			if v, ok = r.unicode(v); !ok {
				return false
			}
			if classes[v[n]]&inIRI == 0 {
				return r.fail("escape of a character that no IRI holds")
			}
		case c == 0 && r.in.pos == r.in.end:
			return r.fail("the text ends inside an IRI")
		default:
			return r.fail("character " + strconv.QuoteRune(rune(c)) + " in an IRI")
		}
	}
}

// unicode reads \uXXXX or \UXXXXXXXX.
func (r *Reader) unicode(v []byte) (_ []byte, ok bool) {
	digits := 4
	switch r.in.peek(1) {
	case 'u':
	case 'U':
		digits = 8
	default:
		return v, r.fail("unknown escape in an IRI")
	}
	code := 0
	for i := range digits {
		d := hexDigit(r.in.peek(2 + i))
		if d < 0 {
			return v, r.fail("hex digits are missing after \\u or \\U")
		}
		code = code<<4 | d
	}
	if !utf8.ValidRune(rune(code)) || code > utf8.MaxRune {
		return v, r.fail("escape that is no character")
	}
	r.in.pos += 2 + digits
	return utf8.AppendRune(v, rune(code)), true
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return int(c - 'A' + 10)
	}
	return -1
}

// valid fails where a term is not UTF-8.
func (r *Reader) valid(v []byte) bool {
	return utf8.Valid(v) || r.fail("invalid UTF-8")
}

// resolve replaces a relative IRI by the absolute one, with the current base.
func (r *Reader) resolve(t *Term) bool {
	if r.base == nil {
		return r.fail("relative IRI <" + string(t.Value) + "> without a base")
	}
	t.Value = append(t.Value[:0], resolveReference(string(r.base), string(t.Value))...)
	return true
}

// absolute reports whether an IRI begins with a scheme.
func absolute(iri []byte) bool {
	for i, c := range iri {
		switch {
		case c == ':':
			return i > 0
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

// resolveReference returns the absolute IRI of a reference, by RFC 3986, section 5.2. It
// decodes, encodes and normalizes nothing: IRIs are equal only if they are spelled the
// same.
func resolveReference(base, ref string) string {
	b, r := splitIRI(base), splitIRI(ref)
	target := parts{b.scheme, b.authority, b.path, r.query, r.fragment}
	switch {
	case r.scheme != "":
		return ref
	case r.authority != "":
		target.authority, target.path = r.authority, withoutDots(r.path)
	case r.path == "":
		if r.query == "" {
			target.query = b.query
		}
	case r.path[0] == '/':
		target.path = withoutDots(r.path)
	case b.authority != "" && b.path == "":
		target.path = withoutDots("/" + r.path)
	default:
		target.path = withoutDots(b.path[:strings.LastIndexByte(b.path, '/')+1] + r.path)
	}
	return target.scheme + target.authority + target.path + target.query + target.fragment
}

// parts are the parts of an IRI with their delimiters: "http:", "//host", "/path",
// "?query", "#fragment". So a part that is there is never empty.
type parts struct{ scheme, authority, path, query, fragment string }

// splitIRI splits an IRI as the regular expression of RFC 3986, appendix B.
func splitIRI(iri string) (p parts) {
	if i := strings.IndexByte(iri, '#'); i >= 0 {
		iri, p.fragment = iri[:i], iri[i:]
	}
	if i := strings.IndexByte(iri, '?'); i >= 0 {
		iri, p.query = iri[:i], iri[i:]
	}
	if i := strings.IndexAny(iri, ":/"); i > 0 && iri[i] == ':' {
		p.scheme, iri = iri[:i+1], iri[i+1:]
	}
	if strings.HasPrefix(iri, "//") {
		end := strings.IndexByte(iri[2:], '/')
		if end < 0 {
			end = len(iri) - 2
		}
		p.authority, iri = iri[:2+end], iri[2+end:]
	}
	p.path = iri
	return p
}

// withoutDots removes the segments . and .. from a path, by RFC 3986, section 5.2.4.
func withoutDots(path string) string {
	out := make([]byte, 0, len(path))
	up := func() { // drops the last segment
		for len(out) > 0 {
			last := out[len(out)-1]
			out = out[:len(out)-1]
			if last == '/' {
				return
			}
		}
	}
	for path != "" {
		switch {
		case strings.HasPrefix(path, "../"):
			path = path[3:]
		case strings.HasPrefix(path, "./"):
			path = path[2:]
		case strings.HasPrefix(path, "/./"):
			path = path[2:]
		case path == "/.":
			path = "/"
		case strings.HasPrefix(path, "/../"):
			path = path[3:]
			up()
		case path == "/..":
			path = "/"
			up()
		case path == ".", path == "..":
			path = ""
		default:
			end := strings.IndexByte(path[1:], '/') + 1
			if end == 0 {
				end = len(path)
			}
			out, path = append(out, path[:end]...), path[end:]
		}
	}
	return string(out)
}

// namespaces are the prefixes that a text defines. The reader looks one up for every
// name, so recent caches one prefix a hash, without the cost of a map (BenchmarkReader).
type namespaces struct {
	all    map[string][]byte // IRIs by prefix
	recent [32]namespace     // by a hash of the prefix
}

type namespace struct{ name, iri []byte }

func (n *namespaces) define(name string, iri []byte) {
	if n.all == nil {
		n.all = map[string][]byte{}
	}
	n.all[name] = iri
	n.recent = [32]namespace{}
}

func (n *namespaces) find(name []byte) (iri []byte, ok bool) {
	place := 0
	if len(name) > 0 {
		place = (int(name[0]) + 7*len(name)) % len(n.recent)
	}
	at := &n.recent[place]
	if at.iri != nil && string(at.name) == string(name) {
		return at.iri, true
	}
	if iri, ok = n.all[string(name)]; ok {
		at.name, at.iri = append(at.name[:0], name...), iri
	}
	return iri, ok
}
