package dump

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"
)

// Parallel scans a document on several cores. It splits the document into blocks
// of whole rows. For each block, work scans the rows on one of the workers and
// returns a T; emit receives the Ts in the order of the document, one at a time.
// The result does not depend on scheduling. Parallel returns the first error of
// reading, work or emit.
//
// At most 2*workers+1 blocks, and as many Ts, exist at a time; a caller that reuses
// its Ts needs no more.
//
// The block that a Scanner reads is overwritten after work returns: T must not
// refer to values of its records.
func Parallel[T any](ctx context.Context, r io.Reader, c ScanConfig, workers int, work func(*Scanner) (T, error), emit func(T) error) error {
	type job struct {
		block  block
		result chan T
	}
	c = c.withDefaults()
	todo := make(chan *job)             // to the workers
	inOrder := make(chan *job, workers) // to emit
	free := make(chan []byte, 2*workers+2)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(todo)
		defer close(inOrder)
		blocks := newSplitter(r, c)
		for {
			var buf []byte
			select {
			case buf = <-free:
			default:
			}
			b, err := blocks.next(buf)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			j := &job{b, make(chan T, 1)}
			for _, to := range []chan *job{inOrder, todo} {
				select {
				case to <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
	})
	for range workers {
		g.Go(func() error {
			s := newBlockScanner(c)
			for j := range todo {
				s.reset(j.block)
				t, err := work(s)
				if err != nil {
					return err
				}
				if !j.block.long { // a long block is a small copy
					select {
					case free <- j.block.data:
					default:
					}
				}
				j.result <- t
			}
			return nil
		})
	}
	g.Go(func() error {
		for j := range inOrder {
			select {
			case t := <-j.result:
				if err := emit(t); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}
