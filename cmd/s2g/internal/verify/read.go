package verify

import (
	"context"
	"path"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
)

// readFiles reads every file once and makes the checks of files in themselves.
func (v *verifier) readFiles(ctx context.Context) error {
	results := make([]fileResult, len(v.files))
	idle := make(chan *worker, v.workers)
	for range v.workers {
		idle <- &worker{quads: newQuadCounter(v)}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(v.workers)
	for _, group := range v.fileGroups() {
		work.Go(func() error {
			w := <-idle
			defer func() { idle <- w }()
			return v.readGroup(ctx, group, results, w)
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for range v.workers {
		v.quads.merge((<-idle).quads)
	}
	v.checkInventory(results)
	v.checkBatches(results)
	v.checkShards(results)
	v.checkParents(results)
	if len(v.manifest.Published) > 0 {
		return v.checkDocuments(results)
	}
	return nil
}

// fileResult is what a file holds.
type fileResult struct {
	sha256     string
	difference string // the first that was found in the file; empty: none
	quads      int64
	shard      *shardContents // nil: the file is no shard
	parents    parentTally
}

// rows returns the number of quads, points or parents in the file.
func (r fileResult) rows() int64 {
	n := r.quads + r.parents.posts.Count
	if r.shard != nil {
		n += r.shard.points
	}
	return n
}

// worker is what a goroutine that reads files reuses.
type worker struct {
	quads   *quadCounter
	parents parentTexts
}

// fileGroup is the positions of files that one worker reads: a file, or the files
// of a part, whose parents come first.
type fileGroup []int

// fileGroups returns the groups of all files.
func (v *verifier) fileGroups() []fileGroup {
	var groups []fileGroup
	parts := map[string]int{} // positions in groups, by the name that the files of a part have
	for _, kind := range []fileKind{otherFile, batchFile, parentFile, shardFile} {
		for i, f := range v.files {
			if f.kind != kind {
				continue
			}
			part := path.Base(f.name)
			at, known := parts[part]
			if !known || kind != parentFile && kind != shardFile {
				at, parts[part] = len(groups), len(groups)
				groups = append(groups, nil)
			}
			groups[at] = append(groups[at], i)
		}
	}
	return groups
}

// readGroup reads the files of a group.
func (v *verifier) readGroup(ctx context.Context, group fileGroup, results []fileResult, w *worker) (err error) {
	w.parents.reset()
	for _, i := range group {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, r := v.files[i], &results[i]
		if r.sha256, err = v.hashFile(f); err != nil {
			return err
		}
		switch f.kind {
		case batchFile:
			r.difference, err = v.readQuads(ctx, f, func(q *trig.Quad) string {
				r.quads++
				return w.quads.count(q)
			})
		case shardFile:
			w.parents.rewind()
			r.shard, r.difference, err = v.readShard(ctx, f, &w.parents, nil)
		case parentFile:
			r.parents, r.difference, err = v.readParents(ctx, f, &w.parents)
		}
		if err != nil {
			return err
		}
		v.progress.add(f.size)
	}
	return nil
}

// byteProgress reports how many bytes of files were read, one call at a time.
type byteProgress struct {
	report      func(what string, done, total int64) // nil: none
	mu          sync.Mutex
	done, total int64
}

func newByteProgress(report func(string, int64, int64), files []file) *byteProgress {
	p := &byteProgress{report: report}
	for _, f := range files {
		p.total += f.size
	}
	return p
}

func (p *byteProgress) add(n int64) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.report("files", p.done, p.total)
}
