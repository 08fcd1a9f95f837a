package dump

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sync/atomic"

	"s2g/schema"
)

// A Stream is one pass over a file of a dump that yields one table or, where an
// archive has packed several in one block, several: a block can only be
// decoded from its start, so a stream a table would decode it once a table.
type Stream struct {
	File    File
	Members []Member // the tables in the order in which they come
	Size    int64    // compressed bytes, this stream's share of the file

	decoded int64        // decoded bytes of all members, where the archive lists them
	done    atomic.Int64 // compressed bytes read so far
	open    func(context.Context) (io.ReadCloser, error)
}

// A Member is one table's document within a stream.
type Member struct {
	Table string // as "Posts"
	Name  string // what messages call it: the file, or archive:member
	Size  int64  // decoded bytes, -1 if only the end of the stream tells

	path   string // within an archive
	crc    uint32
	hasCRC bool
}

// Done returns how many of the stream's Size bytes have been read. It may be
// called while the stream is read.
func (s *Stream) Done() int64 { return min(s.done.Load(), s.Size) }

// Open starts decoding. Cancelling ctx ends it.
func (s *Stream) Open(ctx context.Context) (*Reader, error) {
	s.done.Store(0)
	src, err := s.open(ctx)
	if err != nil {
		return nil, inputError(ctx, s.File.Name, err)
	}
	return &Reader{ctx: ctx, stream: s, src: src}, nil
}

// A Reader reads the members of a stream in turn: Next, Read until io.EOF,
// Next and so on. What it read is whole only once Read has returned io.EOF:
// size, checksum and the exit of a decoding program are checked then.
type Reader struct {
	ctx    context.Context
	stream *Stream
	src    io.ReadCloser
	next   int    // index in Members of the one that Next starts
	cur    Member // being read
	left   int64  // bytes of cur that are still to come, negative if unknown
	crc    uint32
	err    error // sticky; io.EOF at the end of cur
}

// Next goes on to the next member, of which the one before must have been read
// to its end. It returns io.EOF after the last.
func (r *Reader) Next() (Member, error) {
	switch {
	case r.next > 0 && r.err == nil:
		return Member{}, fmt.Errorf("read %s: next member before the end of this one", r.cur.Name)
	case r.next > 0 && r.err != io.EOF:
		return Member{}, r.err
	case r.next == len(r.stream.Members):
		return Member{}, io.EOF
	}
	r.cur = r.stream.Members[r.next]
	r.next++
	r.left, r.crc, r.err = r.cur.Size, 0, nil
	return r.cur, nil
}

// Read reads decoded bytes of the current member.
func (r *Reader) Read(p []byte) (int, error) {
	if r.next == 0 {
		return 0, errors.New("read a dump's stream: Read before Next")
	}
	if r.err != nil {
		return 0, r.err
	}
	if r.left >= 0 && int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := 0, error(nil)
	if r.left != 0 {
		n, err = r.src.Read(p)
	}
	if r.left > 0 {
		r.left -= int64(n)
	}
	if r.cur.hasCRC {
		r.crc = crc32.Update(r.crc, crc32.IEEETable, p[:n])
	}
	if err != nil || r.left == 0 {
		r.err = r.end(err)
	}
	return n, r.err
}

// end is the error to report where a member's bytes end or fail.
func (r *Reader) end(err error) error {
	if err != nil && err != io.EOF {
		return inputError(r.ctx, r.cur.Name, err)
	}
	if r.left > 0 {
		return inputError(r.ctx, r.cur.Name, errors.Join(io.ErrUnexpectedEOF, r.close()))
	}
	if r.cur.hasCRC && r.crc != r.cur.crc {
		return inputError(r.ctx, r.cur.Name, errors.New("checksum (CRC) mismatch"))
	}
	if r.next == len(r.stream.Members) {
		if err := r.drain(); err != nil {
			return inputError(r.ctx, r.cur.Name, err)
		}
	}
	return io.EOF
}

// drain reads what stands behind the last member, which must be nothing, and
// closes the source, so that a failure at the very end is seen.
func (r *Reader) drain() error {
	if n, err := io.Copy(io.Discard, r.src); err != nil {
		return err
	} else if n > 0 {
		return fmt.Errorf("%d bytes more than the archive lists", n)
	}
	return r.close()
}

func (r *Reader) close() error {
	if r.src == nil {
		return nil
	}
	err := r.src.Close()
	r.src = nil
	return err
}

// Close ends decoding, early if need be. It has no error to report: what can
// fail at the end of a stream has been reported by Read.
func (r *Reader) Close() {
	if r.err == nil || r.err == io.EOF {
		r.err = errors.New("read a dump's stream: closed")
	}
	_ = r.close() // a decoder that is stopped in mid-stream complains
}

// inputError is a fault of the input that names the file, unless the read was
// stopped.
func inputError(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, fs.ErrPermission) {
		return schema.Faultf(schema.FaultUsage, "make the file readable for this user", "read %s: %w", name, err)
	}
	return schema.Faultf(schema.FaultInput, damaged, "read %s: %w", name, err)
}

// A countingReader counts what is read through it.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
