package vectors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors/embed"
)

// stage is one run: what all workers share.
type stage struct {
	Options
	db        *tables.DB
	unitPosts int64       // how many posts a unit has, at most
	dense     embed.Dense // nil until it is fitted or read
	sparse    embed.Sparse
	windows   Windows
	remote    remoteCounts // of what endpoints did
	run       *manifest.Run
	files     map[string]manifest.File // that an interrupted run has committed, by name
	writing   []parquet.WriterOption
	index     *threads.Index
	linked    bool     // the table PostLinks is in service
	earlier   *earlier // nil: no vectors are reused

	mu      sync.Mutex
	summary manifest.Summary
	done    int64 // posts
	total   int64
}

// Run makes the shards of all languages, and enters them in the manifest. It goes
// on from an interrupted run of the same key; see [Key].
func Run(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) error {
	return (&stage{Options: o, db: db, unitPosts: unitPosts}).into(ctx, dir)
}

func (s *stage) into(ctx context.Context, dir *manifest.Dir) (err error) {
	dumpKey, err := s.db.DumpKey(ctx)
	if err != nil {
		return err
	}
	key, err := Key(dumpKey, s.Options)
	if err != nil {
		return err
	}
	if s.Options, err = s.complete(); err != nil {
		return err
	}
	if s.run, err = dir.Begin(manifest.Vectors, key); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.run.Close()) }()
	s.writing = writerOptions()
	s.files = map[string]manifest.File{}
	for _, f := range s.run.Committed() {
		s.files[f.Name] = f
	}
	s.summary.Counts = map[string]int64{}
	if err := s.make(ctx, dir); err != nil {
		return fmt.Errorf("making vectors: %w", err)
	}
	s.summary.Embedders = s.embeddersOf()
	return s.run.Finish(s.summary)
}

// make prepares what the workers share, and lets them make the units that are
// not there yet.
func (s *stage) make(ctx context.Context, dir *manifest.Dir) (err error) {
	s.Progress("reading threads", 0, 0)
	if s.index, err = threads.Build(ctx, s.db, s.Languages, s.Other); err != nil {
		return err
	}
	if s.linked, err = hasLinks(ctx, s.db); err != nil {
		return err
	}
	plan := s.plan()
	s.total = plan.posts
	todo := s.resume(plan.units)
	if len(plan.units) > 0 {
		if err := s.openEarlier(); err != nil {
			return err
		}
		if err := s.embedders(ctx, dir, plan.sample); err != nil {
			return err
		}
		s.checkEarlier()
		if err := s.openWindows(); err != nil {
			return err
		}
	}
	s.Log.Info("vectors", "posts", plan.posts, "units", len(plan.units), "already made", len(plan.units)-len(todo), "workers", s.Workers)
	return s.makeUnits(ctx, todo)
}

func (s *stage) makeUnits(ctx context.Context, todo []unit) error {
	group, ctx := errgroup.WithContext(ctx)
	units := make(chan unit)
	group.Go(func() error {
		defer close(units)
		for _, u := range todo {
			select {
			case units <- u:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range min(s.Workers, len(todo)) {
		m := newMaker(s)
		group.Go(func() error {
			for u := range units {
				if err := m.make(ctx, u); err != nil {
					return fmt.Errorf("unit %d, posts %d to %d: %w", u.number, u.first, u.last, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// advance tells the progress callback that n more posts are done.
func (s *stage) advance(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	s.Progress("embedding posts", s.done, s.total)
}
