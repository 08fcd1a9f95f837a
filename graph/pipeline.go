package graph

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
)

// unitBuffer is how many fragments of a unit may wait for the units before it:
// as many as there is room for.
const unitBuffer = shelfSize / fragmentSize

// stage is how one phase is cut into units, from the unit at from on, and how a
// unit is rendered.
type stage struct {
	phase  phase
	cut    func(ctx context.Context, from int64, emit func(*unit) error) error
	render func(*worker, context.Context, *unit) error
}

// batches writes all batch files.
func (b *build) batches(ctx context.Context, syntax *trig.Syntax) error {
	files, last, err := resume(b.run.Committed(), b.suffix(), len(b.terms.kinds.all))
	if err != nil {
		return err
	}
	if len(files) > 0 {
		b.Log.Info("going on after the files of an interrupted run", "files", len(files))
	}
	perGraph, err := b.recount(ctx, files)
	if err != nil {
		return err
	}
	b.shelf = newShelf(b.room)
	g, ctx := errgroup.WithContext(ctx)
	w := newWriter(ctx, g, b.Workers, writer{
		run: b.run, comp: compressions[b.Compress], suffix: b.suffix(), files: files, shelf: b.shelf,
		make: func() *trig.Batch { return trig.NewBatch(syntax, b.graphs, b.batch) },
	})
	b.asm = &assembler{writer: w, shelf: b.shelf, files: len(files), perGraph: perGraph, done: last.Done, kinds: slices.Clone(last.Kinds), start: &last}
	g.Go(func() error {
		defer w.close()
		return b.phases(ctx, last)
	})
	err = g.Wait()
	b.files = w.files
	return err
}

// phases writes what comes after the checkpoint.
func (b *build) phases(ctx context.Context, last checkpoint) error {
	if last.Phase == phaseDone {
		return nil
	}
	workers := make([]*worker, b.Workers)
	for i := range workers {
		workers[i] = newWorker(b)
	}
	run := func(s stage) error {
		switch {
		case last.Phase > s.phase:
			return nil
		case last.Phase == s.phase:
			return b.phase(ctx, s, workers, last.Unit)
		}
		return b.phase(ctx, s, workers, 0)
	}
	if err := run(stage{phasePosts, b.cutPosts, (*worker).posts}); err != nil {
		return err
	}
	var err error
	if b.list, err = b.listTags(ctx, workers, last); err != nil {
		return err
	}
	if err := run(stage{phaseTags, cutList(len(b.list.tags), tagBlock), (*worker).tagUnit}); err != nil {
		return err
	}
	if err := run(stage{phaseWikis, cutList(len(b.list.wikis), wikiBlock), (*worker).wikiUnit}); err != nil {
		return err
	}
	return b.asm.finish(ctx)
}

// phase cuts, renders on all workers and assembles in order. At most two units
// more than there are workers are under way.
func (b *build) phase(ctx context.Context, s stage, workers []*worker, from int64) error {
	g, ctx := errgroup.WithContext(ctx)
	todo, ordered := make(chan *unit), make(chan *unit, len(workers)+1)
	g.Go(func() error {
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
		g.Go(func() error {
			for u := range todo {
				if err := w.unit(ctx, s, u); err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		for u := range ordered {
			if err := b.collect(ctx, s.phase, u); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// collect takes a unit's fragments as they come.
func (b *build) collect(ctx context.Context, p phase, u *unit) error {
	b.shelf.collecting(u)
	b.asm.begin(p, u)
	for {
		select {
		case f, ok := <-u.out:
			if !ok {
				b.asm.end()
				b.Progress("graph", b.asm.done[questionsWritten]+b.asm.done[answersWritten], int64(b.threads.Len()))
				return nil
			}
			if err := b.asm.put(ctx, f); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
