package verify

import (
	"context"
	"path"
)

// task is the files that are read together: one, or those of a part, whose
// parents come first.
type task []int

// tasks are all files, by their positions.
func (b *build) tasks() []task {
	var all []task
	parts := map[string]int{} // by the name of their files
	add := func(kind fileKind) {
		for i, f := range b.files {
			if f.kind != kind {
				continue
			}
			part := path.Base(f.name)
			at, known := parts[part]
			if !known || kind != aParent && kind != aShard {
				at, parts[part] = len(all), len(all)
				all = append(all, nil)
			}
			all[at] = append(all[at], i)
		}
	}
	for _, kind := range []fileKind{anOther, aBatch, aParent, aShard} {
		add(kind)
	}
	return all
}

// readTask reads files.
func (b *build) readTask(ctx context.Context, t task, found []finding, w *worker) (err error) {
	w.wholes.reset()
	for _, i := range t {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, to := b.files[i], &found[i]
		if to.sum, err = b.digest(f); err != nil {
			return err
		}
		switch f.kind {
		case aBatch:
			to.quads, to.bad, err = b.readBatch(ctx, f, w.census)
		case aShard:
			w.wholes.rewind()
			to.shard, to.bad, err = b.readShard(ctx, f, &w.wholes, nil)
		case aParent:
			to.rows, to.bad, err = b.readParents(ctx, f, &w.wholes)
		}
		if err != nil {
			return err
		}
		b.progress.add(f.size)
	}
	return nil
}

// worker is what is handed from task to task.
type worker struct {
	census *census
	wholes wholes
}
