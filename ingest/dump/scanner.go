package dump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"
)

// A ScanConfig describes the document of one table.
type ScanConfig struct {
	Name    string   // of the document in errors: its file
	Root    string   // name of the root element, as "posts"
	Columns []string // attributes to read, the first being the row's Id
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

// A Class is a kind of damage to a row. It is the name under which such rows are
// counted and reported.
type Class string

// The classes that a scanner finds. A row of the first two has no values except,
// perhaps, its Id. The others are repaired, and counted by Record.Illegal and
// Record.Invalid.
const (
	Malformed        Class = "malformed"         // not a <row> element of attributes
	LongRow          Class = "long_row"          // longer than ScanConfig.MaxRow
	IllegalReference Class = "illegal_reference" // a character, literal or by reference, that XML does not allow
	InvalidUTF8      Class = "invalid_utf8"      // bytes that are not UTF-8, or half of a pair in UTF-16
)

// A Scanner reads the rows of one table's document in order. Its methods are used
// as those of a bufio.Scanner: Scan, Record, and Err at the end. It does not
// allocate per row.
type Scanner struct {
	c      ScanConfig
	blocks *splitter // nil for a scanner of single blocks
	buf    []byte    // for the next block
	data   []byte    // the block
	offset int64     // of data in the document
	long   bool      // the last row of data is too long
	pos    int       // in data, of what is scanned next
	lost   bool      // after a malformed row: text up to the next row belongs to it
	err    error

	heads  []string // Name=" of each column
	follow []int    // by column+1: the column that last followed it in a row
	text   []byte   // decoded values of the record
	record Record
}

// A Record is one row. It and its values are valid until the next Scan.
type Record struct {
	Class   Class // "" for a sound row; else only Value(0) may be set
	Offset  int64 // of the row in the decoded document, in UTF-8
	Illegal int   // illegal characters and references that were repaired
	Invalid int   // invalid UTF-8 and halves of UTF-16 pairs that were repaired

	values [][]byte
}

// Value returns the value of the i-th of ScanConfig.Columns, normalised as section
// 3.3.3 of XML 1.0 requires and with references resolved; nil if the row has no
// such attribute.
func (r *Record) Value(i int) []byte { return r.values[i] }

// NewScanner returns a scanner of the document that r yields.
func NewScanner(r io.Reader, c ScanConfig) *Scanner {
	c = c.withDefaults()
	s := newBlockScanner(c)
	s.blocks = newSplitter(r, c)
	return s
}

// newBlockScanner returns a scanner of the single blocks that are passed to reset.
func newBlockScanner(c ScanConfig) *Scanner {
	s := &Scanner{c: c, follow: make([]int, len(c.Columns)+1)}
	for i, name := range c.Columns {
		s.heads = append(s.heads, name+`="`)
		s.follow[i] = i
	}
	s.record.values = make([][]byte, len(c.Columns))
	return s
}

func (s *Scanner) reset(b block) {
	s.data, s.offset, s.long = b.data, b.offset, b.long
	s.pos, s.lost = 0, false
}

// Err returns the error that ended the scan; nil at the end of a complete document.
// Malformed rows are records, not errors.
func (s *Scanner) Err() error { return s.err }

// Record returns the row that Scan read.
func (s *Scanner) Record() *Record { return &s.record }

// Scan reads the next row. It returns false at the end of the document and after an
// error.
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
		default:
			if isMisc(s.data, s.pos) {
				if n, complete := miscLength(rest); complete {
					s.pos += n
					s.lost = false // as if a block began here
					continue
				}
			}
			s.pos++
			if !s.lost {
				s.beginRecord(s.pos - 1)
				s.setDamaged(Malformed)
				return true
			}
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

// beginRecord empties the record of the row at pos.
func (s *Scanner) beginRecord(pos int) {
	clear(s.record.values)
	s.record = Record{Offset: s.offset + int64(pos), values: s.record.values}
	s.text = s.text[:0]
}

// setDamaged sets the record's class and removes all values but the Id.
func (s *Scanner) setDamaged(c Class) {
	s.record.Class = c
	clear(s.record.values[1:])
	s.lost = true
}

// row reads the row that b begins with.
func (s *Scanner) row(b []byte) {
	s.beginRecord(s.pos)
	// The row ends before the next "<", which cannot be in a value.
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
		s.text = make([]byte, 0, room+room/4) // not grown within a row: the record's values refer to it
	}
	sound := s.attributes(b, dirty)
	switch {
	case long || len(b) > s.c.MaxRow:
		s.setDamaged(LongRow)
	case !sound:
		s.setDamaged(Malformed)
	}
}

// inspect reports whether a row is dirty: whether its values may need more than the
// resolving of references, because the row contains control characters, white space
// other than blanks, invalid UTF-8, U+FFFE or U+FFFF. The decoded values take at
// most room bytes. inspect reads eight bytes at a time (BenchmarkScan).
func inspect(row []byte) (dirty bool, room int) {
	const low, high = 0x2020202020202020, 0x8080808080808080
	var control, beyond uint64 // the high bits of bytes below 0x20, above 0x7F
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

// attributes reads the attributes of a row and reports whether the row is well
// formed. It compares each with the column that followed the same column in an
// earlier row, since rows list their attributes in one order (BenchmarkScan).
func (s *Scanner) attributes(row []byte, dirty bool) bool {
	p := len("<row")
	ref := -1 // position of the first "&" from p on, if not below p
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
		if s.record.values[column] != nil {
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
		s.record.values[column] = value
	}
}

// attribute reads an attribute's name, equals sign and opening quote at row[p]. It
// returns the column, negative for an attribute that is not read, and the position
// of the value.
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
