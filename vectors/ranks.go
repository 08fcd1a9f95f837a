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

// Ranks divide the units of a build among World processes: process Rank, from 0, builds
// every World'th unit. The shards do not depend on World, and a resumed run may have another
// World.
type Ranks struct {
	Rank, World int
}

func (r Ranks) check() error {
	if r.World < 1 || r.Rank < 0 || r.Rank >= r.World {
		return schema.Faultf(schema.FaultUsage, "ranks go from 0 to one less than their number", "rank %d of %d", r.Rank, r.World)
	}
	return nil
}

// assigned returns the units of the rank.
func (r Ranks) assigned(units []unit) (mine []unit) {
	for _, u := range units {
		if u.number%r.World == r.Rank {
			mine = append(mine, u)
		}
	}
	return mine
}

// RunRank builds the units of one rank that no share has yet; see [Merge]. It returns the
// summary of all units of the rank, those of earlier runs included.
func RunRank(ctx context.Context, share *manifest.Share, db *tables.DB, o Options, ranks Ranks) (manifest.Summary, error) {
	r := newRun(db, o)
	r.ranks = ranks
	err := r.intoShare(ctx, share)
	return r.summary, err
}

func (r *run) intoShare(ctx context.Context, share *manifest.Share) (err error) {
	if err := r.ranks.check(); err != nil {
		return err
	}
	if r.Options, err = r.complete(); err != nil {
		return err
	}
	r.begin(share, share.Committed())
	if err := r.build(ctx, share.Out()); err != nil {
		return fmt.Errorf("making vectors, rank %d of %d: %w", r.ranks.Rank, r.ranks.World, err)
	}
	return nil
}

// Merge enters the units of all ranks into the manifest, as [Run] does with its own. A unit
// that is missing or has another key or other models is a usage fault; Merge then enters
// nothing.
func Merge(ctx context.Context, dir *manifest.Dir, db *tables.DB, o Options) error {
	return newRun(db, o).merge(ctx, dir)
}

func (r *run) merge(ctx context.Context, dir *manifest.Dir) (err error) {
	key, err := r.key(ctx)
	if err != nil {
		return err
	}
	if r.Options, err = r.complete(); err != nil {
		return err
	}
	marked, err := dir.Marks(manifest.Vectors, key)
	if err != nil {
		return fmt.Errorf("merging vectors: %w", err)
	}
	r.begin(nil, marked)
	if err := r.mergeSummaries(ctx); err != nil {
		return fmt.Errorf("merging vectors: %w", err)
	}
	entry, err := dir.Begin(manifest.Vectors, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, entry.Close()) }()
	entered := map[string]bool{} // by an interrupted merge
	for _, f := range entry.Committed() {
		entered[f.Name] = true
	}
	for _, f := range marked {
		if entered[f.Name] {
			continue
		}
		if err := entry.Adopt(f); err != nil {
			return err
		}
	}
	if err := entry.Finish(r.summary); err != nil {
		return err
	}
	return dir.RemoveMarks(manifest.Vectors)
}

// mergeSummaries checks that every unit is committed and that all have the same models,
// and adds up their summaries.
func (r *run) mergeSummaries(ctx context.Context) (err error) {
	if err := r.readThreads(ctx); err != nil {
		return err
	}
	plan := r.plan()
	r.total = plan.posts
	if todo := r.resume(plan.units); len(todo) > 0 {
		return schema.Faultf(schema.FaultUsage, "let every rank end with exit code 0, then merge",
			"%d of %d units are missing, the first is %s, posts %d to %d", len(todo), len(plan.units), todo[0].part(), todo[0].first, todo[0].last)
	}
	for _, u := range plan.units {
		var s unitSummary
		if err := json.Unmarshal([]byte(r.committed[u.note()].At), &s); err != nil {
			return fmt.Errorf("reading the mark of %s: %w", u.part(), err)
		}
		if r.summary.Embedders == nil {
			r.summary.Embedders = s.Embedders
		}
		if !reflect.DeepEqual(s.Embedders, r.summary.Embedders) {
			return schema.Faultf(schema.FaultUsage, "have the endpoints of all ranks serve one model, remove the mark and run its rank again",
				"%s was made by %+v, %s by %+v", u.part(), *s.Embedders, plan.units[0].part(), *r.summary.Embedders)
		}
	}
	return nil
}
