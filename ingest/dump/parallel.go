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
func Parallel[T any](ctx context.Context, r io.Reader, c Config, workers int, work func(*Scanner) (T, error), emit func(T) error) error {
	c = c.withDefaults()
	type job struct {
		block block
		done  chan T
	}
	g, ctx := errgroup.WithContext(ctx)
	todo := make(chan *job)           // to the workers
	order := make(chan *job, workers) // to emit
	free := make(chan []byte, 2*workers+2)

	g.Go(func() error {
		defer close(todo)
		defer close(order)
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
			for _, to := range []chan *job{order, todo} {
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
				if !j.block.long {
					select {
					case free <- j.block.data:
					default:
					}
				}
				j.done <- t
			}
			return nil
		})
	}
	g.Go(func() error {
		for j := range order {
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
	})
	return g.Wait()
}
