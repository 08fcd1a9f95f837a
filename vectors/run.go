// Package vectors turns posts into points of a vector database.
//
// It reads the tables in MariaDB and writes, below OUT:
//
//	model.bin                         the builtin dense embedder, fitted on a sample of the texts
//	vectors/SLUG/part-00000.parquet   the points of a language, ordered by point id; see [shard.Point]
//	parents/part-00000.parquet        the whole cleaned text of each post; see [shard.Parent]
//
// The posts are those of the knowledge graph, and a point's payload repeats properties of
// the graph, so that ids are valid in both.
//
// The work is cut into units, ranges of post ids with a bounded number of posts. A unit is
// a part in each language that has posts in the range. One worker builds it: read, clean,
// cut into windows, embed, write. The text of a post in several languages is embedded once.
// Units share only the embedders and the index of threads. So the bytes depend neither on
// the number of workers nor on the units that an interrupted run has finished.
package vectors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/postscan"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// sink stores the files of a run: in a build, or as a rank's share of one.
type sink interface {
	Create(name string) (*manifest.Output, error)
	Note(name string, rows int64, at string, files ...manifest.File) error
}

// run is a run of the stage. Its workers share it.
type run struct {
	Options
	db        *tables.DB
	unitPosts int64 // posts of a unit, at most
	ranks     Ranks // the units that this process builds

	sink      sink
	committed map[string]manifest.File // by name, of this run and of an interrupted one before it
	encoding  *shard.Encoding
	index     *threads.Index
	hasLinks  bool        // the table PostLinks is in service
	dense     embed.Dense // nil until it is opened or fitted
	sparse    embed.Sparse
	windows   Windows
	reused    *reusedBuild   // that of option reuse; nil: none
	reusable  []*reusedBuild // all whose vectors may be copied
	cleaned   preparedCache  // posts of the sample
	idle      idleWorkers

	mu        sync.Mutex // guards the fields below
	summary   manifest.Summary
	done      int64 // posts
	total     int64
	endpoints endpointCounts
}

func newRun(db *tables.DB, o Options) *run {
	return &run{Options: o, db: db, unitPosts: unitPosts}
}

// Run makes the shards of all languages and enters them in the manifest. It resumes an
// interrupted run that has the same key; see [Key].
func Run(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) error {
	return newRun(db, o).intoBuild(ctx, dir)
}

func (r *run) intoBuild(ctx context.Context, dir *manifest.Dir) (err error) {
	key, err := r.key(ctx)
	if err != nil {
		return err
	}
	if r.Options, err = r.complete(); err != nil {
		return err
	}
	if dir.HasMarks(manifest.Vectors) {
		return schema.Faultf(schema.FaultUsage, "merge them, by s2g vectors with option merge, or choose another option out", "ranks have made vectors in %s", dir.Out())
	}
	entry, err := dir.Begin(manifest.Vectors, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, entry.Close()) }()
	r.ranks = Ranks{Rank: 0, World: 1}
	r.begin(entry, entry.Committed())
	if err := r.build(ctx, dir.Out()); err != nil {
		return fmt.Errorf("making vectors: %w", err)
	}
	r.summary.Embedders = r.manifestEmbedders()
	if adopted, ok := r.adoptedSummary(); ok && adopted.Embedders != nil && r.summary.Embedders != nil &&
		adopted.Embedders.Dense == r.summary.Embedders.Dense && adopted.Embedders.Sparse == r.summary.Embedders.Sparse {
		r.summary = adopted
	}
	return entry.Finish(r.summary)
}

// key returns the key of the tables and the options; see [Key].
func (r *run) key(ctx context.Context) (string, error) {
	if r.Adopted != "" {
		return r.Adopted, nil
	}
	dumpKey, err := r.db.DumpKey(ctx)
	if err != nil {
		return "", err
	}
	return Key(dumpKey, r.Options)
}

// begin sets the sink of the run, and the files that are committed in it already.
func (r *run) begin(to sink, committed []manifest.File) {
	r.sink, r.encoding = to, shard.NewEncoding()
	r.committed = map[string]manifest.File{}
	for _, f := range committed {
		r.committed[f.Name] = f
	}
	r.summary.Counts = map[string]int64{}
}

// build opens the state that the workers share, and starts workers for the units of the
// run's rank that are not committed. out is the folder of the build.
func (r *run) build(ctx context.Context, out string) (err error) {
	if err := r.readThreads(ctx); err != nil {
		return err
	}
	if r.hasLinks, err = r.db.HasTable(ctx, "PostLinks"); err != nil {
		return err
	}
	plan := r.plan()
	mine := r.ranks.assigned(plan.units)
	for _, u := range mine {
		r.total += u.posts
	}
	todo := r.resume(mine)
	source := r.source(todo)
	defer source.Close()
	if len(mine) > 0 {
		if err := r.openReused(); err != nil {
			return err
		}
		if err := r.openEmbedders(ctx, out, plan.sample); err != nil {
			return err
		}
		r.matchModels()
		if err := r.openWindows(); err != nil {
			return err
		}
	}
	r.Log.Info("vectors", "posts", r.total, "units", len(mine), "already made", len(mine)-len(todo), "workers", r.Workers)

	group, ctx := errgroup.WithContext(ctx)
	units := make(chan unit)
	group.Go(func() error {
		defer close(units)
		for _, u := range todo {
			u.rows = source.Range(u.first, u.last)
			select {
			case units <- u:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	r.idle = make(idleWorkers, r.Workers)
	for range r.Workers - len(todo) {
		r.idle.add()
	}
	for range min(r.Workers, len(todo)) {
		b := newUnitBuilder(r)
		group.Go(func() error {
			defer b.setIdle()
			for u := range units {
				if err := b.build(ctx, u); err != nil {
					return fmt.Errorf("unit %d, posts %d to %d: %w", u.number, u.first, u.last, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// source returns the source of the posts, which has begun with those of the first unit.
func (r *run) source(todo []unit) postscan.Source {
	source := r.Posts
	if source == nil {
		source = postscan.Table{DB: r.db, Selection: r.Selection()}
	}
	if len(todo) > 0 {
		source.Begin(todo[0].first)
	} else {
		source.Close()
	}
	return source
}

// readThreads reads which posts are in which languages.
func (r *run) readThreads(ctx context.Context) (err error) {
	r.Progress("reading threads", 0, 0)
	if r.index = r.Threads; r.index == nil {
		if r.index, err = threads.Build(ctx, r.db, r.Languages, r.Other); err != nil {
			return err
		}
	}
	r.summary.UnusedTags = r.index.UnusedTags(r.Languages)
	return nil
}

// advance reports that n more posts are done.
func (r *run) advance(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += n
	r.Progress("embedding posts", r.done, r.total)
}

// idleWorkers holds a token for each worker without a unit. Such a worker helps those that
// still build one: workers rarely share the units evenly, and without help one worker alone
// would build the last unit.
type idleWorkers chan struct{}

// add makes a worker idle.
func (w idleWorkers) add() { w <- struct{}{} }

// take makes an idle worker busy. It returns false where there is none.
func (w idleWorkers) take() bool {
	select {
	case <-w:
		return true
	default:
		return false
	}
}

// run starts the work on an idle worker, in the group. Without an idle worker it does the
// work itself before it returns.
func (w idleWorkers) run(group *errgroup.Group, work func() error) error {
	if !w.take() {
		return work()
	}
	group.Go(func() error {
		defer w.add()
		return work()
	})
	return nil
}
