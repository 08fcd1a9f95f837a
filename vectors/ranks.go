package vectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Ranks is how the units of a build are shared by World processes: the one of
// number Rank, from 0, makes every World'th unit. The shards are the same whatever
// World is, and it may be another when the work is taken up again.
type Ranks struct {
	Rank, World int
}

func (r Ranks) check() error {
	if r.World < 1 || r.Rank < 0 || r.Rank >= r.World {
		return schema.Faultf(schema.FaultUsage, "ranks go from 0 to one less than their number", "rank %d of %d", r.Rank, r.World)
	}
	return nil
}

// of returns the units of a rank.
func (r Ranks) of(units []unit) (mine []unit) {
	for _, u := range units {
		if u.number%r.World == r.Rank {
			mine = append(mine, u)
		}
	}
	return mine
}

// RunRank makes the units of one rank that no share has made yet; see [Merge]. The
// summary is that of all units of the rank, those made earlier included.
func RunRank(ctx context.Context, share *manifest.Share, db *tables.DB, o Options, r Ranks) (manifest.Summary, error) {
	s := &stage{Options: o, db: db, unitPosts: unitPosts, ranks: r}
	err := s.shared(ctx, share)
	return s.summary, err
}

func (s *stage) shared(ctx context.Context, share *manifest.Share) (err error) {
	if err := s.ranks.check(); err != nil {
		return err
	}
	if s.Options, err = s.complete(); err != nil {
		return err
	}
	s.begin(share, share.Committed())
	if err := s.make(ctx, share.Out()); err != nil {
		return fmt.Errorf("making vectors, rank %d of %d: %w", s.ranks.Rank, s.ranks.World, err)
	}
	return nil
}

// Merge enters the units that ranks have made into the manifest, as [Run] does its
// own. A unit that is missing, or was made for another key or by another model, is a
// usage fault, and nothing is entered.
func Merge(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) error {
	return (&stage{Options: o, db: db, unitPosts: unitPosts}).merge(ctx, dir)
}

func (s *stage) merge(ctx context.Context, dir *manifest.Dir) (err error) {
	key, err := s.key(ctx)
	if err != nil {
		return err
	}
	if s.Options, err = s.complete(); err != nil {
		return err
	}
	marked, err := dir.Marks(manifest.Vectors, key)
	if err != nil {
		return fmt.Errorf("merging vectors: %w", err)
	}
	s.begin(nil, marked)
	if err := s.mergeUnits(ctx); err != nil {
		return fmt.Errorf("merging vectors: %w", err)
	}
	run, err := dir.Begin(manifest.Vectors, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	known := map[string]bool{} // of a merge that was interrupted
	for _, f := range run.Committed() {
		known[f.Name] = true
	}
	for _, f := range marked {
		if known[f.Name] {
			continue
		}
		if err := run.Adopt(f); err != nil {
			return err
		}
	}
	if err := run.Finish(s.summary); err != nil {
		return err
	}
	return dir.RemoveMarks(manifest.Vectors)
}

// mergeUnits makes sure that every unit is there, of one pair of models, and adds
// up the summary.
func (s *stage) mergeUnits(ctx context.Context) (err error) {
	if err := s.readThreads(ctx); err != nil {
		return err
	}
	plan := s.plan()
	s.total = plan.posts
	if todo := s.resume(plan.units); len(todo) > 0 {
		return schema.Faultf(schema.FaultUsage, "let every rank end with exit code 0, then merge",
			"%d of %d units are missing, the first is %s, posts %d to %d", len(todo), len(plan.units), todo[0].part(), todo[0].first, todo[0].last)
	}
	for _, u := range plan.units {
		var m made
		if err := json.Unmarshal([]byte(s.files[u.note()].At), &m); err != nil {
			return fmt.Errorf("reading the mark of %s: %w", u.part(), err)
		}
		if s.summary.Embedders == nil {
			s.summary.Embedders = m.Embedders
		}
		if !reflect.DeepEqual(m.Embedders, s.summary.Embedders) {
			return schema.Faultf(schema.FaultUsage, "have the endpoints of all ranks serve one model, remove the mark and run its rank again",
				"%s was made by %+v, %s by %+v", u.part(), *m.Embedders, plan.units[0].part(), *s.summary.Embedders)
		}
	}
	return nil
}
