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

// A textReader converts a document in UTF-8 or UTF-16 to UTF-8. It detects the
// encoding by the first bytes: a byte order mark, which it removes in UTF-16, or the
// "<" that a document begins with. The XML declaration is no evidence: tools that
// convert documents do not change it.
//
// It converts half of a surrogate pair to three bytes that are invalid UTF-8, as
// Record.Invalid requires.
type textReader struct {
	r       io.Reader
	head    []byte // first bytes, read to detect the encoding
	started bool
	utf16   binary.ByteOrder // nil for UTF-8
	bom     bool

	raw   []byte // UTF-16 that is not converted yet
	buf   []byte // memory of raw
	out   []byte // converted, and not returned yet because the caller's buffer is small
	small [minConvert]byte
	eof   bool
}

const (
	rawSize    = 64 << 10
	minConvert = 64 // bytes of the smallest buffer that is converted into
)

var errUTF32 = errors.New("it is UTF-32")

func (t *textReader) Read(p []byte) (int, error) {
	if !t.started {
		if err := t.detect(); err != nil {
			return 0, err
		}
	}
	switch {
	case t.utf16 != nil && len(t.out) == 0 && len(p) >= minConvert:
		return t.convert(p)
	case t.utf16 != nil:
		if len(t.out) == 0 {
			n, err := t.convert(t.small[:])
			if err != nil {
				return 0, err
			}
			t.out = t.small[:n]
		}
		n := copy(p, t.out)
		t.out = t.out[n:]
		return n, nil
	case len(t.head) > 0:
		n := copy(p, t.head)
		t.head = t.head[n:]
		return n, nil
	}
	return t.r.Read(p)
}

// detect reads the first bytes and sets the encoding.
func (t *textReader) detect() error {
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

// convert converts at least one character of UTF-16 into p, which has minConvert
// bytes or more, or returns an error.
func (t *textReader) convert(p []byte) (int, error) {
	for {
		n, used := convertUTF16(p, t.raw, t.utf16)
		t.raw = t.raw[used:]
		switch {
		case n > 0:
			return n, nil
		case t.eof && len(t.raw) == 0:
			return 0, io.EOF
		case t.eof && len(t.raw) == 1:
			t.raw, p[0] = nil, 0xFF // half a unit is invalid UTF-8, too
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

// convertUTF16 converts the complete characters of src that fit into dst. It
// returns the bytes written and read. It converts eight ASCII characters at a time
// (BenchmarkTextReader).
func convertUTF16(dst, src []byte, order binary.ByteOrder) (n, used int) {
	// Four units, loaded in little endian, are ASCII if no bit of notASCII is set; their
	// low bytes are shift bits from the lowest.
	notASCII, shift := uint64(0xFF80FF80FF80FF80), 0
	if order == binary.BigEndian {
		notASCII, shift = 0x80FF80FF80FF80FF, 8
	}
	for {
		for len(src)-used >= 16 && len(dst)-n >= 8 {
			a, b := binary.LittleEndian.Uint64(src[used:]), binary.LittleEndian.Uint64(src[used+8:])
			if (a|b)&notASCII != 0 {
				break
			}
			binary.LittleEndian.PutUint64(dst[n:], lowBytes(a>>shift)|lowBytes(b>>shift)<<32)
			n, used = n+8, used+16
		}
		if len(src)-used < 2 || len(dst)-n < utf8.UTFMax {
			return n, used
		}
		wrote, read := convertCharacter(dst[n:], src[used:], order)
		if read == 0 {
			return n, used
		}
		n, used = n+wrote, used+read
	}
}

// lowBytes returns the low bytes of four units in the lower half of the result.
func lowBytes(w uint64) uint64 {
	w = (w | w>>8) & 0x0000FFFF0000FFFF
	return (w | w>>16) & 0xFFFFFFFF
}

// convertCharacter converts the first character of src. read is 0 if the character
// is incomplete.
func convertCharacter(dst, src []byte, order binary.ByteOrder) (wrote, read int) {
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

// encodeSurrogate encodes half of a pair as UTF-8 encodes a character.
func encodeSurrogate(dst []byte, u uint16) int {
	return copy(dst, []byte{0xE0 | byte(u>>12), 0x80 | byte(u>>6)&0x3F, 0x80 | byte(u)&0x3F})
}

var encodingName = regexp.MustCompile(`^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']`)

// declaredEncoding returns the encoding that the document's XML declaration names,
// "" if none, and whether it is read. It accepts the name of any Unicode encoding,
// since the bytes decide which it is, and ASCII as a part of UTF-8.
func declaredEncoding(doc []byte) (name string, accepted bool) {
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
