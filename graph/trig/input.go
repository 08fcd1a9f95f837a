package trig

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"unicode/utf8"
)

// inputSize is the size of an input's window in bytes.
const inputSize = 256 << 10

// input reads a text through a window of fixed size, which moves forward. The reader
// copies terms of any length out of it piece by piece, so the window never grows.
type input struct {
	r        io.Reader
	buf      []byte
	pos, end int   // buf[pos:end] is not consumed
	err      error // of r; io.EOF at the end of the text

	lines    int // line feeds before the window
	tail     int // bytes between the last of them and the window
	comments int // that were skipped
}

// fill drops the consumed bytes and reads more. It reports whether it has read any.
func (in *input) fill() bool {
	if in.err != nil {
		return false
	}
	consumed := in.buf[:in.pos]
	if n := bytes.Count(consumed, newline); n > 0 {
		in.lines += n
		in.tail = len(consumed) - 1 - bytes.LastIndexByte(consumed, '\n')
	} else {
		in.tail += len(consumed)
	}
	in.end = copy(in.buf, in.buf[in.pos:in.end])
	in.pos = 0
	for range 100 {
		var n int
		n, in.err = in.r.Read(in.buf[in.end:])
		in.end += n
		if n > 0 || in.err != nil {
			return n > 0
		}
	}
	in.err = io.ErrNoProgress
	return false
}

var newline = []byte{'\n'}

// need reads until the window holds n bytes, and reports whether it does. n must be far
// below the window's size.
func (in *input) need(n int) bool {
	for in.end-in.pos < n {
		if !in.fill() {
			return false
		}
	}
	return true
}

// peek returns the byte i positions ahead, 0 past the end.
func (in *input) peek(i int) byte {
	if in.pos+i < in.end {
		return in.buf[in.pos+i]
	}
	return in.peekMore(i)
}

func (in *input) peekMore(i int) byte {
	if !in.need(i + 1) {
		return 0
	}
	return in.buf[in.pos+i]
}

// space skips white space and comments. It returns the byte after them without
// consuming it; 0 at the end of the text.
func (in *input) space() byte {
	for {
		for in.pos < in.end {
			switch c := in.buf[in.pos]; c {
			case ' ', '\t', '\n', '\r':
				in.pos++
			case '#':
				in.comment()
			default:
				return c
			}
		}
		if !in.fill() {
			return 0
		}
	}
}

// skipByteOrderMark skips the mark that some programs write at the start.
func (in *input) skipByteOrderMark() {
	if in.need(3) && bytes.HasPrefix(in.buf[in.pos:in.end], []byte("\ufeff")) {
		in.pos += 3
	}
}

// comment skips up to the end of the line.
func (in *input) comment() {
	in.comments++
	for {
		for ; in.pos < in.end; in.pos++ {
			if c := in.buf[in.pos]; c == '\n' || c == '\r' {
				return
			}
		}
		if !in.fill() {
			return
		}
	}
}

// position returns the line and column of the next byte.
func (in *input) position() (line, column int) {
	consumed := in.buf[:in.pos]
	line = 1 + in.lines + bytes.Count(consumed, newline)
	if i := bytes.LastIndexByte(consumed, '\n'); i >= 0 {
		return line, len(consumed) - i
	}
	return line, in.tail + len(consumed) + 1
}

// Classes of bytes. Bytes of characters above ASCII count as letters wherever the
// grammar has letters; the reader accepts the few that it excludes.
const (
	inIRI    = 1 << iota // literal in <…>
	inName               // PN_CHARS: prefixes, labels
	inLocal              // PN_CHARS and : in a local name
	inEscape             // begins an escape in a local name: % and backslash
	isDigit              // 0-9
	inLong               // literal between three quotes
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

// run consumes and appends the next bytes of a class.
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

// text consumes and appends the next bytes up to a quote, a backslash or the end of the
// line.
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

// plain returns the number of bytes before the first quote, backslash or line end. It
// tests eight bytes at a time (BenchmarkReader). The test for a zero byte in a word can
// wrongly mark bytes above a real one, so only the lowest mark counts (Warren, Hacker's
// Delight, section 6-1).
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

// dots consumes and appends the next dots if a byte of a class follows them. Dots inside
// a name are part of it; a dot after a name ends the statement.
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

// dotted consumes and appends a name of a class, with the dots inside it.
func (in *input) dotted(dst []byte, class uint8) []byte {
	for inside := true; inside; {
		dst = in.run(dst, class)
		dst, inside = in.dots(dst, class)
	}
	return dst
}
