package dump

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"s2g/schema"
)

// A Stream is one pass over a file of a dump. It yields one table, or all tables of
// a block of an archive: a block is only decoded from its start, so a stream for
// each of its tables would decode it once a table.
type Stream struct {
	File    File
	Members []Member // the tables in the order of the stream, except inside archives in an archive
	Size    int64    // compressed bytes: this stream's share of the file
	Spool   int64    // bytes that reading needs in Options.Tmp

	decoded int64        // decoded bytes of all members, where the archive lists them
	done    atomic.Int64 // compressed bytes read so far
	open    func(context.Context) (source, error)
}

// A Member is one table's document within a stream.
type Member struct {
	Table string // as "Posts"
	Name  string // for messages: the file, or archive:member
	Size  int64  // decoded bytes, or unknownSize, which is negative

	path   string // within an archive
	before int64  // decoded bytes of the archive's block before it
	crc    uint32
	hasCRC bool
}

// unknownSize is the size of a member that is known only at the end of its stream.
const unknownSize = -1

// Done returns how many of the stream's Size bytes have been read. It may be
// called while the stream is read.
func (s *Stream) Done() int64 { return min(s.done.Load(), s.Size) }

// indexOf returns the index of a table in Members, negative if it is not there.
func (s *Stream) indexOf(table string) int {
	return slices.IndexFunc(s.Members, func(m Member) bool { return m.Table == table })
}

// Each calls read for each member in turn, with a reader of its decoded bytes.
// read must read to io.EOF: only there are size, checksum and the exit of a
// decoding program checked. Each returns the first error of decoding or read; a
// file that was changed since Find is a service fault.
func (s *Stream) Each(ctx context.Context, read func(m Member, r io.Reader) error) error {
	err := s.each(ctx, read)
	if ctx.Err() == nil { // a file that changes looks damaged, too
		if changed := s.File.checkUnchanged(); changed != nil {
			return changed
		}
	}
	return err
}

// Suspect reports whether the file may have changed since it was found although it
// has the same size and time: a program can set the time back. A change of mode or
// name makes it suspect, too, so only its content decides.
func (s *Stream) Suspect() bool {
	if s.File.found == nil {
		return false
	}
	now, err := os.Stat(s.File.Path)
	if err != nil {
		return true
	}
	was, known := changeTime(s.File.found)
	is, _ := changeTime(now)
	return known && was != is
}

func (s *Stream) each(ctx context.Context, read func(m Member, r io.Reader) error) error {
	r, err := s.start(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		m, err := r.next()
		if err == io.EOF {
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

// start starts decoding. Cancelling ctx stops it.
func (s *Stream) start(ctx context.Context) (*memberReader, error) {
	s.done.Store(0)
	src, err := s.open(ctx)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), inputError(s.File.Name, err))
	}
	return &memberReader{interrupted: ctx.Err, src: src, err: io.EOF}, nil
}

// A source decodes the members of a stream.
type source interface {
	next() (Member, error) // advances to the next member; io.EOF after the last
	io.Reader              // of the member; io.EOF where it ends and is complete
	io.Closer
}

// A memberReader reads the members of a stream in turn: next, Read until io.EOF,
// next and so on. It checks that order, and turns the errors of its source into
// faults that name the member.
type memberReader struct {
	interrupted func() error // the error of the cancelled context, or nil
	src         source
	current     Member
	err         error // returned by Read; io.EOF at the end of current and before the first member
}

func (r *memberReader) next() (Member, error) {
	if r.err == nil {
		return Member{}, fmt.Errorf("read %s: the member was not read to its end", r.current.Name)
	}
	if r.err != io.EOF {
		return Member{}, r.err
	}
	m, err := r.src.next()
	if err == io.EOF {
		return Member{}, io.EOF
	}
	if err != nil {
		r.err = cmp.Or(r.interrupted(), inputError(r.current.Name, err))
		return Member{}, r.err
	}
	r.current, r.err = m, nil
	return m, nil
}

// Read reads decoded bytes of the current member.
func (r *memberReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.src.Read(p)
	if err != nil && err != io.EOF {
		err = cmp.Or(r.interrupted(), inputError(r.current.Name, err))
	}
	r.err = err
	return n, err
}

// Close stops decoding. It returns no error: Read reports what fails up to the end
// of a member.
func (r *memberReader) Close() {
	if r.err == nil || r.err == io.EOF {
		r.err = errors.New("read a dump's stream: closed")
	}
	_ = r.src.Close() // a decoder that is stopped early returns an error
}

// A flatSource reads members that follow each other in one run of bytes.
type flatSource struct {
	src     io.ReadCloser // nil once it is closed
	members []Member      // not read yet
	current Member
	left    int64 // bytes of current that are not read yet, negative if unknown
	crc     uint32
}

func (f *flatSource) next() (Member, error) {
	if len(f.members) == 0 {
		return Member{}, io.EOF
	}
	f.current, f.members = f.members[0], f.members[1:]
	f.left, f.crc = f.current.Size, 0
	return f.current, nil
}

func (f *flatSource) Read(p []byte) (int, error) {
	if f.left >= 0 && int64(len(p)) > f.left {
		p = p[:f.left]
	}
	var n int
	var err error
	if f.left != 0 {
		n, err = f.src.Read(p)
	}
	if f.left > 0 {
		f.left -= int64(n)
	}
	if f.current.hasCRC {
		f.crc = crc32.Update(f.crc, crc32.IEEETable, p[:n])
	}
	if err != nil || f.left == 0 {
		err = f.checkEnd(err)
	}
	return n, err
}

// checkEnd returns the error to report where a member's bytes end with err, or
// with its size: io.EOF if the member is complete. Behind the last member the
// source must end, too; closing it reports how a decoding program exited.
func (f *flatSource) checkEnd(err error) error {
	switch {
	case err != nil && err != io.EOF:
		return err
	case f.left > 0:
		return errors.Join(io.ErrUnexpectedEOF, f.Close())
	case f.current.hasCRC && f.crc != f.current.crc:
		return errors.New("checksum (CRC) mismatch")
	case len(f.members) > 0:
		return io.EOF
	}
	if n, err := io.Copy(io.Discard, f.src); err != nil {
		return err
	} else if n > 0 {
		return fmt.Errorf("%d bytes more than are listed", n)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return io.EOF
}

func (f *flatSource) Close() error {
	if f.src == nil {
		return nil
	}
	err := f.src.Close()
	f.src = nil
	return err
}

// damagedRemedy is the remedy of damaged files.
const damagedRemedy = "the file is damaged or truncated: fetch it again, or compare its size and checksum with the publisher's"

// inputError returns a fault of the input that names the file, unless err has a
// fault. Where a read can be cancelled, the error of its context precedes it.
func inputError(name string, err error) error {
	var known *schema.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrPermission):
		return schema.Faultf(schema.FaultUsage, "make the file readable for this user", "read %s: %w", name, err)
	}
	return schema.Faultf(schema.FaultInput, damagedRemedy, "read %s: %w", name, err)
}

// A countingReader counts the bytes that are read through it.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
