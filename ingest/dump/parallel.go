package dump

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"
)

// Parallel scans a document on several cores. It cuts the document into blocks
// of whole rows; for each, work scans its rows, on one of the workers, and makes
// a T of them; emit is given the Ts in the order of the document, one at a time.
// What it does never depends on scheduling. An error of work or emit ends it.
//
// At most 2*workers+1 blocks, and as many Ts, are in being at a time, so a caller
// that recycles its Ts needs no more than that.
//
// The block that a Scanner reads is used again as soon as work returns: T must
// not hold values of its records.
func Parallel[T any](ctx context.Context, r io.Reader, c ScanConfig, workers int, work func(*Scanner) (T, error), emit func(T) error) error {
	p := &parallel[T]{
		c:     c.withDefaults(),
		todo:  make(chan *job[T]),
		order: make(chan *job[T], workers),
		free:  make(chan []byte, 2*workers+2),
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.produce(ctx, r) })
	for range workers {
		g.Go(func() error { return p.work(work) })
	}
	g.Go(func() error { return p.emit(ctx, emit) })
	return g.Wait()
}

// A parallel is what the goroutines of Parallel share.
type parallel[T any] struct {
	c     ScanConfig
	todo  chan *job[T] // to the workers
	order chan *job[T] // to emit, in the order of the document
	free  chan []byte  // blocks that have been scanned
}

// A job is a block and, later, what was made of it.
type job[T any] struct {
	block block
	done  chan T
}

// produce cuts the document into jobs.
func (p *parallel[T]) produce(ctx context.Context, r io.Reader) error {
	defer close(p.todo)
	defer close(p.order)
	blocks := newSplitter(r, p.c)
	for {
		var buf []byte
		select {
		case buf = <-p.free:
		default:
		}
		b, err := blocks.next(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		j := &job[T]{b, make(chan T, 1)}
		for _, to := range []chan *job[T]{p.order, p.todo} {
			select {
			case to <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// work does jobs.
func (p *parallel[T]) work(work func(*Scanner) (T, error)) error {
	s := newBlockScanner(p.c)
	for j := range p.todo {
		s.reset(j.block)
		t, err := work(s)
		if err != nil {
			return err
		}
		if !j.block.long { // its bytes are a copy of no use as a buffer
			select {
			case p.free <- j.block.data:
			default:
			}
		}
		j.done <- t
	}
	return nil
}

// emit gives out what was made, in order.
func (p *parallel[T]) emit(ctx context.Context, emit func(T) error) error {
	for j := range p.order {
		select {
		case t := <-j.done:
			if err := emit(t); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
