package build

import (
	"context"
	"errors"
	"slices"
	"sync"

	"s2g/graph"
	"s2g/schema/manifest"
	"s2g/schema/postscan"
	"s2g/schema/threads"
	"s2g/vectors"
	"s2g/vectors/embed"
)

// OnePass reports whether a build of the given stages makes graph and vectors side by side, if both are stale. Where an
// endpoint embeds, the graph is complete before the vectors begin, which take far longer.
func OnePass(s manifest.Options, stages []string) bool {
	builtin := (s.Dense == "" || s.Dense == embed.KindBuiltin) && (s.Sparse == "" || s.Sparse == embed.KindBM25)
	return builtin && slices.Contains(stages, manifest.Graph) && slices.Contains(stages, manifest.Vectors)
}

// graphAndVectors makes graph and vectors. If both are stale, they run side by side and the posts are read once. After a
// failure of one the other is completed and entered in the manifest.
func (b *Build) graphAndVectors(ctx context.Context) error {
	graphOptions, keys, err := b.graphRun()
	if err != nil {
		return err
	}
	first, err := b.begin(ctx, manifest.Graph, keys, false, manifest.Graph, manifest.Vectors)
	if err != nil {
		return err
	}
	if first == nil {
		return b.Vectors(ctx)
	}
	if err := b.checkQuestions(ctx, first.db); err != nil {
		return err
	}
	vectorsOptions, second, failed := b.beginVectors(ctx)
	if second == nil {
		return errors.Join(b.runGraph(ctx, first, graphOptions), failed)
	}
	return b.runBoth(ctx, first, graphOptions, second, vectorsOptions)
}

// beginVectors prepares a run of the vectors beside the graph. The run is nil if they are up to date.
func (b *Build) beginVectors(ctx context.Context) (o vectors.Options, run *stageRun, err error) {
	o, keys, err := b.vectorsRun()
	if err != nil {
		return o, nil, err
	}
	run, err = b.begin(ctx, manifest.Vectors, keys, false, manifest.Graph, manifest.Vectors)
	if run == nil || err != nil {
		return o, nil, err
	}
	if err := b.adoptVectors(&o, keys[manifest.Vectors]); err != nil {
		return o, nil, err
	}
	return o, run, nil
}

// runBoth makes graph and vectors side by side.
func (b *Build) runBoth(ctx context.Context, first *stageRun, graphOptions graph.Options, second *stageRun, vectorsOptions vectors.Options) error {
	defer b.limitMemory(graph.MemoryLimit(b.posts()) + vectors.MemoryLimit(vectorsOptions.Workers) + postscan.SharedBytes)()
	var ends [2]func()
	graphOptions.Progress, ends[0] = b.show(first)
	vectorsOptions.Progress, ends[1] = b.show(second)
	graphOptions.Progress("reading threads", 0, 0)
	index, err := threads.Build(ctx, first.db, graphOptions.Languages, graphOptions.Other)
	if err != nil {
		ends[0]()
		ends[1]()
		return err
	}
	first.warning = b.warnUnasked(index.UnusedTags(graphOptions.Languages))
	scan, sources := postscan.Share(ctx, first.db, postscan.Selection{}, vectorsOptions.Selection())
	defer scan.Close()
	graphOptions.Threads, graphOptions.Posts = index, sources[0]
	vectorsOptions.Threads, vectorsOptions.Posts = index, sources[1]

	var group sync.WaitGroup
	var mu sync.Mutex // one stage ends at a time
	var failed [2]error
	for i, stage := range []struct {
		*stageRun
		work func() error
	}{
		{first, func() error { return graph.Run(ctx, b.Dir, first.db, graphOptions) }},
		{second, func() error { return vectors.Run(ctx, b.Dir, second.db, vectorsOptions) }},
	} {
		group.Go(func() {
			err := stage.work()
			sources[i].Close() // the other stage waits for it no longer
			mu.Lock()
			defer mu.Unlock()
			ends[i]()
			if failed[i] = b.finish(stage.stageRun, err); failed[i] != nil && failed[1-i] == nil && ctx.Err() == nil {
				b.Options.Log.Error(stage.name+" has failed; the error follows when the other stage has ended", "error", failed[i])
			}
		})
	}
	group.Wait()
	slices.SortStableFunc(b.Outcomes, func(x, y Outcome) int { return slices.Index(Stages, x.Stage) - slices.Index(Stages, y.Stage) })
	b.Options.Log.Info("graph and vectors have read the posts in one pass", "largest memory of rows", scan.Peak())
	return errors.Join(failed[:]...)
}
