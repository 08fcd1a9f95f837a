package ingest

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// A sorter sorts lines by Id in bounded memory; lines of one Id keep the order
// in which they were added. What does not fit in memory is sorted and written
// out as a run, and all runs are merged in the end.
//
// A run is its lines one after the other, each with its Id as a varint and its
// length as an unsigned varint before it.
type sorter struct {
	limit int // bytes of memory; 0 is sortMemory
	rows  int64

	text  []byte
	lines []lateLine
	spool spool
	runs  []int64 // where they end in the spool
}

// A lateLine is a line of a sorter's text.
type lateLine struct {
	id     int64
	at     int // in text; also tells which of two lines came first
	length int
}

const (
	sortMemory   = 32 << 20
	lateLineSize = 24
)

func (s *sorter) close() { s.spool.close() }

// add takes a copy of a line.
func (s *sorter) add(id int64, line []byte) error {
	limit := cmp.Or(s.limit, sortMemory)
	if len(s.lines) > 0 && len(s.text)+len(line)+(len(s.lines)+1)*lateLineSize > limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if s.text == nil {
		s.text = make([]byte, 0, limit) // pages that are not reached cost nothing; growing would, for a time, three times as much
	}
	s.lines = append(s.lines, lateLine{id, len(s.text), len(line)})
	s.text = append(s.text, line...)
	s.rows++
	return nil
}

func (s *sorter) sort() {
	slices.SortFunc(s.lines, func(a, b lateLine) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at)) })
}

// spill writes what is in memory as a run.
func (s *sorter) spill() error {
	s.sort()
	for _, l := range s.lines {
		var head [2 * binary.MaxVarintLen64]byte
		n := binary.PutVarint(head[:], l.id)
		n += binary.PutUvarint(head[n:], uint64(l.length))
		if _, err := s.spool.Write(head[:n]); err != nil {
			return err
		}
		if _, err := s.spool.Write(s.text[l.at : l.at+l.length]); err != nil {
			return err
		}
	}
	s.runs = append(s.runs, s.spool.size)
	s.text, s.lines = s.text[:0], s.lines[:0]
	return nil
}

// merge ends the adding and returns all lines in order.
func (s *sorter) merge() (*merger, error) {
	s.sort()
	m := &merger{}
	from := int64(0)
	for i, to := range s.runs {
		r, err := s.spool.section(from, to)
		if err != nil {
			return nil, err
		}
		m.add(&runReader{r: r, order: i})
		from = to
	}
	m.add(&memoryReader{s: s, order: len(s.runs)})
	heap.Init(m)
	return m, m.err
}

// A merger merges runs. A run that came earlier goes first where Ids are equal.
type merger struct {
	runs  []lineReader // a heap
	begun bool         // the line of the first run has been given out
	err   error
}

// A lineReader yields the lines of a run.
type lineReader interface {
	advance() error // to the next line; io.EOF behind the last
	key() (id int64, order int)
	line() []byte // until advance
}

func (m *merger) add(r lineReader) {
	switch err := r.advance(); {
	case errors.Is(err, io.EOF):
	case err != nil:
		m.err = errors.Join(m.err, err)
	default:
		m.runs = append(m.runs, r)
	}
}

// next returns the next line, which is valid until the call after; io.EOF at the
// end.
func (m *merger) next() (id int64, line []byte, err error) {
	if m.begun {
		switch err := m.runs[0].advance(); {
		case errors.Is(err, io.EOF):
			heap.Pop(m)
		case err != nil:
			return 0, nil, err
		default:
			heap.Fix(m, 0)
		}
	}
	m.begun = len(m.runs) > 0
	if !m.begun {
		return 0, nil, io.EOF
	}
	id, _ = m.runs[0].key()
	return id, m.runs[0].line(), nil
}

func (m *merger) Len() int      { return len(m.runs) }
func (m *merger) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *merger) Less(i, j int) bool {
	a, first := m.runs[i].key()
	b, second := m.runs[j].key()
	return a < b || a == b && first < second
}

// Push is for container/heap, which needs it only to add runs later.
func (m *merger) Push(x any) { m.runs = append(m.runs, x.(lineReader)) }

// Pop is for container/heap.
func (m *merger) Pop() any {
	last := m.runs[len(m.runs)-1]
	m.runs = m.runs[:len(m.runs)-1]
	return last
}

// A runReader reads a run from the spool.
type runReader struct {
	r     *bufio.Reader
	order int
	id    int64
	text  []byte
}

func (r *runReader) key() (int64, int) { return r.id, r.order }
func (r *runReader) line() []byte      { return r.text }

func (r *runReader) advance() error {
	id, err := binary.ReadVarint(r.r)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	var n uint64
	if err == nil {
		n, err = binary.ReadUvarint(r.r)
	}
	if err == nil {
		r.id = id
		r.text = slices.Grow(r.text[:0], int(n))[:n]
		_, err = io.ReadFull(r.r, r.text)
	}
	if err != nil {
		return fmt.Errorf("read a temporary file: %w", err)
	}
	return nil
}

// A memoryReader reads the run that was never written.
type memoryReader struct {
	s     *sorter
	order int
	next  int // index in s.lines
}

func (r *memoryReader) key() (int64, int) { return r.s.lines[r.next-1].id, r.order }

func (r *memoryReader) line() []byte {
	l := r.s.lines[r.next-1]
	return r.s.text[l.at : l.at+l.length]
}

func (r *memoryReader) advance() error {
	if r.next == len(r.s.lines) {
		return io.EOF
	}
	r.next++
	return nil
}

// A spool is a temporary file that is written from its start to its end and
// then read, in sections. It has no name, so that nothing is left of it however
// the program ends, and no file until there is something to write.
type spool struct {
	dir  string
	file *os.File
	w    *bufio.Writer
	size int64
}

const spoolBuffer = 64 << 10

// Write appends to the spool.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "ingest-*")
		if err != nil {
			return 0, fmt.Errorf("make a temporary file: %w", err)
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return 0, fmt.Errorf("make a temporary file: %w", err)
		}
		s.w = bufio.NewWriterSize(f, spoolBuffer)
	}
	n, err := s.w.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write a temporary file: %w", err)
	}
	return n, nil
}

// section returns a reader of the bytes between two positions.
func (s *spool) section(from, to int64) (*bufio.Reader, error) {
	if s.file == nil {
		return bufio.NewReader(io.MultiReader()), nil
	}
	if err := s.w.Flush(); err != nil {
		return nil, fmt.Errorf("write a temporary file: %w", err)
	}
	return bufio.NewReaderSize(io.NewSectionReader(s.file, from, to-from), spoolBuffer), nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close() // it has no name and is of no use any more
	}
}
