package verify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"

	"s2g/vectors/shard"
)

// rewriter writes the rows of a Parquet file again, as builds do, and compares the bytes with those of the file.
// Rows determine the bytes. So it proves what the rows alone do not: statistics and indexes, by which other
// readers skip rows, the creator, and that there is nothing else in the file. It writes a file in less time than
// its vectors take to be made again.
type rewriter[T shard.Point | shard.Parent] struct {
	w    *shard.Writer[T]
	same sameBytes
}

// newRewriter returns a rewriter of a file. The files of earlier versions have other bytes; it returns nil for them.
func newRewriter[T shard.Point | shard.Parent](v *verifier, file *parquet.File) *rewriter[T] {
	if v.isOfEarlierVersion() {
		return nil
	}
	r := &rewriter[T]{same: sameBytes{file: file, first: -1}}
	r.w = shard.NewWriter[T](&r.same, v.encoding)
	return r
}

// add writes a row, unless the bytes differ already.
func (r *rewriter[T]) add(row T) {
	if r != nil && r.same.first < 0 {
		r.same.fail(r.w.Write(row))
	}
}

// end returns the first difference of the bytes.
func (r *rewriter[T]) end() string {
	if r == nil {
		return ""
	}
	if r.same.first < 0 {
		r.same.fail(r.w.Close())
	}
	if r.same.first < 0 && r.same.at != r.same.file.Size() {
		r.same.first = r.same.at
	}
	if r.same.first < 0 {
		return ""
	}
	return fmt.Sprintf("its rows make other bytes: %s differs at byte %d", partOfParquet(r.same.file, r.same.first), r.same.first)
}

// sameBytes compares what is written to it with the content of a file.
type sameBytes struct {
	file  *parquet.File
	at    int64 // bytes that were written
	first int64 // the first that differs; -1: none
	room  []byte
}

var errOtherBytes = errors.New("the bytes differ")

// Write returns an error from the first difference on.
func (s *sameBytes) Write(p []byte) (int, error) {
	if cap(s.room) < len(p) {
		s.room = make([]byte, len(p))
	}
	n, _ := s.file.ReadAt(s.room[:len(p)], s.at) // the file may be shorter
	for i := range p {
		if i >= n || p[i] != s.room[i] {
			s.first = s.at + int64(i)
			return 0, errOtherBytes
		}
	}
	s.at += int64(len(p))
	return len(p), nil
}

// fail records an error of the writer as a difference. sameBytes has recorded its own.
func (s *sameBytes) fail(err error) {
	if err != nil && s.first < 0 {
		s.first = s.at
	}
}

// partOfParquet names the part of a Parquet file that holds a byte.
func partOfParquet(file *parquet.File, at int64) string {
	var tail [8]byte // the length of the footer, and the mark of the format
	if _, err := file.ReadAt(tail[:], file.Size()-8); err != nil || at >= file.Size()-8-int64(binary.LittleEndian.Uint32(tail[:])) {
		return "its footer"
	}
	for _, group := range file.Metadata().RowGroups {
		for _, c := range group.Columns {
			begin := c.MetaData.DataPageOffset
			if first := c.MetaData.DictionaryPageOffset; first > 0 {
				begin = min(begin, first)
			}
			if at >= begin && at < begin+c.MetaData.TotalCompressedSize {
				return "its column " + strings.Join(c.MetaData.PathInSchema, ".")
			}
		}
	}
	return "an index of its pages"
}
