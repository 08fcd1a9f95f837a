package dump

import (
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// A codec is a way in which the file of a table may be compressed.
type codec struct {
	suffix  string // behind the name of the table
	open    func(io.Reader) (io.ReadCloser, error)
	program string // that decodes standard input with -dc, where it is much faster; "" if none is
}

// codecs returns all ways. The program xz is 12 times as fast as the built-in
// decoder (BenchmarkDecode); bzip2 is no faster.
func codecs() []codec {
	return []codec{
		{suffix: ".xml", open: func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil }},
		{suffix: ".xml.gz", open: func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
		{suffix: ".xml.bz2", open: func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }},
		{suffix: ".xml.xz", program: "xz", open: func(r io.Reader) (io.ReadCloser, error) {
			d, err := xz.NewReader(r)
			if err != nil {
				return nil, err
			}
			return io.NopCloser(d), nil
		}},
		{suffix: ".xml.zst", open: func(r io.Reader) (io.ReadCloser, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}},
	}
}

// decode decodes r with the program or, if builtIn says so or it is not there,
// with the built-in decoder.
func (c codec) decode(ctx context.Context, r io.Reader, builtIn bool) (io.ReadCloser, error) {
	if c.program != "" && !builtIn {
		if path, err := exec.LookPath(c.program); err == nil {
			return startProgram(ctx, r, path, "-dc")
		}
	}
	return c.open(r)
}

// fileStream reads the one table of a file, through a codec.
func (f *finder) fileStream(file File, table string, c codec) *Stream {
	s := &Stream{File: file, Size: file.Size, Members: []Member{{Table: table, Name: file.Name, Size: -1, Packed: file.Size}}}
	if c.suffix == ".xml" {
		s.Members[0].Size = file.Size
	}
	s.open = func(ctx context.Context) (source, error) {
		in, err := os.Open(file.Path)
		if err != nil {
			return nil, err
		}
		decoded, err := c.decode(ctx, &countingReader{r: in, n: &s.done}, f.o.BuiltIn)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // an empty file is a cut one
		}
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		return &flatSource{src: &fileReader{decoded, in}, members: s.Members}, nil
	}
	return s
}

// A fileReader is a decoder and the file below it.
type fileReader struct {
	io.ReadCloser
	file *os.File
}

func (r *fileReader) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }
