package text

import (
	"encoding/binary"
	"unicode/utf8"
)

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isDigit(c) || isLetter(c) }

// countDigits returns the number of digits at the head of b.
func countDigits(b []byte) int {
	for i, c := range b {
		if !isDigit(c) {
			return i
		}
	}
	return len(b)
}

// areDigits reports whether b is a number of digits, at least one.
func areDigits(b []byte) bool { return len(b) > 0 && countDigits(b) == len(b) }

func areLetters(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) {
			return false
		}
	}
	return true
}

// The classes of bytes.
const (
	classDigit = 1 << iota
	classUpper
	classLower
	classHex     // also of classDigit, classUpper or classLower
	classPlus    // + and /
	classDense   // punctuation that minified code is full of
	classVisible // ASCII without blanks and controls

	classBase64 = classDigit | classUpper | classLower | classPlus
	classAlnum  = classDigit | classUpper | classLower
)

// byteClasses holds the classes of each byte: a lookup costs less than comparisons (BenchmarkCleanDump).
var byteClasses = func() (t [256]uint8) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = classDigit | classHex
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = classLower, classUpper
	}
	for c := byte('a'); c <= 'f'; c++ {
		t[c] |= classHex
		t[c-'a'+'A'] |= classHex
	}
	t['+'], t['/'] = classPlus, classPlus
	for _, c := range []byte(";{}(),:=\"'[]") {
		t[c] |= classDense
	}
	for c := byte('!'); c <= '~'; c++ {
		t[c] |= classVisible
	}
	return t
}()

// The kinds of characters that clean text does not copy.
const (
	dropped = iota // a control or an invisible character
	blank          // white space in a line
	lineEnd        // white space that ends a line
)

// special returns the kind and the length of the white space, or of the dropped character, at the head of b. The length of
// any other character is 0. Zero-width joiners stay: emoji and some scripts need them.
func special(b []byte) (kind, size int) {
	switch c := b[0]; {
	case c == '\n':
		return lineEnd, 1
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		return blank, 1
	case c < ' ' || c == 0x7F:
		return dropped, 1
	case c == 0xC2 && len(b) > 1 && b[1] == 0xA0: // no-break space
		return blank, 2
	case c == 0xC2 && len(b) > 1 && (b[1] < 0xA0 || b[1] == 0xAD): // C1 controls, soft hyphen
		return dropped, 2
	case c == 0xE2 && len(b) > 2 && b[1] == 0x80: // U+2000 to U+203F
		switch c := b[2]; {
		case c <= 0x8A || c == 0xAF: // spaces of all widths
			return blank, 3
		case c == 0x8B || c == 0x8E || c == 0x8F || c >= 0xAA && c <= 0xAE: // zero-width space, directions
			return dropped, 3
		case c == 0xA8 || c == 0xA9: // line and paragraph separators
			return lineEnd, 3
		}
	case c == 0xEF && len(b) > 2 && b[1] == 0xBB && b[2] == 0xBF: // byte order mark
		return dropped, 3
	}
	return dropped, 0
}

// startsSpecial marks the first bytes of the characters that special finds.
var startsSpecial = func() (t [256]bool) {
	for c := range ' ' + 1 {
		t[c] = true
	}
	t[0x7F], t[0xC2], t[0xE2], t[0xEF] = true, true, true, true
	return t
}()

// isSpecial reports whether special finds the character at the head of b, whose first byte startsSpecial marks.
func isSpecial(b []byte) bool {
	if b[0] < utf8.RuneSelf {
		return true
	}
	_, size := special(b)
	return size > 0
}

// plainText returns how many bytes at the head of prose are copied unchanged, which includes a single blank between two
// plain characters. It tests eight bytes at a time (BenchmarkClean).
func plainText(b []byte) int {
	for i := 0; i < len(b); {
		for i+8 <= len(b) {
			w := wordAt(b[i:])
			blanks := bytesEqual(w, ' ')
			if bytesNotPrinted(w) != 0 || blanks&(blanks>>8) != 0 || i == 0 && blanks&0x80 != 0 {
				break
			}
			i += 8 - int(blanks>>63) // another blank may follow one at the end
		}
		for end := min(i+8, len(b)); i < end; i++ {
			if startsSpecial[b[i]] && !(b[i] == ' ' && i > 0 && i+1 < len(b) && !startsSpecial[b[i+1]]) && isSpecial(b[i:]) {
				return i
			}
		}
	}
	return len(b)
}

// plainCode returns how many bytes at the head of code are copied unchanged, which includes ASCII's white space without
// carriage returns. It tests eight bytes at a time (BenchmarkClean).
func plainCode(b []byte) int {
	for i := 0; i < len(b); {
		for i+8 <= len(b) {
			if w := wordAt(b[i:]); bytesNotPrinted(w)&^(bytesEqual(w, '\n')|bytesEqual(w, '\t')) != 0 {
				break
			}
			i += 8
		}
		for end := min(i+8, len(b)); i < end; i++ {
			if c := b[i]; startsSpecial[c] && c != ' ' && c != '\n' && c != '\t' && isSpecial(b[i:]) {
				return i
			}
		}
	}
	return len(b)
}

// tidyCode deletes control and invisible characters in place. White space stays as it is, in ASCII's characters.
func tidyCode(b []byte) []byte {
	n := plainCode(b)
	if n == len(b) {
		return b
	}
	out := b[:n]
	for b = b[n:]; len(b) > 0; b = b[n:] {
		kind, size := special(b)
		switch {
		case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		case kind == lineEnd || b[0] == '\r':
			out = append(out, '\n')
		case kind == blank:
			out = append(out, ' ')
		}
		b = b[size:]
		n = plainCode(b)
		out = append(out, b[:n]...)
	}
	return out
}

// Words of eight bytes are tested as integers: a result has the high bit of each byte set for which the test holds. No sum
// carries into the next byte, because the summands have seven bits a byte (Hacker's Delight, section 6-1).
const (
	ones  = 0x0101010101010101
	highs = ones << 7
)

func wordAt(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// bytesNotPrinted finds the bytes of w that are neither printed characters of ASCII nor blanks.
func bytesNotPrinted(w uint64) uint64 {
	low := w &^ highs
	controls, deletes := ^(low + (0x80-' ')*ones), low+ones
	return (controls | deletes | w) & highs
}

// bytesEqual finds the bytes of w that are c.
func bytesEqual(w uint64, c byte) uint64 {
	w ^= uint64(c) * ones
	return ^((w&^highs + 0x7F*ones) | w) & highs
}
