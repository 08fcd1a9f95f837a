package ingest

import (
	"context"
	"io"
)

// A loadDataReader is the io.Reader of a LOAD DATA statement. It yields the TSV of
// batches in the order in which they are sent, and reuses batches that have been
// read.
type loadDataReader struct {
	stopped <-chan struct{} // ends Read and send with context.Canceled
	sent    chan *rowBatch
	free    chan *rowBatch
	current *rowBatch
	rest    []byte // of current, not read yet
}

// batchSize is the capacity of a new batch in bytes: the TSV of a block of rows
// grows to about this size.
const batchSize = 5 << 18

// newLoadDataReader returns a reader that keeps up to reuse batches.
func newLoadDataReader(stopped <-chan struct{}, reuse int) *loadDataReader {
	return &loadDataReader{stopped: stopped, sent: make(chan *rowBatch, 1), free: make(chan *rowBatch, reuse)}
}

// newBatch returns an empty batch.
func (r *loadDataReader) newBatch() *rowBatch {
	var b *rowBatch
	select {
	case b = <-r.free:
	default:
		b = &rowBatch{tsv: make([]byte, 0, batchSize)}
	}
	b.reset()
	return b
}

// recycle makes a batch available to newBatch.
func (r *loadDataReader) recycle(b *rowBatch) {
	select {
	case r.free <- b:
	default:
	}
}

// send passes a batch to Read. The caller must not use it afterwards.
func (r *loadDataReader) send(b *rowBatch) error {
	if len(b.tsv) == 0 {
		r.recycle(b)
		return nil
	}
	select {
	case r.sent <- b:
		return nil
	case <-r.stopped:
		return context.Canceled
	}
}

// closeInput makes Read return io.EOF after the last batch. Without it Read never
// returns io.EOF.
func (r *loadDataReader) closeInput() { close(r.sent) }

func (r *loadDataReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.current != nil {
			r.recycle(r.current)
			r.current = nil
		}
		select {
		case b, ok := <-r.sent:
			if !ok {
				return 0, io.EOF
			}
			r.current, r.rest = b, b.tsv
		case <-r.stopped:
			return 0, context.Canceled
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
