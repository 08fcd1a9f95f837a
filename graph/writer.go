package graph

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema/manifest"
)

// writers is how many files are compressed and written at once, at most: more
// would only hold memory, since four keep up with the workers of many cores.
const writers = 4

// compression is a way to compress files. The same bytes in give the same
// bytes out.
type compression struct {
	suffix, media string // media: the IANA media type's subtype
	open          func(io.Writer) (io.WriteCloser, error)
	read          func(io.Reader) (io.ReadCloser, error)
}

// compressions are the values of Options.Compress.
var compressions = map[string]compression{
	"none": {
		open: func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil },
		read: func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil },
	},
	"gzip": {
		suffix: ".gz", media: "gzip",
		open: func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) },
		read: func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
	},
	"zstd": {
		suffix: ".zst", media: "zstd",
		open: func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true))
		},
		read: func(r io.Reader) (io.ReadCloser, error) {
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
			if err != nil {
				return nil, err
			}
			return z.IOReadCloser(), nil
		},
	},
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// resetter is a compressor that can begin another file.
type resetter interface{ Reset(io.Writer) }

// suffix is the end of the batch files' names.
func (o *Options) suffix() string {
	format := "trig"
	if formats[o.Format] == trig.NQuads {
		format = "nq"
	}
	return format + compressions[o.Compress].suffix
}

// writer writes batches to files, several at a time, and commits them in their
// order: what is committed is always the beginning of the graph.
type writer struct {
	run    *manifest.Run
	comp   compression
	suffix string
	shelf  *shelf
	free   chan *trig.Batch // nil stands for one that is not made yet
	make   func() *trig.Batch
	jobs   chan job
	last   chan struct{}   // closed when the batch that was handed over last is committed
	files  []manifest.File // committed
}

type job struct {
	number          int
	batch           *trig.Batch
	from            []*trig.Fragment // that the batch refers to
	at              *checkpoint
	before, written chan struct{}
}

// newWriter starts goroutines of g, n or as many as there are writers, that
// write until close.
func newWriter(ctx context.Context, g *errgroup.Group, n int, w writer) *writer {
	n = min(n, writers)
	w.free = make(chan *trig.Batch, n+1)
	for range n + 1 {
		w.free <- nil
	}
	w.jobs = make(chan job)
	w.last = make(chan struct{})
	close(w.last)
	for range n {
		g.Go(func() error { return w.serve(ctx) })
	}
	return &w
}

// empty returns a batch to fill, when there is one.
func (w *writer) empty(ctx context.Context) (*trig.Batch, error) {
	select {
	case b := <-w.free:
		if b == nil {
			b = w.make()
		}
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write hands a batch over. Batches come in the order of their numbers.
func (w *writer) write(ctx context.Context, j job) error {
	j.before, j.written = w.last, make(chan struct{})
	w.last = j.written
	w.shelf.writes(+1)
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the writing when what was handed over is written.
func (w *writer) close() { close(w.jobs) }

func (w *writer) serve(ctx context.Context) error {
	buf := bufio.NewWriterSize(nil, 128<<10) // a batch writes as much at once, which then passes by
	comp, err := w.comp.open(buf)
	if err != nil {
		return fmt.Errorf("starting to compress: %w", err)
	}
	for j := range w.jobs {
		if err := w.file(ctx, j, buf, comp); err != nil {
			return err
		}
		j.batch.Reset()
		w.shelf.release(j.from...)
		w.shelf.writes(-1)
		w.free <- j.batch // there is room for all
	}
	return nil
}

// file writes and commits one batch.
func (w *writer) file(ctx context.Context, j job, buf *bufio.Writer, comp io.WriteCloser) error {
	at, err := j.at.String()
	if err != nil {
		return err
	}
	out, err := w.run.Create(batchName(j.number, w.suffix))
	if err != nil {
		return err
	}
	buf.Reset(out)
	if r, ok := comp.(resetter); ok {
		r.Reset(buf)
	}
	_, err = j.batch.WriteTo(comp)
	if err = errors.Join(err, comp.Close(), buf.Flush()); err != nil {
		return errors.Join(err, out.Abort())
	}
	select {
	case <-j.before:
	case <-ctx.Done():
		return errors.Join(ctx.Err(), out.Abort())
	}
	f, err := out.Commit(int64(j.batch.Quads()), at)
	if err != nil {
		return err
	}
	w.files = append(w.files, f) // before and written put the commits in a line
	close(j.written)
	return nil
}
