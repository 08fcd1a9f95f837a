package graph

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema/manifest"
)

// unitBuffer is the capacity of a unit's channel: all fragments of the pool can wait
// there for the units before it.
const unitBuffer = poolSize / fragmentSize

// pipeline writes the batches of one run: phase by phase, on workers, through the
// assembler to the writer.
type pipeline struct {
	Options
	*source
	terms     *terms
	pool      *fragmentPool
	assembler *assembler
}

// step is the work of one phase. cut emits the phase's units in order, beginning with
// the one at position from; render renders one unit.
type step struct {
	phase  phase
	cut    func(ctx context.Context, from int64, emit func(*unit) error) error
	render func(*worker, context.Context, *unit) error
}

// writeBatches completes the batch files in OUT, and returns all of them.
func (p *pipeline) writeBatches(ctx context.Context, run *manifest.Run, out string) ([]manifest.File, error) {
	files, last, err := resume(run.Committed(), p.suffix(), len(p.terms.kinds.all))
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		p.Log.Info("resuming after the files of an interrupted run", "files", len(files))
	}
	perGraph, err := countCommitted(ctx, out, files, p.graphs, p.terms.kinds, p.Workers)
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	w := startWriter(ctx, group, p.Workers, writer{
		run: run, compression: compressions[p.Compress], suffix: p.suffix(), files: files, pool: p.pool,
		newBatch: func() *trig.Batch { return trig.NewBatch(p.terms.syntax, p.graphs, p.batch) },
	})
	p.assembler = &assembler{
		writer: w, pool: p.pool, files: len(files), perGraph: perGraph,
		done: last.Done, kinds: slices.Clone(last.Kinds), start: &last,
	}
	group.Go(func() error { return p.figures.addEarlier(ctx, p.source, last) })
	group.Go(func() error {
		defer w.close()
		return p.runPhases(ctx, last)
	})
	err = group.Wait()
	return w.files, err
}

// runPhases runs the phases from the checkpoint on.
func (p *pipeline) runPhases(ctx context.Context, last checkpoint) error {
	if last.Phase == phaseDone {
		return nil
	}
	workers := make([]*worker, p.Workers)
	for i := range workers {
		workers[i] = newWorker(p.source, p.terms, p.pool, p.fragment)
	}
	run := func(s step) error {
		if last.Phase > s.phase {
			return nil
		}
		var from int64
		if last.Phase == s.phase {
			from = last.Unit
		}
		return p.runStep(ctx, s, workers, from)
	}
	if err := run(step{phasePosts, cutPosts(p.db, p.posts), (*worker).renderPosts}); err != nil {
		return err
	}
	p.posts.Close()
	tagged := tagGraphs{} // of the questions that this run has rendered
	for _, w := range workers {
		tagged.union(w.tagged)
		w.tagged = nil
	}
	list, err := listTags(ctx, p.source, tagged, last)
	if err != nil {
		return err
	}
	err = run(step{phaseTags, cutList(len(list.tags), tagBlock), func(w *worker, ctx context.Context, u *unit) error {
		return w.renderTags(ctx, list.tags[u.lo:u.hi+1])
	}})
	if err != nil {
		return err
	}
	err = run(step{phaseWikis, cutList(len(list.wikis), wikiBlock), func(w *worker, ctx context.Context, u *unit) error {
		return w.renderWikis(ctx, list.wikis[u.lo:u.hi+1])
	}})
	if err != nil {
		return err
	}
	return p.assembler.finish(ctx)
}

// runStep cuts a phase into units, renders them on all workers and assembles them in
// order. At most two more units than workers are in progress.
func (p *pipeline) runStep(ctx context.Context, s step, workers []*worker, from int64) error {
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
				if err := w.renderUnit(ctx, s.render, u); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for u := range ordered {
			p.pool.setNext(u)
			p.assembler.begin(s.phase, u)
			for open := true; open; {
				select {
				case f, ok := <-u.out:
					if open = ok; !ok {
						break
					}
					if err := p.assembler.put(ctx, f); err != nil {
						return err
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			p.assembler.end()
			p.Progress("graph", p.assembler.done[questionsWritten]+p.assembler.done[answersWritten], int64(p.threads.Len()))
		}
		return nil
	})
	return group.Wait()
}
