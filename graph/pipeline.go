package graph

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
)

// unitBuffer is the number of a unit's fragments that may wait for the units before
// it: as many as the pool has.
const unitBuffer = poolSize / fragmentSize

// step is the work of one phase: cut emits its units in order, from the one at from
// on, and render renders one of them.
type step struct {
	phase  phase
	cut    func(ctx context.Context, from int64, emit func(*unit) error) error
	render func(*worker, context.Context, *unit) error
}

// writeBatches writes all batch files: phase by phase, on workers, through the
// assembler to the writer.
func (b *builder) writeBatches(ctx context.Context, syntax *trig.Syntax) error {
	files, last, err := resume(b.run.Committed(), b.suffix(), len(b.terms.kinds.all))
	if err != nil {
		return err
	}
	if len(files) > 0 {
		b.Log.Info("resuming after the files of an interrupted run", "files", len(files))
	}
	perGraph, err := b.countCommitted(ctx, files)
	if err != nil {
		return err
	}
	b.pool = newFragmentPool(b.poolSize)
	group, ctx := errgroup.WithContext(ctx)
	w := startWriter(ctx, group, b.Workers, writer{
		run: b.run, compression: compressions[b.Compress], suffix: b.suffix(), files: files, pool: b.pool,
		newBatch: func() *trig.Batch { return trig.NewBatch(syntax, b.graphs, b.batch) },
	})
	b.assembler = &assembler{
		writer: w, pool: b.pool, files: len(files), perGraph: perGraph,
		done: last.Done, kinds: slices.Clone(last.Kinds), start: &last,
	}
	group.Go(func() error {
		defer w.close()
		return b.runPhases(ctx, last)
	})
	err = group.Wait()
	b.files = w.files
	return err
}

// runPhases writes what follows the checkpoint.
func (b *builder) runPhases(ctx context.Context, last checkpoint) error {
	if last.Phase == phaseDone {
		return nil
	}
	workers := make([]*worker, b.Workers)
	for i := range workers {
		workers[i] = newWorker(b)
	}
	run := func(s step) error {
		switch {
		case last.Phase > s.phase:
			return nil
		case last.Phase == s.phase:
			return b.runStep(ctx, s, workers, last.Unit)
		}
		return b.runStep(ctx, s, workers, 0)
	}
	if err := run(step{phasePosts, b.cutPosts, (*worker).renderPosts}); err != nil {
		return err
	}
	var err error
	if b.tagList, err = b.listTags(ctx, workers, last); err != nil {
		return err
	}
	if err := run(step{phaseTags, cutList(len(b.tagList.tags), tagBlock), (*worker).renderTags}); err != nil {
		return err
	}
	if err := run(step{phaseWikis, cutList(len(b.tagList.wikis), wikiBlock), (*worker).renderWikis}); err != nil {
		return err
	}
	return b.assembler.finish(ctx)
}

// runStep cuts a phase into units, renders them on all workers and assembles them in
// order. At most two more units than workers are in progress.
func (b *builder) runStep(ctx context.Context, s step, workers []*worker, from int64) error {
	group, ctx := errgroup.WithContext(ctx)
	todo, ordered := make(chan *unit), make(chan *unit, len(workers)+1)
	group.Go(func() error {
		defer close(todo)
		defer close(ordered)
		return s.cut(ctx, from, func(u *unit) error {
			u.out = make(chan *trig.Fragment, unitBuffer)
			for _, c := range []chan *unit{ordered, todo} {
				select {
				case c <- u:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	})
	for _, w := range workers {
		group.Go(func() error {
			for u := range todo {
				if err := w.renderUnit(ctx, s, u); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for u := range ordered {
			b.pool.setNext(u)
			b.assembler.begin(s.phase, u)
			for open := true; open; {
				select {
				case f, ok := <-u.out:
					if open = ok; !ok {
						break
					}
					if err := b.assembler.put(ctx, f); err != nil {
						return err
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			b.assembler.end()
			b.Progress("graph", b.assembler.done[questionsWritten]+b.assembler.done[answersWritten], int64(b.threads.Len()))
		}
		return nil
	})
	return group.Wait()
}
