package dump

import (
	"bytes"
	"errors"
	"io"

	"s2g/schema"
)

// A splitter cuts a document into blocks that each hold whole rows, and checks
// what is around the rows: the prolog, the root element and its end.
//
// Blocks end where a row begins. "<" cannot stand in an attribute value, so
// "<row" begins a row unless it is within a comment; the splitter steps over
// comments as the scanner does, and both come to the same rows wherever the
// blocks are cut.
type splitter struct {
	r       io.Reader
	c       ScanConfig
	carry   []byte // read, and not yet given out
	offset  int64  // of carry in the document
	started bool   // the root element has been opened
	eof     bool   // r has ended
	ended   bool   // the root element has been closed
}

// A block is the whole rows of a piece of a document.
type block struct {
	data   []byte
	offset int64 // of data in the document
	long   bool  // its last row is over-long, and all but its beginning is left out
}

const (
	maxProlog = 1 << 20 // bytes before the first row or behind the last
	longHead  = 4 << 10 // bytes that are kept of an over-long row: its Id is in them
)

func newSplitter(r io.Reader, c ScanConfig) *splitter {
	return &splitter{r: &textReader{r: r}, c: c}
}

// next returns the next block, in buf if it is large enough, or io.EOF at the
// end of a document that is whole.
func (s *splitter) next(buf []byte) (block, error) {
	if s.ended {
		return block{}, io.EOF
	}
	buf = append(buf[:0], s.carry...)
	for size := s.c.Block; ; size = s.c.Block + 2*len(buf) {
		var err error
		if buf, err = s.fill(buf, size); err != nil {
			return block{}, err
		}
		if !s.started {
			if buf, err = s.prolog(buf); err != nil {
				return block{}, err
			}
			if s.ended {
				return block{}, io.EOF
			}
		}
		if !s.started {
			continue
		}
		cut, end := s.boundary(buf)
		switch {
		case end:
			return s.last(buf, cut)
		case s.eof:
			return block{}, s.fault("it ends without </%s>", s.c.Root)
		case cut > 0:
			return s.cut(buf, cut), nil
		case len(buf) > s.c.MaxRow+s.c.Block:
			return s.skipLong(buf)
		}
	}
}

// fill reads until buf has size bytes or the document ends.
func (s *splitter) fill(buf []byte, size int) ([]byte, error) {
	if cap(buf) < size {
		buf = append(make([]byte, 0, size+size/8), buf...)
	}
	for len(buf) < size && !s.eof {
		n, err := s.r.Read(buf[len(buf):size])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			s.eof = true
		} else if errors.Is(err, errUTF32) {
			return buf, schema.Faultf(schema.FaultInput, "convert it: iconv -f UTF-32 -t UTF-8", "read %s: %w, which is not read", s.c.Name, err)
		} else if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// boundary returns the last position above 0 at which a block may end: where a
// row begins, or a comment that is not whole; 0 if there is none. Or it returns
// the position of the root's end tag, and true.
func (s *splitter) boundary(buf []byte) (cut int, end bool) {
	for i := 0; ; {
		n := bytes.IndexByte(buf[i:], '<')
		if n < 0 {
			return cut, false
		}
		i += n
		switch rest := buf[i:]; {
		case isRow(rest):
			cut = i
		case isMisc(buf, i):
			n := miscEnd(rest)
			if n < 0 {
				return i, false
			}
			i += n - 1
		case isEndTag(rest, s.c.Root):
			return i, true
		}
		i++
	}
}

// cut gives out buf up to n and keeps the rest.
func (s *splitter) cut(buf []byte, n int) block {
	b := block{data: buf[:n], offset: s.offset}
	s.carry = append(s.carry[:0], buf[n:]...)
	s.offset += int64(n)
	return b
}

// last gives out the last block, which ends at the root's end tag.
func (s *splitter) last(buf []byte, end int) (block, error) {
	buf, err := s.end(buf, end+bytes.IndexByte(buf[end:], '>')+1)
	return block{data: buf[:end], offset: s.offset}, err
}

// end checks that nothing but comments stands from buf[from] on. It returns
// buf, which it reads more into.
func (s *splitter) end(buf []byte, from int) ([]byte, error) {
	buf, err := s.fill(buf, len(buf)+maxProlog)
	if err != nil {
		return buf, err
	}
	if rest := skipMisc(buf[from:]); len(rest) > 0 || !s.eof {
		return buf, s.fault("there is more behind the end of <%s>, from byte %d on", s.c.Root, s.offset+int64(len(buf)-len(rest)))
	}
	s.ended = true
	return buf, nil
}

// skipLong gives out the beginning of the over-long row that buf begins with,
// and reads on to the next row or the root's end.
func (s *splitter) skipLong(buf []byte) (block, error) {
	if !isRow(buf) {
		return block{}, s.fault("no row in %d bytes from byte %d on", len(buf), s.offset)
	}
	b := block{data: bytes.Clone(buf[:min(longHead, len(buf))]), offset: s.offset, long: true}
	for from := 1; ; from = 0 {
		for i := bytes.IndexByte(buf[from:], '<'); i >= 0; {
			from += i
			if isRow(buf[from:]) || isEndTag(buf[from:], s.c.Root) {
				s.cut(buf, from)
				return b, nil
			}
			from++
			i = bytes.IndexByte(buf[from:], '<')
		}
		if s.eof {
			return block{}, s.fault("it ends without </%s>", s.c.Root)
		}
		// A tag may be half in buf: keep as much as one has.
		drop := max(0, len(buf)-64)
		s.offset += int64(drop)
		buf = append(buf[:0], buf[drop:]...)
		var err error
		if buf, err = s.fill(buf, s.c.Block+64); err != nil {
			return block{}, err
		}
	}
}

// fault is a fault of the input that names the document.
func (s *splitter) fault(format string, args ...any) error {
	return schema.Faultf(schema.FaultInput, damaged, "read %s: "+format, append([]any{s.c.Name}, args...)...)
}
