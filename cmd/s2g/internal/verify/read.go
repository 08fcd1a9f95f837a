package verify

import (
	"context"
	"path"
	"sync"

	"golang.org/x/sync/errgroup"
)

// read reads every file once.
func (b *build) read(ctx context.Context) error {
	found := make([]finding, len(b.files))
	workers := make(chan *worker, b.workers)
	for range b.workers {
		workers <- &worker{census: newCensus(b)}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(b.workers)
	for _, t := range b.tasks() {
		work.Go(func() error {
			w := <-workers
			defer func() { workers <- w }()
			return b.readTask(ctx, t, found, w)
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for range b.workers {
		b.census.merge((<-workers).census)
	}
	b.takeInventory(found)
	b.judgeBatches(found)
	b.judgeShards(found)
	b.judgeParents(found)
	if len(b.manifest.Published) > 0 {
		return b.judgeDocuments(found)
	}
	return nil
}

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

// finding is what a file holds. A difference is empty where there is none.
type finding struct {
	sum   string // SHA-256
	bad   string // the first difference in it
	quads int64
	shard *shard // nil: it is none
	rows  parentTally
}

// progress tells how many bytes of files were read, one call at a time.
type progress struct {
	tell        func(what string, done, total int64)
	mu          sync.Mutex
	done, total int64
}

func newProgress(tell func(string, int64, int64), files []file) *progress {
	p := &progress{tell: tell}
	for _, f := range files {
		p.total += f.size
	}
	return p
}

func (p *progress) add(n int64) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.tell("files", p.done, p.total)
}
