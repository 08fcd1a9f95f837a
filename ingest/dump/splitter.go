package dump

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"s2g/schema"
)

// A splitter splits a document into blocks of whole rows, and checks what is around
// the rows: the prolog, the root element and its end.
//
// Blocks end where a row begins. "<" cannot be in an attribute value, so "<row"
// begins a row unless it is in a comment. The splitter skips comments as the
// scanner does, so the rows do not depend on where blocks end.
type splitter struct {
	r       io.Reader
	c       ScanConfig
	carry   []byte // read, and not part of a block yet
	offset  int64  // of carry in the document
	started bool   // the start tag of the root element was read
	eof     bool   // r has ended
	ended   bool   // the end tag of the root element was read
}

// A block is the whole rows of a piece of a document.
type block struct {
	data   []byte
	offset int64 // of data in the document
	long   bool  // data is the beginning of one row, which is too long
}

const (
	maxProlog = 1 << 20 // bytes before the first row or after the last
	longHead  = 4 << 10 // bytes of a row that is too long that are kept: they contain its Id
)

func newSplitter(r io.Reader, c ScanConfig) *splitter {
	return &splitter{r: &textReader{r: r}, c: c}
}

// next returns the next block, in buf if it is large enough; io.EOF at the end of
// a complete document.
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
			buf, err = s.checkEnd(buf, cut+bytes.IndexByte(buf[cut:], '>')+1)
			return block{data: buf[:cut], offset: s.offset}, err
		case s.eof:
			return block{}, s.fault("it ends without </%s>", s.c.Root)
		case cut > 0:
			return s.cutBlock(buf, cut), nil
		case len(buf) > s.c.MaxRow+s.c.Block:
			return s.skipLongRow(buf)
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

// prolog reads what precedes the first row: the byte order mark, the XML
// declaration, comments, and the start tag of the root element. It returns the
// bytes after them. If the start tag is not in buf yet, it returns buf.
func (s *splitter) prolog(buf []byte) ([]byte, error) {
	rest := bytes.TrimPrefix(buf, []byte("\xEF\xBB\xBF"))
	if name, accepted := declaredEncoding(rest); !accepted {
		return nil, schema.Faultf(schema.FaultInput, "convert it: iconv -f "+name+" -t UTF-8", "read %s: its encoding is %s, which is not read", s.c.Name, name)
	}
	rest = skipMisc(rest)
	if len(rest) > 0 && rest[0] != '<' {
		if len(buf) < len("BOM") && !s.eof {
			return buf, nil // this may be the beginning of a byte order mark
		}
		return nil, s.fault("it is not XML: it begins with %.20q", rest)
	}
	if isHTML(rest) {
		return nil, s.fault("it is an HTML page, which servers send instead of a missing file")
	}
	if bytes.HasPrefix(rest, []byte("<!DOCTYPE")) {
		return nil, s.fault("it has a DOCTYPE, which no dump has")
	}
	end := bytes.IndexByte(rest, '>')
	if end < 0 || isMisc(rest, 0) {
		if s.eof || len(buf) >= maxProlog {
			return nil, s.fault("there is no root element <%s>", s.c.Root)
		}
		return buf, nil
	}
	tag, empty := strings.CutSuffix(strings.TrimSpace(string(rest[1:end])), "/")
	name := tag
	if i := strings.IndexAny(tag, " \t\r\n"); i >= 0 {
		name = tag[:i]
	}
	if name != s.c.Root {
		return nil, s.fault("its root element is <%.40s>, not <%s>", name, s.c.Root)
	}
	s.started = true
	n := len(buf) - len(rest) + end + 1
	s.offset += int64(n)
	buf = append(buf[:0], buf[n:]...)
	if empty {
		return s.checkEnd(buf, 0)
	}
	return buf, nil
}

// boundary returns the last position above 0 at which a block may end: the
// beginning of a row or of an incomplete comment; 0 if there is none. If the root's
// end tag is in buf, it returns the tag's position, and end is true.
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
			n, complete := miscLength(rest)
			if !complete {
				return i, false
			}
			i += n - 1
		case isEndTag(rest, s.c.Root):
			return i, true
		}
		i++
	}
}

// cutBlock returns buf up to n as a block and carries the rest.
func (s *splitter) cutBlock(buf []byte, n int) block {
	b := block{data: buf[:n], offset: s.offset}
	s.carry = append(s.carry[:0], buf[n:]...)
	s.offset += int64(n)
	return b
}

// checkEnd checks that only comments follow the root element, from buf[from] to the
// end of the document. It returns buf, to which it appends what it reads.
func (s *splitter) checkEnd(buf []byte, from int) ([]byte, error) {
	buf, err := s.fill(buf, len(buf)+maxProlog)
	if err != nil {
		return buf, err
	}
	if rest := skipMisc(buf[from:]); len(rest) > 0 || !s.eof {
		return buf, s.fault("there is more after the end of <%s>, from byte %d", s.c.Root, s.offset+int64(len(buf)-len(rest)))
	}
	s.ended = true
	return buf, nil
}

// skipLongRow returns a block with the beginning of the row in buf, which is too
// long, and skips to the next row or the root's end.
func (s *splitter) skipLongRow(buf []byte) (block, error) {
	if !isRow(buf) {
		return block{}, s.fault("no row in %d bytes from byte %d", len(buf), s.offset)
	}
	b := block{data: bytes.Clone(buf[:min(longHead, len(buf))]), offset: s.offset, long: true}
	for from := 1; ; from = 0 {
		for i := bytes.IndexByte(buf[from:], '<'); i >= 0; i = bytes.IndexByte(buf[from:], '<') {
			from += i
			if isRow(buf[from:]) || isEndTag(buf[from:], s.c.Root) {
				s.cutBlock(buf, from)
				return b, nil
			}
			from++
		}
		if s.eof {
			return block{}, s.fault("it ends without </%s>", s.c.Root)
		}
		const tag = 64 // bytes that are kept, since a tag may be half in buf
		drop := max(0, len(buf)-tag)
		s.offset += int64(drop)
		buf = append(buf[:0], buf[drop:]...)
		var err error
		if buf, err = s.fill(buf, s.c.Block+tag); err != nil {
			return block{}, err
		}
	}
}

// fault returns a fault of the input that names the document.
func (s *splitter) fault(format string, args ...any) error {
	return schema.Faultf(schema.FaultInput, damagedRemedy, "read %s: "+format, append([]any{s.c.Name}, args...)...)
}
