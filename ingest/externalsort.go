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

// An externalSorter sorts lines by Id in bounded memory. Lines of one Id keep the
// order in which they were added. When the memory is full, its lines are sorted
// and written to a temporary file as a run; merge merges all runs.
//
// A run is its lines one after the other, each preceded by its Id as a varint and
// its length as an unsigned varint.
type externalSorter struct {
	limit int // bytes of memory; 0 is sortMemory
	rows  int64

	text  []byte
	lines []sortLine
	file  tempFile
	runs  []int64 // their ends in the file
}

// A sortLine is a line of an externalSorter's text.
type sortLine struct {
	id     int64
	at     int // in text; of two lines of one Id the smaller was added first
	length int
}

const (
	sortMemory   = 32 << 20
	sortLineSize = 24
)

// addLine copies a line.
func (s *externalSorter) addLine(id int64, line []byte) error {
	limit := cmp.Or(s.limit, sortMemory)
	if len(s.lines) > 0 && len(s.text)+len(line)+(len(s.lines)+1)*sortLineSize > limit {
		if err := s.writeRun(); err != nil {
			return err
		}
	}
	if s.text == nil {
		s.text = make([]byte, 0, limit) // pages that are not reached cost nothing; growing would take up to three times as much
	}
	s.lines = append(s.lines, sortLine{id, len(s.text), len(line)})
	s.text = append(s.text, line...)
	s.rows++
	return nil
}

func (s *externalSorter) sort() {
	slices.SortFunc(s.lines, func(a, b sortLine) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at)) })
}

// writeRun writes the lines in memory as a run and removes them.
func (s *externalSorter) writeRun() error {
	s.sort()
	for _, l := range s.lines {
		var head [2 * binary.MaxVarintLen64]byte
		n := binary.PutVarint(head[:], l.id)
		n += binary.PutUvarint(head[n:], uint64(l.length))
		if _, err := s.file.Write(head[:n]); err != nil {
			return err
		}
		if _, err := s.file.Write(s.text[l.at : l.at+l.length]); err != nil {
			return err
		}
	}
	s.runs = append(s.runs, s.file.size)
	s.text, s.lines = s.text[:0], s.lines[:0]
	return nil
}

// merge returns all lines in order. No line may be added afterwards.
func (s *externalSorter) merge() (*runMerger, error) {
	s.sort()
	m := &runMerger{}
	from := int64(0)
	for _, to := range s.runs {
		r, err := s.file.section(from, to)
		if err == nil {
			err = m.addRun(&fileRun{r: r})
		}
		if err != nil {
			return nil, err
		}
		from = to
	}
	err := m.addRun(&memoryRun{text: s.text, rest: s.lines})
	heap.Init(m)
	return m, err
}

// A runMerger merges sorted runs. Of lines of one Id, those of the run that was
// added first come first. It is a heap of the runs' current lines.
type runMerger struct {
	heads []runHead
	added int
	begun bool // next has returned the line of heads[0]
}

// A sortedRun yields the lines of a run; io.EOF after the last. A line is valid
// until the next call.
type sortedRun interface {
	next() (id int64, line []byte, err error)
}

// A runHead is a run and its current line.
type runHead struct {
	run   sortedRun
	order int // of the run among all
	id    int64
	line  []byte
}

func (h *runHead) advance() (err error) {
	h.id, h.line, err = h.run.next()
	return err
}

func (m *runMerger) addRun(run sortedRun) error {
	h := runHead{run: run, order: m.added}
	m.added++
	err := h.advance()
	if errors.Is(err, io.EOF) {
		return nil
	}
	m.heads = append(m.heads, h)
	return err
}

// next returns the next line, valid until the call after; io.EOF after the last.
func (m *runMerger) next() (id int64, line []byte, err error) {
	if m.begun {
		err := m.heads[0].advance()
		switch {
		case errors.Is(err, io.EOF):
			heap.Pop(m)
		case err != nil:
			return 0, nil, err
		default:
			heap.Fix(m, 0)
		}
	}
	m.begun = len(m.heads) > 0
	if !m.begun {
		return 0, nil, io.EOF
	}
	return m.heads[0].id, m.heads[0].line, nil
}

// The methods of heap.Interface.

func (m *runMerger) Len() int      { return len(m.heads) }
func (m *runMerger) Swap(i, j int) { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *runMerger) Less(i, j int) bool {
	a, b := &m.heads[i], &m.heads[j]
	return a.id < b.id || a.id == b.id && a.order < b.order
}
func (m *runMerger) Push(x any) { m.heads = append(m.heads, x.(runHead)) }
func (m *runMerger) Pop() any {
	last := m.heads[len(m.heads)-1]
	m.heads = m.heads[:len(m.heads)-1]
	return last
}

// A fileRun is a run in the temporary file.
type fileRun struct {
	r    *bufio.Reader
	text []byte
}

func (r *fileRun) next() (int64, []byte, error) {
	id, err := binary.ReadVarint(r.r)
	if errors.Is(err, io.EOF) {
		return 0, nil, io.EOF
	}
	var n uint64
	if err == nil {
		n, err = binary.ReadUvarint(r.r)
	}
	if err == nil {
		r.text = slices.Grow(r.text[:0], int(n))[:n]
		_, err = io.ReadFull(r.r, r.text)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read a temporary file: %w", err)
	}
	return id, r.text, nil
}

// A memoryRun is the run that was never written.
type memoryRun struct {
	text []byte
	rest []sortLine
}

func (r *memoryRun) next() (int64, []byte, error) {
	if len(r.rest) == 0 {
		return 0, nil, io.EOF
	}
	l := r.rest[0]
	r.rest = r.rest[1:]
	return l.id, r.text[l.at : l.at+l.length], nil
}

// A tempFile is a temporary file that is written once and then read in sections.
// It is created with the first byte and has no name, so nothing is left of it
// however the program ends.
type tempFile struct {
	dir  string
	file *os.File
	w    *bufio.Writer
	size int64
}

const tempFileBuffer = 64 << 10

// Write appends to the file.
func (f *tempFile) Write(p []byte) (int, error) {
	if f.file == nil {
		file, err := os.CreateTemp(f.dir, "ingest-*")
		if err != nil {
			return 0, fmt.Errorf("create a temporary file: %w", err)
		}
		f.file = file
		if err := os.Remove(file.Name()); err != nil {
			return 0, fmt.Errorf("create a temporary file: %w", err)
		}
		f.w = bufio.NewWriterSize(file, tempFileBuffer)
	}
	n, err := f.w.Write(p)
	f.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write a temporary file: %w", err)
	}
	return n, nil
}

// section returns a reader of the bytes between two positions.
func (f *tempFile) section(from, to int64) (*bufio.Reader, error) {
	if f.file == nil {
		return bufio.NewReader(io.MultiReader()), nil
	}
	if err := f.w.Flush(); err != nil {
		return nil, fmt.Errorf("write a temporary file: %w", err)
	}
	return bufio.NewReaderSize(io.NewSectionReader(f.file, from, to-from), tempFileBuffer), nil
}

func (f *tempFile) close() {
	if f.file != nil {
		f.file.Close() // it has no name and is not read again
	}
}
