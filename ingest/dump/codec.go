package dump

import (
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"s2g/schema"
	"s2g/schema/private"
)

// A codec is a compression of a table's file.
type codec struct {
	suffix  string // after the name of the table
	open    func(io.Reader) (io.ReadCloser, error)
	program string // decodes standard input with -dc, much faster than open; "" if none
}

// codecs returns all codecs. The program xz is 12 times as fast as the built-in
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

// decode decodes r with the codec's program if it is installed, else with the
// built-in decoder.
func (c codec) decode(ctx context.Context, r io.Reader, builtIn bool) (io.ReadCloser, error) {
	if c.program != "" && !builtIn {
		if path, err := exec.LookPath(c.program); err == nil {
			return startProgram(ctx, r, path, "-dc")
		}
	}
	return c.open(r)
}

// fileStream returns the stream of a file of one table.
func (f *finder) fileStream(file File, table string, c codec) *Stream {
	s := &Stream{File: file, Size: file.Size, Members: []Member{{Table: table, Name: file.Name, Size: unknownSize}}}
	if c.suffix == ".xml" {
		s.Members[0].Size = file.Size
	}
	s.open = func(ctx context.Context) (source, error) {
		in, err := schema.OpenRegular(file.Path)
		if err != nil {
			return nil, err
		}
		decoded, err := c.decode(ctx, &countingReader{r: passing(in, file.Size, largeFile), n: &s.done}, f.o.builtIn)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // an empty file is a truncated one
		}
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		return &flatSource{src: &fileReader{decoded, in}, members: s.Members}, nil
	}
	return s
}

// A fileReader is a decoder and its file, which Close closes, too.
type fileReader struct {
	io.ReadCloser
	file *os.File
}

func (r *fileReader) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }

// A programReader is the standard output of a decoding program.
type programReader struct {
	io.Reader
	cmd      *exec.Cmd
	stop     context.CancelFunc
	messages tail // of the standard error
	ended    bool // Read has returned io.EOF
}

// startProgram starts a program that decodes to its standard output. in is its
// standard input; it may be nil.
func startProgram(ctx context.Context, in io.Reader, program string, args ...string) (io.ReadCloser, error) {
	ctx, stop := context.WithCancel(ctx)
	r := &programReader{cmd: exec.CommandContext(ctx, program, args...), stop: stop}
	r.cmd.Stdin = in
	r.cmd.Env = private.Environment("LC_ALL=C.UTF-8") // names of members are in UTF-8 in every locale
	r.cmd.Stderr = &r.messages
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	r.Reader = out
	return r, nil
}

func (r *programReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.ended = r.ended || err == io.EOF
	return n, err
}

// Close waits for the program and returns an error if it failed. If its output was
// not read to the end, Close stops it first.
func (r *programReader) Close() error {
	if !r.ended {
		r.stop()
	}
	err := r.cmd.Wait()
	r.stop()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(r.cmd.Path), err, r.messages.String())
	}
	return nil
}

// A tail keeps the last bytes that are written to it, at least tailSize.
type tail struct{ kept []byte }

const tailSize = 1 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
	return len(p), nil
}

// String returns the kept bytes as one line.
func (t *tail) String() string { return strings.Join(strings.Fields(string(t.kept)), " ") }
