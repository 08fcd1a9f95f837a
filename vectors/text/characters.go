package text

// What special finds at the head of a text.
const (
	dropped = iota // a control or an invisible character
	blank          // white space in a line
	lineEnd        // white space that ends a line
)

// mark says which bytes may begin something that is not copied as it is.
var mark = func() (t [256]bool) {
	for c := range ' ' + 1 {
		t[c] = true
	}
	t[0x7F], t[0xC2], t[0xE2], t[0xEF] = true, true, true, true
	return t
}()

// plain returns how many bytes at the head of b are copied as they are.
func plain(b []byte) int {
	for i := 0; i < len(b); i++ {
		if mark[b[i]] {
			if b[i] >= 0x80 {
				if _, n := special(b[i:]); n == 0 {
					continue
				}
			}
			return i
		}
	}
	return len(b)
}

// plainText is plain for prose: a single blank between two plain characters is copied, too.
func plainText(b []byte) int {
	for i := 0; i < len(b); i++ {
		if !mark[b[i]] || b[i] == ' ' && i > 0 && i+1 < len(b) && !mark[b[i+1]] {
			continue
		}
		if b[i] >= 0x80 {
			if _, n := special(b[i:]); n == 0 {
				continue
			}
		}
		return i
	}
	return len(b)
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
