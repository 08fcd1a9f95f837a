package projection

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"

	"s2g/schema"
)

// A sequence is a file that is being written: posts in the order of their ids.
type sequence struct {
	file *os.File
	out  *bufio.Writer
	header

	block []byte
	before
	numbers map[string]uint64 // of tags
	codes   []byte            // of the tags of a post
}

// before is the post before in the same block.
type before struct{ id, created int64 }

// newSequence begins a file in folder.
func newSequence(folder, key string) (*sequence, error) {
	f, err := os.CreateTemp(folder, "posts-*.tmp")
	if err != nil {
		return nil, err
	}
	s := &sequence{file: f, out: bufio.NewWriterSize(f, 2*blockSize), header: header{key: key}, numbers: map[string]uint64{}}
	if err := s.write(s.header.append(nil)); err != nil { // room for the last
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

func (s *sequence) write(b []byte) error {
	n, err := s.out.Write(b)
	s.size += int64(n)
	return err
}

func (s *sequence) add(p *Post) error {
	kind := uint64(p.Type) << flagBits
	if p.HasScore {
		kind |= hasScore
	}
	if p.Linked != 0 {
		kind |= hasLink
	}
	tags := s.appendTags(p.Tags)
	if tags > 0 {
		kind |= hasTags
	}
	b := binary.AppendUvarint(s.block, uint64(p.ID)-uint64(s.before.id))
	b = binary.AppendUvarint(b, kind)
	b = binary.AppendVarint(b, p.Created-s.before.created)
	if p.HasScore {
		b = binary.AppendVarint(b, int64(p.Score))
	}
	if p.Linked != 0 {
		b = binary.AppendVarint(b, p.Linked-p.ID)
	}
	if tags > 0 {
		b = append(binary.AppendUvarint(b, tags), s.codes...)
	}
	s.block = b
	s.before = before{p.ID, p.Created}
	s.rows, s.last = s.rows+1, p.ID
	if len(b) < blockSize {
		return nil
	}
	return s.endBlock()
}

// appendTags sets codes to those of the tags of a list, and returns their number.
func (s *sequence) appendTags(list []byte) (n uint64) {
	s.codes = s.codes[:0]
	for tag := range schema.SplitTags(list) {
		n++
		if number, known := s.numbers[string(tag)]; known {
			s.codes = binary.AppendUvarint(s.codes, number)
			continue
		}
		s.codes = binary.AppendUvarint(append(s.codes, 0), uint64(len(tag)))
		s.codes = append(s.codes, tag...)
		if len(tag) <= maxTagLength && len(s.numbers) < maxTags {
			s.numbers[string(tag)] = uint64(len(s.numbers)) + 1
		}
	}
	return n
}

func (s *sequence) endBlock() error {
	if len(s.block) == 0 {
		return nil
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(s.block)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(s.block, castagnoli))
	err := s.write(head)
	if err == nil {
		err = s.write(s.block)
	}
	s.block, s.before = s.block[:0], before{}
	return err
}

// finish writes the last block and the header.
func (s *sequence) finish() error {
	err := s.endBlock()
	if err == nil {
		err = s.out.Flush()
	}
	if err == nil {
		_, err = s.file.WriteAt(s.header.append(nil), 0)
	}
	return err
}

func (s *sequence) remove() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
