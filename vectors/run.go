package vectors

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// outputs takes the files of a stage: a run of the build's own, or a share of one.
type outputs interface {
	Create(name string) (*manifest.Output, error)
	Note(name string, rows int64, at string, files ...manifest.File) error
}

// stage is one run: what all workers share.
type stage struct {
	Options
	db        *tables.DB
	unitPosts int64       // how many posts a unit has, at most
	dense     embed.Dense // nil until it is fitted or read
	sparse    embed.Sparse
	windows   Windows
	remote    remoteCounts // of what endpoints did
	ranks     Ranks        // which units are made; one rank of one makes all
	outputs   outputs
	files     map[string]manifest.File // that an interrupted run has committed, by name
	encoding  *shard.Encoding
	index     *threads.Index
	linked    bool     // the table PostLinks is in service
	earlier   *earlier // nil: no vectors are reused
	kept      kept     // of the sample
	spare     spare

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

// key is that of the tables and the options; see [Key].
func (s *stage) key(ctx context.Context) (string, error) {
	dumpKey, err := s.db.DumpKey(ctx)
	if err != nil {
		return "", err
	}
	return Key(dumpKey, s.Options)
}

func (s *stage) into(ctx context.Context, dir *manifest.Dir) (err error) {
	key, err := s.key(ctx)
	if err != nil {
		return err
	}
	if s.Options, err = s.complete(); err != nil {
		return err
	}
	if dir.HasMarks(manifest.Vectors) {
		return schema.Faultf(schema.FaultUsage, "put them into the build with s2g vectors --merge, or begin in another --out", "ranks have made vectors in %s", dir.Out())
	}
	run, err := dir.Begin(manifest.Vectors, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	s.ranks = Ranks{Rank: 0, World: 1}
	s.begin(run, run.Committed())
	if err := s.make(ctx, dir.Out()); err != nil {
		return fmt.Errorf("making vectors: %w", err)
	}
	s.summary.Embedders = s.embeddersOf()
	return run.Finish(s.summary)
}

// begin sets the stage to write to outputs, where committed is done already.
func (s *stage) begin(out outputs, committed []manifest.File) {
	s.outputs, s.encoding = out, shard.NewEncoding()
	s.files = map[string]manifest.File{}
	for _, f := range committed {
		s.files[f.Name] = f
	}
	s.summary.Counts = map[string]int64{}
}

// make prepares what the workers share, and lets them make the units that are
// not there yet.
func (s *stage) make(ctx context.Context, out string) (err error) {
	if err := s.readThreads(ctx); err != nil {
		return err
	}
	if s.linked, err = s.db.HasTable(ctx, "PostLinks"); err != nil {
		return err
	}
	plan := s.plan()
	mine := s.ranks.of(plan.units)
	for _, u := range mine {
		s.total += u.posts
	}
	todo := s.resume(mine)
	if len(mine) > 0 {
		if err := s.openEarlier(); err != nil {
			return err
		}
		if err := s.embedders(ctx, out, plan.sample); err != nil {
			return err
		}
		s.checkEarlier()
		if err := s.openWindows(); err != nil {
			return err
		}
	}
	s.Log.Info("vectors", "posts", s.total, "units", len(mine), "already made", len(mine)-len(todo), "workers", s.Workers)
	return s.makeUnits(ctx, todo)
}

// readThreads finds out which posts are in which languages.
func (s *stage) readThreads(ctx context.Context) (err error) {
	s.Progress("reading threads", 0, 0)
	if s.index, err = threads.Build(ctx, s.db, s.Languages, s.Other); err == nil {
		s.summary.UnusedTags = s.index.UnusedTags(s.Languages)
	}
	return err
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
	s.spare = make(spare, s.Workers)
	for range s.Workers - len(todo) {
		s.spare.lend()
	}
	for range min(s.Workers, len(todo)) {
		m := newMaker(s)
		group.Go(func() error {
			defer s.spare.lend()
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
