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
	Members []Member // the tables; they come in this order, but for those of archives in an archive
	Size    int64    // compressed bytes, this stream's share of the file
	Spool   int64    // bytes that it needs in Options.Tmp

	decoded int64        // decoded bytes of all members, where the archive lists them
	done    atomic.Int64 // compressed bytes read so far
	open    func(context.Context) (source, error)
}

// A Member is one table's document within a stream.
type Member struct {
	Table  string // as "Posts"
	Name   string // what messages call it: the file, or archive:member
	Size   int64  // decoded bytes, -1 if only the end of the stream tells
	Packed int64  // compressed bytes, about, -1 if only those of all members are known

	path   string // within an archive
	before int64  // decoded bytes of the archive's block before it
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
	return &Reader{ctx: ctx, src: src}, nil
}

// Each calls read for each member in turn, with a reader of its decoded bytes.
// read must read to io.EOF: only then the member is complete. Each returns the
// first error of read or of decoding.
func (s *Stream) Each(ctx context.Context, read func(m Member, r io.Reader) error) error {
	r, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := read(m, r); err != nil {
			return err
		}
	}
}

// A source is what a stream is read from.
type source interface {
	next() (Member, error) // goes on to the next member; io.EOF after the last
	io.Reader              // of the member; io.EOF where it ends and is whole
	io.Closer
}

// A Reader reads the members of a stream in turn: Next, Read until io.EOF,
// Next and so on. What it read is whole only once Read has returned io.EOF:
// size, checksum and the exit of a decoding program are checked then.
type Reader struct {
	ctx     context.Context
	src     source
	started bool
	cur     Member // being read
	err     error  // sticky; io.EOF at the end of cur
}

// Next goes on to the next member, of which the one before must have been read
// to its end. It returns io.EOF after the last.
func (r *Reader) Next() (Member, error) {
	switch {
	case r.started && r.err == nil:
		return Member{}, fmt.Errorf("read %s: next member before the end of this one", r.cur.Name)
	case r.started && r.err != io.EOF:
		return Member{}, r.err
	}
	m, err := r.src.next()
	if err == io.EOF {
		return Member{}, io.EOF
	}
	if err != nil {
		r.started, r.err = true, inputError(r.ctx, r.cur.Name, err)
		return Member{}, r.err
	}
	r.started, r.cur, r.err = true, m, nil
	return m, nil
}

// Read reads decoded bytes of the current member.
func (r *Reader) Read(p []byte) (int, error) {
	if !r.started {
		return 0, errors.New("read a dump's stream: Read before Next")
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.src.Read(p)
	if err != nil && err != io.EOF {
		err = inputError(r.ctx, r.cur.Name, err)
	}
	r.err = err
	return n, err
}

// Close ends decoding, early if need be. It has no error to report: what can
// fail at the end of a stream has been reported by Read.
func (r *Reader) Close() {
	r.started = true
	if r.err == nil || r.err == io.EOF {
		r.err = errors.New("read a dump's stream: closed")
	}
	_ = r.src.Close() // a decoder that is stopped in mid-stream complains
}

// A flatSource reads members that follow each other in one run of bytes.
type flatSource struct {
	src     io.ReadCloser // nil once it has been closed
	members []Member      // still to come
	cur     Member
	left    int64 // bytes of cur that are still to come, negative if unknown
	crc     uint32
}

func (f *flatSource) next() (Member, error) {
	if len(f.members) == 0 {
		return Member{}, io.EOF
	}
	f.cur, f.members = f.members[0], f.members[1:]
	f.left, f.crc = f.cur.Size, 0
	return f.cur, nil
}

func (f *flatSource) Read(p []byte) (int, error) {
	if f.left >= 0 && int64(len(p)) > f.left {
		p = p[:f.left]
	}
	n, err := 0, error(nil)
	if f.left != 0 {
		n, err = f.src.Read(p)
	}
	if f.left > 0 {
		f.left -= int64(n)
	}
	if f.cur.hasCRC {
		f.crc = crc32.Update(f.crc, crc32.IEEETable, p[:n])
	}
	if err != nil || f.left == 0 {
		err = f.end(err)
	}
	return n, err
}

// end is the error to report where a member's bytes end or fail.
func (f *flatSource) end(err error) error {
	if err != nil && err != io.EOF {
		return err
	}
	if f.left > 0 {
		return errors.Join(io.ErrUnexpectedEOF, f.Close())
	}
	if f.cur.hasCRC && f.crc != f.cur.crc {
		return errors.New("checksum (CRC) mismatch")
	}
	if len(f.members) == 0 {
		if err := f.drain(); err != nil {
			return err
		}
	}
	return io.EOF
}

// drain reads what stands behind the last member, which must be nothing, and
// closes the source, so that a failure at the very end is seen.
func (f *flatSource) drain() error {
	if n, err := io.Copy(io.Discard, f.src); err != nil {
		return err
	} else if n > 0 {
		return fmt.Errorf("%d bytes more than are listed", n)
	}
	return f.Close()
}

func (f *flatSource) Close() error {
	if f.src == nil {
		return nil
	}
	err := f.src.Close()
	f.src = nil
	return err
}

// inputError is a fault of the input that names the file, unless the read was
// stopped or the error is one already.
func inputError(ctx context.Context, name string, err error) error {
	var known *schema.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrPermission):
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
