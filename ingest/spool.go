package ingest

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

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
