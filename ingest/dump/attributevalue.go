package dump

import (
	"bytes"
	"unicode/utf8"
)

// expand resolves the references of a value that needs nothing else.
func (s *Scanner) expand(raw []byte) []byte {
	start, dst := len(s.text), s.text
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			break
		}
		dst = append(dst, raw[:i]...)
		var n int
		dst, n = s.reference(dst, raw[i:])
		raw = raw[i+n:]
	}
	s.text = append(dst, raw...)
	return s.text[start:len(s.text):len(s.text)]
}

// repair resolves references, makes literal white space blanks (XML 1.0,
// 3.3.3; a CR LF is one), puts U+FFFD for each byte that is not UTF-8 and drops
// what no table, graph or vector could hold: U+0000, U+FFFE, U+FFFF and
// surrogates.
func (s *Scanner) repair(raw []byte) []byte {
	start, dst := len(s.text), s.text
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '&':
			var n int
			dst, n = s.reference(dst, raw[i:])
			i += n
			continue
		case c == '\r' && i+1 < len(raw) && raw[i+1] == '\n':
			// the LF becomes the blank
		case c == '\t' || c == '\n' || c == '\r':
			dst = append(dst, ' ')
		case c < 0x20:
			s.rec.Illegal++
			if c != 0 {
				dst = append(dst, c)
			}
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			var n int
			dst, n = s.character(dst, raw[i:])
			i += n
			continue
		}
		i++
	}
	s.text = dst
	return s.text[start:len(s.text):len(s.text)]
}

// character appends the character of several bytes that raw begins with, and
// returns how many.
func (s *Scanner) character(dst, raw []byte) ([]byte, int) {
	r, n := utf8.DecodeRune(raw)
	switch {
	case r == utf8.RuneError && n == 1:
		s.rec.Invalid++
		if len(raw) >= 3 && raw[0] == 0xED && raw[1]&0xE0 == 0xA0 && raw[2]&0xC0 == 0x80 {
			return dst, 3 // a surrogate, encoded as if it were a character
		}
		return utf8.AppendRune(dst, utf8.RuneError), 1
	case r == 0xFFFE || r == 0xFFFF:
		s.rec.Illegal++
		return dst, n
	}
	return append(dst, raw[:n]...), n
}

// reference appends what the reference that raw begins with stands for, and
// returns its length. An "&" that begins none is kept, and counted as illegal.
func (s *Scanner) reference(dst, raw []byte) ([]byte, int) {
	if len(raw) >= 4 {
		switch raw[1] {
		case 'l':
			if raw[2] == 't' && raw[3] == ';' {
				return append(dst, '<'), 4
			}
		case 'g':
			if raw[2] == 't' && raw[3] == ';' {
				return append(dst, '>'), 4
			}
		case '#':
			if len(raw) >= 5 && string(raw[2:5]) == "xA;" {
				return append(dst, '\n'), 5
			}
			if r, n := number(raw); n > 0 {
				return s.numbered(dst, r), n
			}
		case 'q':
			if len(raw) >= 6 && string(raw[2:6]) == "uot;" {
				return append(dst, '"'), 6
			}
		case 'a':
			if len(raw) >= 5 && string(raw[2:5]) == "mp;" {
				return append(dst, '&'), 5
			}
			if len(raw) >= 6 && string(raw[2:6]) == "pos;" {
				return append(dst, '\''), 6
			}
		}
	}
	s.rec.Illegal++
	return append(dst, '&'), 1
}

// numbered appends a character that was given by its number. Control characters
// that XML does not allow are kept: the dump's publisher writes them so.
func (s *Scanner) numbered(dst []byte, r rune) []byte {
	if r >= 0x20 && r < 0xD800 || r == '\t' || r == '\n' || r == '\r' {
		return utf8.AppendRune(dst, r)
	}
	switch {
	case r == 0 || !utf8.ValidRune(r) || r == 0xFFFE || r == 0xFFFF:
		s.rec.Illegal++
		return dst
	case r < 0x20:
		s.rec.Illegal++
	}
	return utf8.AppendRune(dst, r)
}

// number reads a numeric reference, as &#10; or &#xA;, and returns its length,
// 0 if it is none. Numbers above those of Unicode come out as one above.
func number(raw []byte) (r rune, n int) {
	i, base := 2, rune(10)
	if raw[i] == 'x' {
		i, base = 3, 16
	}
	first := i
	for ; i < len(raw); i++ {
		c, d := raw[i], rune(0)
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		case c == ';' && i > first:
			return r, i + 1
		default:
			return 0, 0
		}
		r = min(r*base+d, utf8.MaxRune+1)
	}
	return 0, 0
}
