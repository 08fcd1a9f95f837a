package trig

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Classes of bytes. Bytes of characters above ASCII are letters everywhere
// that the grammar has letters; the few that it excludes are let pass.
const (
	inIRI    = 1 << iota // stands for itself in <…>
	inName               // PN_CHARS: prefixes, labels
	inLocal              // PN_CHARS and : in a local name
	inEscape             // begins an escape in a local name: % and backslash
	isDigit              // 0-9
	inLong               // stands for itself between three quotes
)

var classes = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		digit := '0' <= c && c <= '9'
		if isLetter(c) || c >= utf8.RuneSelf || digit || c == '_' || c == '-' {
			t[i] |= inName | inLocal
		}
		if digit {
			t[i] |= isDigit
		}
		if c != '\\' && c != '"' && c != '\'' {
			t[i] |= inLong
		}
		switch c {
		case '<', '>', '"', '{', '}', '|', '^', '`':
		case '\\':
			t[i] |= inEscape
		case '%':
			t[i] |= inEscape | inIRI
		case ':':
			t[i] |= inLocal | inIRI
		default:
			if c > ' ' {
				t[i] |= inIRI
			}
		}
	}
	return t
}()

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// run appends the bytes of a class that come next.
func (in *input) run(dst []byte, class uint8) []byte {
	for {
		i, buf := in.pos, in.buf[:in.end]
		for i < len(buf) && classes[buf[i]]&class != 0 {
			i++
		}
		dst = append(dst, buf[in.pos:i]...)
		in.pos = i
		if i < in.end || !in.fill() {
			return dst
		}
	}
}

// text appends the bytes that come next up to a quote, a backslash or the end of
// the line: what run does, eight bytes at a time.
func (in *input) text(dst []byte, quote byte) []byte {
	for {
		next := in.buf[in.pos:in.end]
		n := plain(next, quote)
		dst = append(dst, next[:n]...)
		in.pos += n
		if n < len(next) || !in.fill() {
			return dst
		}
	}
}

// plain is how many bytes come before the first quote, backslash or line end. The
// test for a zero byte in a word may wrongly mark bytes above a real one, so the
// lowest mark is the first: Warren, Hacker's Delight, section 6-1.
func plain(text []byte, quote byte) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	quotes := low * uint64(quote)
	i := 0
	for ; len(text)-i >= 8; i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		q, b, n, r := word^quotes, word^low*'\\', word^low*'\n', word^low*'\r'
		if found := ((q-low)&^q | (b-low)&^b | (n-low)&^n | (r-low)&^r) & high; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c == quote || c == '\\' || c == '\n' || c == '\r' {
			break
		}
	}
	return i
}

// dots appends the dots that come next if a byte of a class follows them:
// inside a name they are part of it, after it they end a statement.
func (in *input) dots(dst []byte, class uint8) (_ []byte, inside bool) {
	n := 0
	for in.peek(n) == '.' {
		n++
	}
	if n == 0 || classes[in.peek(n)]&class == 0 {
		return dst, false
	}
	dst = append(dst, in.buf[in.pos:in.pos+n]...)
	in.pos += n
	return dst, true
}

// dotted appends a name of a class with the dots inside it.
func (in *input) dotted(dst []byte, class uint8) []byte {
	for inside := true; inside; {
		dst = in.run(dst, class)
		dst, inside = in.dots(dst, class)
	}
	return dst
}

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

const anonymous = "anonymous blank nodes and collections are not read: give the node a label"

// prefix reads the part of a name before the colon, or a keyword, into r.name.
func (r *Reader) prefix() bool {
	// Most stand whole in the window, without dots.
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

// local reads the colon and the local part of a name whose prefix is r.name,
// and resolves it.
func (r *Reader) local(t *Term) bool {
	ns, ok := r.prefixes.find(r.name)
	if !ok {
		return r.fail("prefix " + string(r.name) + ": is not defined")
	}
	r.in.pos++
	v := append(t.Value[:0], ns...)
	// a hyphen cannot come first, and a dot there ends the statement
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

// localEscapes may follow a backslash in a local name (PN_LOCAL_ESC).
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

// valid checks that a term is UTF-8.
func (r *Reader) valid(v []byte) bool {
	return utf8.Valid(v) || r.fail("invalid UTF-8")
}
