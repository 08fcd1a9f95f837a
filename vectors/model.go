package vectors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// openEmbedders opens the two embedders. It reads the builtin dense embedder from an
// interrupted run, else from the build to reuse, else it fits one on the sample.
func (r *run) openEmbedders(ctx context.Context, out string, sample []int64) (err error) {
	remote := r.Remote
	remote.Log = r.Log
	if r.Sparse == embed.KindBM25 {
		r.sparse, err = embed.OpenBM25(r.TextLanguage)
	} else {
		r.sparse, err = embed.OpenSparse(ctx, r.Sparse, remote)
	}
	if err != nil {
		return err
	}
	if r.dense != nil {
		return nil
	}
	if r.Dense != embed.KindBuiltin {
		r.dense, err = embed.OpenDense(ctx, r.Dense, remote)
		return err
	}
	var model *embed.LSA
	committed := false
	for name := range r.committed {
		committed = committed || shard.IsModel(name)
	}
	switch {
	case committed:
		model, err = embed.ReadLSAFile(shard.ModelPath(out))
	case r.reused != nil && strings.HasPrefix(r.reused.embedders.Dense, "builtin/"):
		model, err = embed.ReadLSAFile(shard.ModelPath(r.Reuse))
	}
	if err == nil && !committed && model != nil && string(model.Language()) != r.TextLanguage {
		model = nil
	}
	if err == nil && model == nil {
		r.Progress("fitting the dense embedder", 0, 0)
		r.Log.Info("fitting the dense embedder", "posts", len(sample))
		model, err = r.fit(ctx, sample)
	}
	if err != nil {
		return err
	}
	if r.dense = model; committed {
		return nil
	}
	return r.saveModel(model)
}

func (r *run) saveModel(model *embed.LSA) error {
	out, err := r.sink.Create(shard.ModelName)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := model.Write(out); err != nil {
		return err
	}
	committed, err := out.Commit(0, "")
	if err != nil {
		return err
	}
	return r.sink.Note("vectors/model", 0, "", committed)
}

// fit fits the builtin embedder on the first chunks of the posts of the sample, because the
// beginning of a long post has its subject.
func (r *run) fit(ctx context.Context, sample []int64) (*embed.LSA, error) {
	var failed error
	model, err := embed.FitLSA(ctx, embed.Language(r.TextLanguage), r.firstChunks(ctx, sample, &failed), 0)
	if err := errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("fitting the dense embedder: %w", err)
	}
	return model, nil
}

// sampleQuery is the number of posts of the sample that one query reads.
const sampleQuery = 500

// firstChunks yields the first chunks of posts in the order of their ids, and stores an
// error in failed. Workers clean posts some queries ahead and cache them for the units.
func (r *run) firstChunks(ctx context.Context, sample []int64, failed *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(r.Workers + 1) // and the goroutine that starts them
		queue := make(chan chan []string, r.Workers)
		group.Go(func() error {
			defer close(queue)
			for ids := range slices.Chunk(sample, sampleQuery) {
				part := make(chan []string, 1)
				select {
				case queue <- part:
				case <-within.Done():
					return within.Err()
				}
				group.Go(func() error {
					texts, err := r.readFirstChunks(within, ids)
					part <- texts
					return err
				})
			}
			return nil
		})
		for part := range queue {
			for _, text := range <-part {
				if !yield(text) {
					cancel()
					_ = group.Wait() // the consumer has an error of its own
					return
				}
			}
		}
		*failed = group.Wait()
	}
}

// readFirstChunks reads posts, caches them and returns their first chunks.
func (r *run) readFirstChunks(ctx context.Context, ids []int64) ([]string, error) {
	texts := make([]string, 0, len(ids))
	cleaner := r.newCleaner()
	err := selection(r.answers()).Each(ctx, r.db, "p.Id IN ("+tables.IDList(ids)+")", eachPost(func(p *post) error {
		cleaned, err := cleanPost(ctx, cleaner, Windows{Size: r.Window, Overlap: *r.Overlap}, p)
		if err != nil {
			return err
		}
		texts = append(texts, cleaned.chunks[0].Text)
		r.cleaned.put(p.id, cleaned)
		return nil
	}))
	return texts, err
}

// manifestEmbedders describes the embedders for the manifest. It returns nil where the run
// has opened none.
func (r *run) manifestEmbedders() *manifest.Embedders {
	if r.dense == nil {
		return nil
	}
	architecture := ""
	if r.Dense == embed.KindBuiltin {
		architecture = runtime.GOARCH // another one rounds sums otherwise
	}
	return &manifest.Embedders{
		Architecture: architecture,
		Dense:        r.dense.Model(), Sparse: r.sparse.Model(), Windows: r.windows.rule(), Weight: embed.DefaultWeight(r.dense.Model()),
	}
}

// endpointCounts are totals of retries and of truncated and refused texts, by name.
type endpointCounts map[string]int64

// newEndpointCounts returns the increase of the counts since the last call. Units are built
// side by side, so the summary of one may have the counts of another. The caller holds mu.
func (r *run) newEndpointCounts() endpointCounts {
	now, since := endpointCounts{}, endpointCounts{}
	for name, e := range map[string]any{"dense": r.dense, "sparse": r.sparse} {
		stats := embed.StatsOf(e)
		now[name+"_retries"], now[name+"_texts_truncated"], now[name+"_texts_refused"] = stats.Retries, stats.Truncated, stats.Refused
	}
	for name, n := range now {
		if n > r.endpoints[name] {
			since[name] = n - r.endpoints[name]
		}
	}
	r.endpoints = now
	return since
}
