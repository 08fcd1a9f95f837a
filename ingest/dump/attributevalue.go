package dump

import (
	"bytes"
	"unicode/utf8"
)

// expand resolves the references of a value that is clean otherwise.
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

// repair resolves references and replaces literal white space by blanks, CR LF by
// one (XML 1.0, 3.3.3). It replaces each byte that is not UTF-8 by U+FFFD, and drops
// the characters that tables, graph or vectors cannot hold: U+0000, U+FFFE, U+FFFF
// and surrogates.
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
			// the LF is replaced by the blank
		case c == '\t' || c == '\n' || c == '\r':
			dst = append(dst, ' ')
		case c < 0x20:
			s.record.Illegal++
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

// character appends the multi-byte character that raw begins with and returns its
// length.
func (s *Scanner) character(dst, raw []byte) ([]byte, int) {
	r, n := utf8.DecodeRune(raw)
	switch {
	case r == utf8.RuneError && n == 1:
		s.record.Invalid++
		if len(raw) >= 3 && raw[0] == 0xED && raw[1]&0xE0 == 0xA0 && raw[2]&0xC0 == 0x80 {
			return dst, 3 // a surrogate, encoded as a character
		}
		return utf8.AppendRune(dst, utf8.RuneError), 1
	case r == 0xFFFE || r == 0xFFFF:
		s.record.Illegal++
		return dst, n
	}
	return append(dst, raw[:n]...), n
}

// reference appends the character of the reference that raw begins with and returns
// the reference's length. An "&" without a reference is kept and counted as
// illegal.
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
	s.record.Illegal++
	return append(dst, '&'), 1
}

// numbered appends the character of a numeric reference. Control characters that
// XML does not allow are kept, because the dump's publisher writes them so.
func (s *Scanner) numbered(dst []byte, r rune) []byte {
	if r >= 0x20 && r < 0xD800 || r == '\t' || r == '\n' || r == '\r' {
		return utf8.AppendRune(dst, r)
	}
	switch {
	case r == 0 || !utf8.ValidRune(r) || r == 0xFFFE || r == 0xFFFF:
		s.record.Illegal++
		return dst
	case r < 0x20:
		s.record.Illegal++
	}
	return utf8.AppendRune(dst, r)
}

// number parses a numeric reference, as &#10; or &#xA;, and returns its length, 0
// if raw begins with none. A number above those of Unicode is returned as
// utf8.MaxRune+1.
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
