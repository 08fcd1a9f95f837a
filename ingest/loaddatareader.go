package ingest

import (
	"context"
	"io"
)

// A batchQueue passes the batches of a table to its LOAD DATA statements and reuses
// batches that have been read.
type batchQueue struct {
	stopped <-chan struct{} // ends Read and send with context.Canceled
	sent    chan *rowBatch
	free    chan *rowBatch
}

// batchSize is the capacity of a new batch in bytes: the TSV of a block of rows
// grows to about this size.
const batchSize = 5 << 18

// newBatchQueue returns a queue that keeps up to reuse batches.
func newBatchQueue(stopped <-chan struct{}, reuse int) *batchQueue {
	return &batchQueue{stopped: stopped, sent: make(chan *rowBatch, 1), free: make(chan *rowBatch, reuse)}
}

// newBatch returns an empty batch.
func (q *batchQueue) newBatch() *rowBatch {
	var b *rowBatch
	select {
	case b = <-q.free:
	default:
		b = &rowBatch{tsv: make([]byte, 0, batchSize)}
	}
	b.reset()
	return b
}

// recycle makes a batch available to newBatch.
func (q *batchQueue) recycle(b *rowBatch) {
	select {
	case q.free <- b:
	default:
	}
}

// send passes a batch to a reader. The caller must not use it afterwards.
func (q *batchQueue) send(b *rowBatch) error {
	if len(b.tsv) == 0 {
		q.recycle(b)
		return nil
	}
	select {
	case q.sent <- b:
		return nil
	case <-q.stopped:
		return context.Canceled
	}
}

// close ends the input of the readers. Without it they never return io.EOF.
func (q *batchQueue) close() { close(q.sent) }

// A loadDataReader is the io.Reader of a LOAD DATA statement. It yields the TSV of
// the next batches of its queue, each as a whole, so that readers of one queue
// divide the rows among them; each has its rows in the order in which they are sent.
type loadDataReader struct {
	queue   *batchQueue
	current *rowBatch
	rest    []byte // of current, not read yet
}

func (r *loadDataReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.current != nil {
			r.queue.recycle(r.current)
			r.current = nil
		}
		select {
		case b, ok := <-r.queue.sent:
			if !ok {
				return 0, io.EOF
			}
			r.current, r.rest = b, b.tsv
		case <-r.queue.stopped:
			return 0, context.Canceled
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
