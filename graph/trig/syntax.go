package trig

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// Format is a concrete syntax for quads.
type Format uint8

// The formats that a [Batch] writes and a [Reader] reads.
const (
	TriG   Format = iota // https://www.w3.org/TR/trig/
	NQuads               // https://www.w3.org/TR/n-quads/
)

// Prefix abbreviates the IRIs that begin with IRI to Name:rest.
type Prefix struct{ Name, IRI string }

// Frame is the constant text around the variable part of a term: a term is Open, the
// variable part, Close. For names with the prefix q, Open is `q:` and Close is empty;
// for dates they are `"` and `"^^xsd:dateTime`.
type Frame struct{ Open, Close string }

// Syntax spells terms in one format with one set of prefixes. A program spells each
// constant term once and copies the result into every triple.
type Syntax struct {
	format   Format
	prefixes []Prefix
}

// NewSyntax returns a syntax. The first prefix that fits abbreviates an IRI; N-Quads
// ignores prefixes. The name of a prefix must consist of ASCII letters, or be empty.
func NewSyntax(format Format, prefixes ...Prefix) *Syntax {
	if format == NQuads {
		prefixes = nil
	}
	return &Syntax{format: format, prefixes: prefixes}
}

// IRI spells an IRI as a subject, object or datatype: as a prefixed name where the part
// after a prefix needs no escapes, else in brackets.
func (s *Syntax) IRI(iri string) string {
	for _, p := range s.prefixes {
		if local, ok := strings.CutPrefix(iri, p.IRI); ok && plainLocal(local) {
			return p.Name + ":" + local
		}
	}
	return string(AppendIRI(nil, iri))
}

// Term spells a term of a [Reader] as a subject or object. It serves conversions, and
// literals with a language or a rare datatype.
func (s *Syntax) Term(t Term) string {
	switch t.Kind {
	case IRI:
		return s.IRI(string(t.Value))
	case Blank:
		return "_:" + string(t.Value)
	}
	text := string(AppendString(nil, t.Value))
	switch datatype := string(t.Datatype); {
	case len(t.Language) > 0:
		text += "@" + string(t.Language)
	case datatype != "" && datatype != xsdString:
		text += "^^" + s.IRI(datatype)
	}
	return text
}

// Predicate is a predicate as a [Syntax] spells it, and the number, from 0, of the
// counter of its triples; see [Batch.Tally].
type Predicate struct {
	Spelled string
	Tally   uint8
}

// Predicate spells an IRI as a predicate: rdf:type is `a` in TriG.
func (s *Syntax) Predicate(iri string) Predicate {
	if iri == rdfType && s.format == TriG {
		return Predicate{Spelled: "a"}
	}
	return Predicate{Spelled: s.IRI(iri)}
}

// NameFrame returns the frame of IRIs that consist of iri and ASCII letters and digits:
// of prefixed names where iri is a prefix.
func (s *Syntax) NameFrame(iri string) Frame {
	for _, p := range s.prefixes {
		if p.IRI == iri {
			return Frame{Open: p.Name + ":"}
		}
	}
	return IRIFrame(iri)
}

// IRIFrame returns the frame of IRIs in brackets that begin with iri. It serves endings
// that a prefixed name cannot have. The variable part must be free of the characters
// that [AppendIRI] encodes.
func IRIFrame(iri string) Frame {
	b := AppendIRI(nil, iri)
	return Frame{Open: string(b[:len(b)-1]), Close: ">"}
}

// LiteralFrame returns the frame of literals of a datatype whose lexical forms need no
// escapes, as numbers and dates. In TriG integers are bare numbers.
func (s *Syntax) LiteralFrame(iri string) Frame {
	if iri == xsdInteger && s.format == TriG {
		return Frame{}
	}
	return Frame{Open: `"`, Close: `"^^` + s.IRI(iri)}
}

// appendHeader appends the prefix declarations of a file.
func (s *Syntax) appendHeader(dst []byte) []byte {
	for _, p := range s.prefixes {
		dst = append(dst, "@prefix "...)
		dst = append(dst, p.Name...)
		dst = append(dst, ": "...)
		dst = AppendIRI(dst, p.IRI)
		dst = append(dst, " .\n"...)
	}
	return dst
}

// plainLocal reports whether a local name needs no escapes in any parser. Its characters
// are a subset of the grammar's PN_LOCAL.
func plainLocal(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

const hexDigits = "0123456789ABCDEF"

// AppendIRI appends an IRI in brackets. It percent-encodes characters that no IRI
// contains (controls, space, <>"{}|^`\), as RFC 3987 does in section 3.1: readers
// refuse them, escaped or not.
func AppendIRI[T []byte | string](dst []byte, iri T) []byte {
	dst = append(dst, '<')
	for i := range len(iri) {
		switch c := iri[i]; {
		case c <= ' ', c == '<', c == '>', c == '"', c == '{', c == '}', c == '|', c == '^', c == '`', c == '\\':
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '>')
}

// AppendString appends a literal of type xsd:string in double quotes. It escapes
// \\ \" \n \r \t, and other controls and DEL as \uXXXX; other characters stay. The text
// must be valid UTF-8; AppendString does not check it.
func AppendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for {
		n := cleanPrefix(text)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, text[n])
		text = text[n+1:]
	}
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(dst, '\\', 'n')
	case '"', '\\':
		return append(dst, '\\', c)
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// cleanPrefix returns the length of the longest prefix that needs no escape. It tests
// eight bytes at a time (BenchmarkWriter): the lowest set bit of marks is that of the
// first byte that is a control, DEL, quote or backslash. A subtraction borrows into
// higher bytes only, so higher bits may be wrong.
// https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
func cleanPrefix(text []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, back, del := x^ones*'"', x^ones*'\\', x^ones*0x7f
		marks := (x-ones*' ')&^x | (quote-ones)&^quote | (back-ones)&^back | (del-ones)&^del
		if marks &= highs; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			return i
		}
	}
	return i
}
