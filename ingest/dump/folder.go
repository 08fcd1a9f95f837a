package dump

import (
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// codecs lists how the files of a folder may be compressed, by what stands
// behind the name of the table.
func codecs() map[string]func(io.Reader) (io.ReadCloser, error) {
	return map[string]func(io.Reader) (io.ReadCloser, error){
		".xml":     func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil },
		".xml.gz":  func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
		".xml.bz2": func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil },
		".xml.zst": func(r io.Reader) (io.ReadCloser, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		},
	}
}

// findInFolder makes a stream of each file of a table.
func findInFolder(folder string, wanted []string) ([]*Stream, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list the dump: %w", err)
	}
	var streams []*Stream
	for _, e := range entries {
		for suffix, codec := range codecs() {
			table, ok := tableOf(e.Name(), wanted, suffix)
			if !ok {
				continue
			}
			path := filepath.Join(folder, e.Name())
			info, err := os.Stat(path) // not e.Info: a dump may be a folder of links
			if err != nil {
				return nil, fmt.Errorf("look at the dump: %w", err)
			}
			streams = append(streams, fileStream(newFile(path, info), table, codec))
		}
	}
	return streams, nil
}

// fileStream reads the one table of a file, through a codec.
func fileStream(f File, table string, codec func(io.Reader) (io.ReadCloser, error)) *Stream {
	s := &Stream{File: f, Size: f.Size, Members: []Member{{Table: table, Name: f.Name, Size: -1}}}
	s.open = func(ctx context.Context) (io.ReadCloser, error) {
		file, err := os.Open(f.Path)
		if err != nil {
			return nil, err
		}
		decoded, err := codec(&countingReader{r: file, n: &s.done})
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // an empty file is a cut one
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return &fileReader{decoded, file}, nil
	}
	return s
}

// A fileReader is a decoder and the file below it.
type fileReader struct {
	io.ReadCloser
	file *os.File
}

func (r *fileReader) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }
