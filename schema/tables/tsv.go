package tables

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// null is a NULL in a line of TSV.
const null = `\N`

// AppendRow appends a row to a line of TSV, in the format that Load reads and
// without a line feed.
func AppendRow(dst []byte, row [][]byte) []byte {
	for i, value := range row {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if value == nil {
			dst = append(dst, null...)
		} else {
			dst = AppendText(dst, value)
		}
	}
	return dst
}

// AppendText appends a text to a line of TSV and escapes the bytes that LOAD DATA
// interprets: backslash, tab, line feed, carriage return and NUL. It copies eight
// bytes at a time (BenchmarkConvert in package ingest).
func AppendText(dst, v []byte) []byte {
	const (
		ones      = 0x0101010101010101
		high      = 0x8080808080808080
		control   = 0x0E0E0E0E0E0E0E0E // above CR
		backslash = 0x5C5C5C5C5C5C5C5C
	)
	dst = slices.Grow(dst, 2*len(v)+8)
	n := len(dst)
	to := dst[:cap(dst)]
	// Of eight bytes, those before the first that may need an escape are final; the
	// next copy overwrites the others.
	for len(v) >= 8 {
		w := binary.LittleEndian.Uint64(v)
		binary.LittleEndian.PutUint64(to[n:], w)
		x := w ^ backslash
		found := ((w-control)&^w | (x-ones)&^x) & high
		if found == 0 {
			n += 8
			v = v[8:]
			continue
		}
		plain := bits.TrailingZeros64(found) / 8
		n += plain
		n += copyEscaped(to[n:], v[plain])
		v = v[plain+1:]
	}
	for _, c := range v {
		n += copyEscaped(to[n:], c)
	}
	return to[:n]
}

// copyEscaped writes one byte, escaped if LOAD DATA interprets it, and returns how
// many bytes it wrote: 1 or 2.
func copyEscaped(to []byte, c byte) int {
	switch c {
	case '\\':
	case '\n':
		c = 'n'
	case '\t':
		c = 't'
	case '\r':
		c = 'r'
	case 0:
		c = '0'
	default:
		to[0] = c
		return 1
	}
	to[0], to[1] = '\\', c
	return 2
}
