package projection

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
)

const (
	magic   = "s2gposts"
	version = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the beginning of a file: magic, then version and length of the key in four
// bytes each, rows, last and size in eight bytes each, the key, and the CRC-32C of all
// that.
type header struct {
	rows int64
	last int64 // the highest id
	size int64 // of the file
	key  string
}

const headerSize = len(magic) + 2*4 + 3*8 + 4 // without the key

func (h *header) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint32(dst, version)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(h.key)))
	for _, n := range []int64{h.rows, h.last, h.size} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	dst = append(dst, h.key...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// parseHeader reads the header of a file of the given size, whose key must be key.
func parseHeader(b []byte, key string, size int64) (header, error) {
	h := header{key: key}
	if len(b) != headerSize+len(key) {
		return h, errDamaged
	}
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[i:])) }
	h.rows, h.last, h.size = at(16), at(24), at(32)
	if !bytes.Equal(h.append(nil), b) || h.size != size || h.rows < 0 {
		return h, errDamaged
	}
	return h, nil
}

// path returns the file of the tables of a dump's key. Another version of the format has
// other names.
func path(folder, key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", version, key))
	return filepath.Join(folder, fmt.Sprintf("posts-%x", sum[:8]))
}
