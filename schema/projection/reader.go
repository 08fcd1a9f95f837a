package projection

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

// A reader reads the posts of a file in their order. It reads and does not map the file:
// a file that is cut while it is mapped kills the process.
type reader struct {
	header
	in   *bufio.Reader
	left int64 // bytes after the current block

	block []byte // buffer
	rest  []byte // of the current block
	before
	tags []string // by number, the first has 1
	read int64    // posts
	post Post
}

// newReader returns a reader of a whole file, which must have the key of a dump. It does
// not change the file's offset.
func newReader(f *os.File, key string) (*reader, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &reader{in: bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), 4*blockSize)}
	head := make([]byte, headerSize+len(key))
	if err := r.fill(head); err != nil {
		return nil, err
	}
	r.header, err = parseHeader(head, key, info.Size())
	r.left = r.size - int64(len(head))
	return r, err
}

// fill reads all of b. The end of the file is damage.
func (r *reader) fill(b []byte) error {
	_, err := io.ReadFull(r.in, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is cut", errDamaged)
	}
	return err
}

// next returns the next post, valid until the call after; nil after the last.
func (r *reader) next() (*Post, error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			if r.read != r.rows {
				return nil, fmt.Errorf("%w: it has %d posts, its header names %d", errDamaged, r.read, r.rows)
			}
			return nil, nil
		}
		if err := r.readBlock(); err != nil {
			return nil, err
		}
	}
	if !r.decode() {
		return nil, fmt.Errorf("%w: post %d", errDamaged, r.read)
	}
	r.read++
	return &r.post, nil
}

func (r *reader) readBlock() error {
	var head [8]byte
	if err := r.fill(head[:]); err != nil {
		return err
	}
	length, sum := int64(binary.LittleEndian.Uint32(head[:])), binary.LittleEndian.Uint32(head[4:])
	r.left -= int64(len(head)) + length
	if length == 0 || r.left < 0 {
		return fmt.Errorf("%w: a block has %d bytes", errDamaged, length)
	}
	r.block = slices.Grow(r.block[:0], int(length))[:length]
	if err := r.fill(r.block); err != nil {
		return err
	}
	if crc32.Checksum(r.block, castagnoli) != sum {
		return fmt.Errorf("%w: the checksum of a block after post %d differs", errDamaged, r.before.id)
	}
	r.rest, r.before = r.block, before{}
	return nil
}

// decode sets post to the next of the block. It reports whether the bytes have the form.
func (r *reader) decode() bool {
	ok := true
	unsigned := func() uint64 {
		v, n := binary.Uvarint(r.rest)
		if n <= 0 {
			ok = false
			return 0
		}
		r.rest = r.rest[n:]
		return v
	}
	signed := func() int64 {
		v := unsigned()
		return int64(v>>1) ^ -int64(v&1)
	}
	p := &r.post
	p.ID = r.before.id + int64(unsigned())
	kind := unsigned()
	p.Type, p.HasScore = int64(kind)>>flagBits, kind&hasScore != 0
	p.Created = r.before.created + signed()
	p.Score, p.Linked, p.Tags = 0, 0, p.Tags[:0]
	if p.HasScore {
		p.Score = int32(signed())
	}
	if kind&hasLink != 0 {
		p.Linked = p.ID + signed()
	}
	if kind&hasTags != 0 {
		p.Tags = append(p.Tags, '|')
		for n := unsigned(); n > 0 && ok; n-- {
			code := unsigned()
			switch {
			case code > uint64(len(r.tags)):
				return false
			case code > 0:
				p.Tags = append(p.Tags, r.tags[code-1]...)
			default:
				length := unsigned()
				if length > uint64(len(r.rest)) {
					return false
				}
				tag := r.rest[:length]
				r.rest = r.rest[length:]
				p.Tags = append(p.Tags, tag...)
				if length <= maxTagLength && len(r.tags) < maxTags {
					r.tags = append(r.tags, string(tag))
				}
			}
			p.Tags = append(p.Tags, '|')
		}
	}
	r.before = before{p.ID, p.Created}
	return ok
}
