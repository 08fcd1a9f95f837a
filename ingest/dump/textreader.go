package dump

import (
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A textReader reads a document as UTF-8. Whether it is UTF-8 or UTF-16, and in
// which byte order, is seen from its first bytes: a byte order mark, which is
// left out where it is of UTF-16, or the "<" that a document begins with. What
// the XML declaration says is no help: tools that convert documents leave it.
//
// Half of a surrogate pair comes out as three bytes that are no UTF-8, as
// Record.Invalid expects it.
type textReader struct {
	r       io.Reader
	head    []byte // first bytes, read to see the encoding
	started bool
	utf16   utf16Order // nil if it is UTF-8
	bom     bool

	raw  []byte // of UTF-16, still to be converted
	buf  []byte // that raw is in
	out  []byte // converted, still to be given out, where the caller's buffer is small
	room [minRoom]byte
	eof  bool
}

const (
	rawSize = 64 << 10
	minRoom = 64 // bytes of the smallest buffer that is converted into
)

// A utf16Order is the byte order of UTF-16.
type utf16Order interface {
	binary.ByteOrder
	String() string
}

var errUTF32 = errors.New("it is UTF-32")

func (t *textReader) Read(p []byte) (int, error) {
	if !t.started {
		if err := t.start(); err != nil {
			return 0, err
		}
	}
	switch {
	case t.utf16 != nil:
		return t.convert(p)
	case len(t.head) > 0:
		n := copy(p, t.head)
		t.head = t.head[n:]
		return n, nil
	}
	return t.r.Read(p)
}

// start reads the first bytes and sees the encoding.
func (t *textReader) start() error {
	head := make([]byte, 4)
	n, err := io.ReadFull(t.r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	t.started = true
	if t.head = head[:n]; n < 2 {
		return nil
	}
	mark := string(head[:2])
	switch {
	case n == 4 && (string(head) == "\xFF\xFE\x00\x00" || string(head[:3]) == "\x00\x00\xFE" || string(head[1:]) == "\x00\x00\x00"):
		return errUTF32
	case mark == "\xFF\xFE":
		t.utf16, t.bom = binary.LittleEndian, true
	case mark == "\xFE\xFF":
		t.utf16, t.bom = binary.BigEndian, true
	case head[0] != 0 && head[1] == 0:
		t.utf16 = binary.LittleEndian
	case head[0] == 0 && head[1] != 0:
		t.utf16 = binary.BigEndian
	default:
		t.bom = n >= 3 && string(head[:3]) == "\xEF\xBB\xBF"
		return nil
	}
	if t.bom {
		t.head = t.head[2:]
	}
	t.buf = make([]byte, rawSize)
	t.raw = t.buf[:copy(t.buf, t.head)]
	return nil
}

// convert reads UTF-16.
func (t *textReader) convert(p []byte) (int, error) {
	if len(t.out) == 0 && len(p) < minRoom {
		n, err := t.fill(t.room[:])
		if err != nil {
			return 0, err
		}
		t.out = t.room[:n]
	}
	if len(t.out) > 0 {
		n := copy(p, t.out)
		t.out = t.out[n:]
		return n, nil
	}
	return t.fill(p)
}

// fill converts at least one character into p, which has minRoom bytes or more,
// or returns an error.
func (t *textReader) fill(p []byte) (int, error) {
	for {
		n, used := 0, 0
		if t.utf16 == binary.LittleEndian {
			n, used = fromUTF16LE(p, t.raw)
		} else {
			n, used = fromUTF16BE(p, t.raw)
		}
		t.raw = t.raw[used:]
		switch {
		case n > 0:
			return n, nil
		case t.eof && len(t.raw) == 0:
			return 0, io.EOF
		case t.eof && len(t.raw) == 1:
			t.raw, p[0] = nil, 0xFF // half a unit: no UTF-8 either
			return 1, nil
		case t.eof:
			n := encodeSurrogate(p, t.utf16.Uint16(t.raw))
			t.raw = t.raw[2:]
			return n, nil
		}
		left := copy(t.buf, t.raw)
		k, err := t.r.Read(t.buf[left:])
		t.raw = t.buf[:left+k]
		if t.eof = err == io.EOF; err != nil && !t.eof {
			return 0, err
		}
	}
}

// fromUTF16LE converts what is whole of src and has room in dst. It returns the
// bytes written and read.
func fromUTF16LE(dst, src []byte) (n, used int) {
	for {
		for len(src)-used >= 16 && len(dst)-n >= 8 {
			a, b := binary.LittleEndian.Uint64(src[used:]), binary.LittleEndian.Uint64(src[used+8:])
			if (a|b)&0xFF80FF80FF80FF80 != 0 {
				break
			}
			binary.LittleEndian.PutUint64(dst[n:], pack(a)|pack(b)<<32)
			n, used = n+8, used+16
		}
		if len(src)-used < 2 || len(dst)-n < utf8.UTFMax {
			return n, used
		}
		wrote, read := convertUnit(dst[n:], src[used:], binary.LittleEndian)
		if read == 0 {
			return n, used
		}
		n, used = n+wrote, used+read
	}
}

// fromUTF16BE is fromUTF16LE for the other byte order.
func fromUTF16BE(dst, src []byte) (n, used int) {
	for {
		for len(src)-used >= 16 && len(dst)-n >= 8 {
			a, b := binary.LittleEndian.Uint64(src[used:]), binary.LittleEndian.Uint64(src[used+8:])
			if (a|b)&0x80FF80FF80FF80FF != 0 {
				break
			}
			binary.LittleEndian.PutUint64(dst[n:], pack(a>>8)|pack(b>>8)<<32)
			n, used = n+8, used+16
		}
		if len(src)-used < 2 || len(dst)-n < utf8.UTFMax {
			return n, used
		}
		wrote, read := convertUnit(dst[n:], src[used:], binary.BigEndian)
		if read == 0 {
			return n, used
		}
		n, used = n+wrote, used+read
	}
}

// pack brings the low bytes of four units together.
func pack(w uint64) uint64 {
	w = (w | w>>8) & 0x0000FFFF0000FFFF
	return (w | w>>16) & 0xFFFFFFFF
}

// convertUnit converts the character that src begins with; read is 0 if it is
// not whole.
func convertUnit(dst, src []byte, order binary.ByteOrder) (wrote, read int) {
	u := order.Uint16(src)
	if !utf16.IsSurrogate(rune(u)) {
		return utf8.EncodeRune(dst, rune(u)), 2
	}
	if u < 0xDC00 { // the first of a pair
		if len(src) < 4 {
			return 0, 0
		}
		if r := utf16.DecodeRune(rune(u), rune(order.Uint16(src[2:]))); r != utf8.RuneError {
			return utf8.EncodeRune(dst, r), 4
		}
	}
	return encodeSurrogate(dst, u), 2
}

// encodeSurrogate encodes half of a pair as UTF-8 would a character.
func encodeSurrogate(dst []byte, u uint16) int {
	return copy(dst, []byte{0xE0 | byte(u>>12), 0x80 | byte(u>>6)&0x3F, 0x80 | byte(u)&0x3F})
}

var encodingName = regexp.MustCompile(`^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']`)

// declaredEncoding returns the encoding that the XML declaration names if the
// document begins with one, and whether that can be read. Any name of a Unicode
// encoding will do, since the bytes have told which it is; ASCII is UTF-8.
func declaredEncoding(doc []byte) (name string, fits bool) {
	m := encodingName.FindSubmatch(doc[:min(len(doc), 200)])
	if m == nil {
		return "", true
	}
	name = string(m[1])
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	return name, slices.Contains([]string{
		"utf8", "usascii", "ascii", "utf16", "utf16le", "utf16be", "ucs2", "iso10646ucs2", "unicode",
	}, plain)
}
