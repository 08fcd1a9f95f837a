package dump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"
)

// ScanConfig says what the document of one table looks like.
type ScanConfig struct {
	Name    string   // what errors call the document: its file
	Root    string   // name of the root element, as "posts"
	Columns []string // attributes to read, of which the first is the row's Id
	MaxRow  int      // bytes, in UTF-8, of the longest row that is read; 0 is 64 MiB
	Block   int      // bytes that are read and scanned at a time; 0 is 1 MiB
}

func (c ScanConfig) withDefaults() ScanConfig {
	if c.MaxRow <= 0 {
		c.MaxRow = 64 << 20
	}
	if c.Block <= 0 {
		c.Block = 1 << 20
	}
	return c
}

// Class is a kind of damage to a row, as it is counted and reported.
type Class string

// The classes that a scanner finds. A row of the first two has no values but,
// perhaps, its Id; the others are repaired and counted by Record.Illegal and
// Record.Invalid.
const (
	Malformed        Class = "malformed"         // not a <row> element of attributes
	LongRow          Class = "long_row"          // longer than ScanConfig.MaxRow
	IllegalReference Class = "illegal_reference" // a character, written as such or by reference, that XML does not allow
	InvalidUTF8      Class = "invalid_utf8"      // bytes that are not UTF-8, or half of a pair in UTF-16
)

// A Scanner reads the rows of one table's document in order, like a
// bufio.Scanner: Scan, Record, and Err in the end. It allocates nothing a row.
type Scanner struct {
	c      ScanConfig
	blocks *splitter // nil if it reads a single block
	buf    []byte    // to read the next block into
	data   []byte    // the block
	offset int64     // of data in the document
	long   bool      // the last row of data is over-long
	pos    int       // in data, of what is to be scanned next
	lost   bool      // behind a malformed row: what follows up to the next one belongs to it
	err    error

	heads  []string // Name=" of each column
	follow []int    // by column+1: the column that last followed it in a row
	text   []byte   // decoded values of the record
	rec    Record
}

// A Record is one row. It and its values are valid until the next Scan.
type Record struct {
	Class   Class // "" if the row is sound; else only Value(0) may be there
	Offset  int64 // of the row in the decoded document, in UTF-8
	Illegal int   // illegal characters and references that were repaired
	Invalid int   // invalid UTF-8 and halves of UTF-16 pairs that were repaired

	values [][]byte
}

// Value returns the value of the i-th of ScanConfig.Columns, normalised as section
// 3.3.3 of XML 1.0 says and with references resolved; nil if the row has no
// such attribute.
func (r *Record) Value(i int) []byte { return r.values[i] }

// NewScanner returns a scanner of the document that r yields.
func NewScanner(r io.Reader, c ScanConfig) *Scanner {
	c = c.withDefaults()
	s := newBlockScanner(c)
	s.blocks = newSplitter(r, c)
	return s
}

// newBlockScanner returns a scanner of single blocks, which reset gives it.
func newBlockScanner(c ScanConfig) *Scanner {
	s := &Scanner{c: c, follow: make([]int, len(c.Columns)+1)}
	for i, name := range c.Columns {
		s.heads = append(s.heads, name+`="`)
		s.follow[i] = i
	} // behind the last column comes the first: as good a guess as any
	s.rec.values = make([][]byte, len(c.Columns))
	return s
}

func (s *Scanner) reset(b block) {
	s.data, s.offset, s.long = b.data, b.offset, b.long
	s.pos, s.lost = 0, false
}

// Err returns the error that ended the scan, nil at the end of a document that
// is whole. Malformed rows are no errors but records.
func (s *Scanner) Err() error { return s.err }

// Record returns the row that Scan read.
func (s *Scanner) Record() *Record { return &s.rec }

// Scan reads the next row. It returns false at the end, or where nothing more
// can be read.
func (s *Scanner) Scan() bool {
	for {
		n := bytes.IndexByte(s.data[s.pos:], '<')
		if n < 0 {
			if !s.nextBlock() {
				return false
			}
			continue
		}
		s.pos += n
		switch rest := s.data[s.pos:]; {
		case isRow(rest):
			s.row(rest)
			return true
		case isEndTag(rest, "row"):
			s.pos += len("</row>")
		case isMisc(s.data, s.pos) && miscEnd(rest) > 0:
			s.pos += miscEnd(rest)
			s.lost = false // as it is if a block begins here
		case s.lost:
			s.pos++
		default:
			s.begin()
			s.malformed(Malformed)
			s.pos++
			return true
		}
	}
}

func (s *Scanner) nextBlock() bool {
	if s.blocks == nil || s.err != nil {
		return false
	}
	b, err := s.blocks.next(s.buf)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.err = err
		}
		s.data, s.pos = nil, 0
		return false
	}
	if !b.long {
		s.buf = b.data
	}
	s.reset(b)
	return true
}

// begin empties the record.
func (s *Scanner) begin() {
	clear(s.rec.values)
	s.rec = Record{Offset: s.offset + int64(s.pos), values: s.rec.values}
	s.text = s.text[:0]
}

// malformed keeps of the record no more than the Id.
func (s *Scanner) malformed(c Class) {
	s.rec.Class = c
	clear(s.rec.values[1:])
	s.lost = true
}

// row reads the row that b begins with.
func (s *Scanner) row(b []byte) {
	s.begin()
	// What stands up to the next "<" is the row: none may be in a value.
	long := false
	if n := bytes.IndexByte(b[1:], '<'); n >= 0 {
		b = b[:1+n]
	} else {
		long = s.long
	}
	s.pos += len(b)
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	s.lost = false
	dirty, room := inspect(b)
	if cap(s.text) < room {
		s.text = make([]byte, 0, room+room/4) // once a row: its values alias it
	}
	sound := s.attributes(b, dirty)
	switch {
	case long || len(b) > s.c.MaxRow:
		s.malformed(LongRow)
	case !sound:
		s.malformed(Malformed)
	}
}

// inspect looks at all bytes of a row at once. A row is dirty if it may hold
// something to normalise or repair in its values besides references: control
// characters, white space other than blanks, invalid UTF-8, U+FFFE and U+FFFF.
// Its decoded values take at most room bytes.
func inspect(row []byte) (dirty bool, room int) {
	const low, high = 0x2020202020202020, 0x8080808080808080
	var control, beyond uint64 // high bits of bytes that were below 0x20, above 0x7F
	b := row
	for len(b) >= 32 {
		w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
		beyond |= w0 | w1 | w2 | w3
		control |= (w0-low)&^w0 | (w1-low)&^w1 | (w2-low)&^w2 | (w3-low)&^w3
		b = b[32:]
	}
	for _, c := range b {
		w := uint64(c)
		beyond |= w
		control |= (w - 0x20) & ^w & 0x80
	}
	dirty, room = control&high != 0, len(row)
	if beyond&high != 0 {
		if !utf8.Valid(row) {
			return true, 3 * len(row) // each byte may become U+FFFD
		}
		// U+FFFE is EF BF BE, U+FFFF is EF BF BF.
		dirty = dirty || bytes.Contains(row, []byte("\xEF\xBF\xBE")) || bytes.Contains(row, []byte("\xEF\xBF\xBF"))
	}
	return dirty, room
}

// attributes reads the attributes of a row and reports whether it is well
// formed.
func (s *Scanner) attributes(row []byte, dirty bool) bool {
	p := len("<row")
	ref := -1 // position of the first "&" that is not before p
	before := 0
	for {
		for p < len(row) && isSpace(row[p]) {
			p++
		}
		if p == len(row) {
			return false
		}
		switch row[p] {
		case '>':
			return true
		case '/':
			return p+1 < len(row) && row[p+1] == '>'
		}
		quote := byte('"')
		column := s.follow[before]
		if head := s.heads[column]; len(row)-p > len(head) && string(row[p:p+len(head)]) == head {
			p += len(head)
		} else {
			var ok bool
			if column, quote, p, ok = s.attribute(row, p); !ok {
				return false
			}
		}
		n := bytes.IndexByte(row[p:], quote)
		if n < 0 {
			return false
		}
		value := row[p : p+n]
		start := p
		p += n + 1
		if column < 0 {
			continue
		}
		if s.rec.values[column] != nil {
			return false // XML allows an attribute once
		}
		s.follow[before] = column
		before = column + 1
		if ref < start {
			if ref = bytes.IndexByte(row[start:], '&'); ref < 0 {
				ref = len(row)
			} else {
				ref += start
			}
		}
		switch {
		case dirty:
			value = s.repair(value)
		case ref < start+n:
			value = s.expand(value)
		}
		s.rec.values[column] = value
	}
}

// attribute reads an attribute's name, equals sign and opening quote at row[p],
// and returns its column, negative for one that is not read, and the position
// of its value.
func (s *Scanner) attribute(row []byte, p int) (column int, quote byte, value int, ok bool) {
	start := p
	for p < len(row) && row[p] != '=' && !isSpace(row[p]) {
		if c := row[p]; c == '"' || c == '\'' || c == '>' || c == '/' {
			return 0, 0, 0, false
		}
		p++
	}
	name := row[start:p]
	for p < len(row) && isSpace(row[p]) {
		p++
	}
	if len(name) == 0 || p == len(row) || row[p] != '=' {
		return 0, 0, 0, false
	}
	for p++; p < len(row) && isSpace(row[p]); p++ {
	}
	if p == len(row) || row[p] != '"' && row[p] != '\'' {
		return 0, 0, 0, false
	}
	column = -1
	for i, c := range s.c.Columns {
		if c == string(name) {
			column = i
			break
		}
	}
	return column, row[p], p + 1, true
}
