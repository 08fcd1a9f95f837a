package trig

import (
	"encoding/binary"
	"math/bits"
)

const hexDigits = "0123456789ABCDEF"

// AppendIRI appends an IRI in brackets. Characters that no IRI holds (controls,
// space, <>"{}|^`\) are percent-encoded, as RFC 3987 does in section 3.1: readers
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

// AppendString appends a literal of type xsd:string in double quotes: \\ \"
// \n \r \t, other controls and DEL as \uXXXX, all else as it is. The text
// must be valid UTF-8; it is not checked.
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
	return appendCode(dst, c)
}

func appendCode(dst []byte, c byte) []byte {
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// cleanPrefix returns the length of the longest prefix that needs no escape.
// It looks at eight bytes at a time: in marks, the lowest set bit is that of
// the first byte that is a control, DEL, quote or backslash (a subtraction
// borrows into higher bytes only, so bits above the first may be wrong).
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
