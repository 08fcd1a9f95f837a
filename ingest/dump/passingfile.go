package dump

import (
	"io"
	"os"
)

// A passingFile is a file that is read once, from its beginning to its end. It drops
// the pages behind the position from the page cache, where the tables that are
// loaded from it are of more use.
type passingFile struct {
	*os.File
	read, dropped int64
}

// largeFile is the size in bytes from which a file is a passingFile: smaller ones
// leave the page cache to others, and are fast to read again.
const largeFile = 1 << 30

// dropEvery is the number of bytes that are dropped at once.
const dropEvery = 8 << 20

// passing returns the reader of a file of the given size.
func passing(f *os.File, size, large int64) io.Reader {
	if size < large {
		return f
	}
	return &passingFile{File: f}
}

func (f *passingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if f.read += int64(n); f.read-f.dropped >= dropEvery || err == io.EOF {
		dropPages(f.File, f.dropped, f.read-f.dropped)
		f.dropped = f.read
	}
	return n, err
}
