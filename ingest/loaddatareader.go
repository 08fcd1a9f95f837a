package ingest

import (
	"context"
	"io"
)

// A feed is the io.Reader that LOAD DATA reads: the TSV of batches, in the order
// in which they are sent. Batches that have been read are used again.
type feed struct {
	ctx  context.Context
	in   chan *batch
	free chan *batch
	cur  *batch
	rest []byte // of cur
}

// batchSize is the room that a block of rows needs as TSV: it grows to it anyway,
// in steps that copy.
const batchSize = 5 << 18

// newFeed returns a feed that keeps up to n batches for use again.
func newFeed(ctx context.Context, n int) *feed {
	return &feed{ctx: ctx, in: make(chan *batch, 1), free: make(chan *batch, n)}
}

// empty returns a batch to be filled.
func (f *feed) empty() *batch {
	select {
	case b := <-f.free:
		b.reset()
		return b
	default:
		b := &batch{tsv: make([]byte, 0, batchSize)}
		b.reset()
		return b
	}
}

// recycle takes a batch back that need not be sent.
func (f *feed) recycle(b *batch) {
	select {
	case f.free <- b:
	default:
	}
}

// send passes a batch on; it belongs to the feed then.
func (f *feed) send(b *batch) error {
	if len(b.tsv) == 0 {
		f.recycle(b)
		return nil
	}
	select {
	case f.in <- b:
		return nil
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}

// finish says that all has been sent. Without it Read does not end, but fails.
func (f *feed) finish() { close(f.in) }

// Read reads what has been sent.
func (f *feed) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.cur != nil {
			f.recycle(f.cur)
			f.cur = nil
		}
		select {
		case b, ok := <-f.in:
			if !ok {
				return 0, io.EOF
			}
			f.cur, f.rest = b, b.tsv
		case <-f.ctx.Done():
			return 0, f.ctx.Err()
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
