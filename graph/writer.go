package graph

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema/manifest"
)

// maxWriters limits the files that are compressed and written at once. Four writers
// keep up with the workers of many cores.
const maxWriters = 4

// compression is a way to compress files. Its output depends on the text only.
type compression struct {
	suffix    string
	mediaType string // the subtype of the IANA media type
	open      func(io.Writer) (io.WriteCloser, error)
}

// compressions are the values of Options.Compress.
var compressions = map[string]compression{
	"none": {
		open: func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil },
	},
	"gzip": {
		suffix: ".gz", mediaType: "gzip",
		open: func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) },
	},
	"zstd": {
		suffix: ".zst", mediaType: "zstd",
		open: func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true))
		},
	},
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// resetter is a compressor that can begin another file.
type resetter interface{ Reset(io.Writer) }

// writer writes batches to files, several at a time, and commits the files in order.
// So the committed files are always the beginning of the graph.
type writer struct {
	run         *manifest.Run
	compression compression
	suffix      string
	pool        *fragmentPool
	newBatch    func() *trig.Batch

	free  chan *trig.Batch // empty batches; a nil one is not allocated yet
	jobs  chan job
	last  chan struct{}   // closed when the batch that was handed over last is committed
	files []manifest.File // committed
}

// job is a batch to be written.
type job struct {
	number            int
	batch             *trig.Batch
	fragments         []*trig.Fragment // that the batch refers to
	after             checkpoint
	before, committed chan struct{} // closed when the batch before, and this one, is committed
}

// startWriter completes w and starts its goroutines in a group: as many as there are
// workers, but at most maxWriters. They write until close.
func startWriter(ctx context.Context, group *errgroup.Group, workers int, w writer) *writer {
	n := min(workers, maxWriters)
	w.free = make(chan *trig.Batch, n+1)
	for range n + 1 {
		w.free <- nil
	}
	w.jobs = make(chan job)
	w.last = make(chan struct{})
	close(w.last)
	for range n {
		group.Go(func() error { return w.writeJobs(ctx) })
	}
	return &w
}

// emptyBatch returns a batch to fill as soon as there is one.
func (w *writer) emptyBatch(ctx context.Context) (*trig.Batch, error) {
	select {
	case b := <-w.free:
		if b == nil {
			b = w.newBatch()
		}
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write hands a batch over to the goroutines. Callers pass batches in the order of
// their numbers.
func (w *writer) write(ctx context.Context, j job) error {
	j.before, j.committed = w.last, make(chan struct{})
	w.last = j.committed
	w.pool.addWriting(+1)
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the goroutines after they have written all batches.
func (w *writer) close() { close(w.jobs) }

func (w *writer) writeJobs(ctx context.Context) error {
	buf := bufio.NewWriterSize(nil, 128<<10) // a batch writes pieces of this size, which bypass it
	compressor, err := w.compression.open(buf)
	if err != nil {
		return fmt.Errorf("starting to compress: %w", err)
	}
	for j := range w.jobs {
		if err := w.writeFile(ctx, j, buf, compressor); err != nil {
			return err
		}
		j.batch.Reset()
		w.pool.release(j.fragments...)
		w.pool.addWriting(-1)
		w.free <- j.batch // has room for all
	}
	return nil
}

// writeFile writes a batch to its file and commits the file after the one before.
func (w *writer) writeFile(ctx context.Context, j job, buf *bufio.Writer, compressor io.WriteCloser) error {
	after, err := json.Marshal(j.after)
	if err != nil {
		return err
	}
	out, err := w.run.Create(batchName(j.number, w.suffix))
	if err != nil {
		return err
	}
	buf.Reset(out)
	if r, ok := compressor.(resetter); ok {
		r.Reset(buf)
	}
	_, err = j.batch.WriteTo(compressor)
	if err = errors.Join(err, compressor.Close(), buf.Flush()); err != nil {
		return errors.Join(err, out.Abort())
	}
	select {
	case <-j.before:
	case <-ctx.Done():
		return errors.Join(ctx.Err(), out.Abort())
	}
	f, err := out.Commit(int64(j.batch.Quads()), string(after))
	if err != nil {
		return err
	}
	w.files = append(w.files, f) // the channels order the commits
	close(j.committed)
	return nil
}
