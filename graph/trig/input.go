package trig

import (
	"bytes"
	"io"
)

const inputSize = 256 << 10

// input is the bytes of a reader behind a window of fixed size, and where in
// the text the window stands. Terms of any length are copied out of it piece
// by piece, so it never grows.
type input struct {
	r        io.Reader
	buf      []byte
	pos, end int   // buf[pos:end] is not consumed
	err      error // of r; io.EOF at the end of the text

	// of the bytes that have left the window
	lines int // line feeds
	tail  int // bytes after the last line feed
}

func newInput(r io.Reader) input {
	return input{r: r, buf: make([]byte, inputSize)}
}

// fill drops what was consumed and reads more. It reports whether it read any.
func (in *input) fill() bool {
	if in.err != nil {
		return false
	}
	gone := in.buf[:in.pos]
	if n := bytes.Count(gone, newline); n > 0 {
		in.lines += n
		in.tail = len(gone) - 1 - bytes.LastIndexByte(gone, '\n')
	} else {
		in.tail += len(gone)
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

// need makes n bytes available, n far below the window's size, and reports
// whether there are as many.
func (in *input) need(n int) bool {
	for in.end-in.pos < n {
		if !in.fill() {
			return false
		}
	}
	return true
}

// peek returns the byte i places ahead, 0 past the end.
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

// space skips white space and comments and returns the byte after them, which
// is not consumed; 0 at the end of the text.
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

// mark skips the byte order mark that some programs begin a text with.
func (in *input) mark() {
	if in.need(3) && bytes.HasPrefix(in.buf[in.pos:in.end], []byte("\ufeff")) {
		in.pos += 3
	}
}

// comment skips up to the end of the line.
func (in *input) comment() {
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

// where returns the line and column of the next byte.
func (in *input) where() (line, column int) {
	seen := in.buf[:in.pos]
	line = 1 + in.lines + bytes.Count(seen, newline)
	if i := bytes.LastIndexByte(seen, '\n'); i >= 0 {
		return line, len(seen) - i
	}
	return line, in.tail + len(seen) + 1
}
