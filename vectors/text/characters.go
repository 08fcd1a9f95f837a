package text

import (
	"encoding/binary"
	"unicode/utf8"
)

// What special finds at the head of a text.
const (
	dropped = iota // a control or an invisible character
	blank          // white space in a line
	lineEnd        // white space that ends a line
)

// mark says which bytes may begin something that is not copied as it is. (In code, blanks, tabs and line feeds are.)
var mark = func() (t [256]bool) {
	for c := range ' ' + 1 {
		t[c] = true
	}
	t[0x7F], t[0xC2], t[0xE2], t[0xEF] = true, true, true, true
	return t
}()

// plainText returns how many bytes at the head of b, which is prose, are copied as they are: a single blank between two
// plain characters is, too.
func plainText(b []byte) int {
	for i := 0; i < len(b); {
		for i+8 <= len(b) {
			w := word(b[i:])
			blanks := equal(w, ' ')
			if notPrinted(w) != 0 || blanks&(blanks>>8) != 0 || i == 0 && blanks&0x80 != 0 {
				break
			}
			i += 8 - int(blanks>>63) // a blank at the end may have another behind it
		}
		for end := min(i+8, len(b)); i < end; i++ {
			if mark[b[i]] && !(b[i] == ' ' && i > 0 && i+1 < len(b) && !mark[b[i+1]]) && isSpecial(b[i:]) {
				return i
			}
		}
	}
	return len(b)
}

// plainCode is plainText for code, where white space of ASCII is copied as it is, but for carriage returns.
func plainCode(b []byte) int {
	for i := 0; i < len(b); {
		for i+8 <= len(b) {
			if w := word(b[i:]); notPrinted(w)&^(equal(w, '\n')|equal(w, '\t')) != 0 {
				break
			}
			i += 8
		}
		for end := min(i+8, len(b)); i < end; i++ {
			if c := b[i]; mark[c] && c != ' ' && c != '\n' && c != '\t' && isSpecial(b[i:]) {
				return i
			}
		}
	}
	return len(b)
}

// isSpecial says whether a marked byte at the head of b is one that special takes.
func isSpecial(b []byte) bool {
	if b[0] < utf8.RuneSelf {
		return true
	}
	_, size := special(b)
	return size > 0
}

// Eight bytes are looked at at once, as the bytes of one integer: the answers have the high bit of each byte set for
// which they hold. The sums below cannot carry from a byte into the next, because the bytes have seven bits there.
// (Hacker's Delight, section 6-1, has the method.)
const (
	ones  = 0x0101010101010101
	highs = ones << 7
)

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// notPrinted finds the bytes of w that are no printed character of ASCII and no blank.
func notPrinted(w uint64) uint64 {
	low := w &^ highs
	controls, deletes := ^(low + (0x80-' ')*ones), low+ones
	return (controls | deletes | w) & highs
}

// equal finds the bytes of w that are c.
func equal(w uint64, c byte) uint64 {
	w ^= uint64(c) * ones
	return ^((w&^highs + 0x7F*ones) | w) & highs
}

// special says what stands at the head of b and how long it is: white space, or a character that is dropped.
// Its length is 0 for any other character. Zero-width joiners stay: emoji and some scripts need them.
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
	case c == 0xE2 && len(b) > 2 && b[1] == 0x80:
		return specialPunctuation(b[2])
	case c == 0xEF && len(b) > 2 && b[1] == 0xBB && b[2] == 0xBF: // byte order mark
		return dropped, 3
	}
	return dropped, 0
}

// specialPunctuation is special for U+2000 + c - 0x80.
func specialPunctuation(c byte) (kind, size int) {
	switch {
	case c <= 0x8A || c == 0xAF: // spaces of all widths
		return blank, 3
	case c == 0x8B || c == 0x8E || c == 0x8F || c >= 0xAA && c <= 0xAE: // zero-width space, directions
		return dropped, 3
	case c == 0xA8 || c == 0xA9: // line and paragraph separators
		return lineEnd, 3
	}
	return dropped, 0
}
