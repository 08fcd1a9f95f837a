package ingest

import (
	"context"
	"errors"
	"syscall"

	"s2g/schema"
	"s2g/schema/manifest"
)

// resume looks at what an interrupted run of the same dump has left: staging
// tables, or tables in service of which the manifest does not know yet. A note
// is not taken at its word, for it is on disk at once, while the server, if it
// was killed too, may have lost what it had not written.
func (in *ingest) resume(ctx context.Context) error {
	notes := noted(in.run)
	if len(notes) == 0 {
		return nil
	}
	key, err := in.db.DumpKey(ctx)
	if err != nil {
		return err
	}
	in.served = key == in.plan.Key
	for _, s := range in.plan.Dump.Streams {
		for _, m := range s.Members {
			in.served = in.served && notes[m.Table] != nil
		}
	}
	for _, t := range schema.Tables() {
		l := notes[t.Name]
		if l == nil {
			continue
		}
		whole, err := in.db.TableIntact(ctx, t, in.served, l.Rows, l.Last)
		if err != nil {
			return err
		}
		if !whole {
			in.o.Log.Warn("a table of the interrupted run is not whole; loading it again", "table", t.Name)
			if in.served { // the others are no staging tables any more
				in.served = false
				clear(in.done)
				return nil
			}
			continue
		}
		if err := in.o.judge(l.Member, &l.Tally); err != nil { // the limits may be others now
			return err
		}
		in.o.Log.Info("loaded by the interrupted run", "table", t.Name, "rows", l.Rows)
		in.done[t.Name] = l
	}
	return nil
}

// serve puts the tables in service and writes the manifest.
//
// The manifest and the tables cannot change in one step. A manifest that named
// the old dump as up to date while the new one is in service would be believed
// by the next run, so that nothing could mend it. So the old dump's key is
// taken out first: whatever is killed from there on, the next run is not fresh
// and ends here again. A swap that fails puts it back.
func (in *ingest) serve(ctx context.Context) error {
	if in.served {
		if err := in.db.Tidy(ctx); err != nil {
			return err
		}
	} else if err := in.swap(ctx); err != nil {
		return err
	}
	if err := in.writeRejects(); err != nil {
		return err
	}
	if err := in.dir.Update(func(m *manifest.Manifest) { m.Dump = in.describe() }); err != nil {
		return err
	}
	return in.run.Finish(in.summary())
}

func (in *ingest) swap(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	old := ""
	if s := in.dir.Manifest().Stages[manifest.Ingest]; s != nil {
		old = s.Key
	}
	if err := in.setKey(""); err != nil {
		return err
	}
	// It takes a moment, and the server would not stop in its middle anyway: no cancelling, so that its outcome is known.
	ctx = context.WithoutCancel(ctx)
	err := in.db.Swap(ctx, in.plan.Key, in.tables())
	if err == nil {
		return nil
	}
	if key, held := in.db.DumpKey(ctx); held == nil && key == old {
		err = errors.Join(err, in.setKey(old))
	}
	return err
}

// tables are those that the dump has, and that are not left out.
func (in *ingest) tables() []schema.Table {
	var ts []schema.Table
	for _, m := range in.plan.Dump.Tables() {
		t, _ := schema.TableByName(m.Table)
		ts = append(ts, t)
	}
	return ts
}

// setKey sets the key of the ingest that the manifest names, if it names one.
func (in *ingest) setKey(key string) error {
	done := in.dir.Manifest().Stages[manifest.Ingest]
	if done == nil || done.Key == key {
		return nil
	}
	changed := *done
	changed.Key = key
	return in.dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Ingest] = &changed })
}

// resources gives a full disk the fault that says whose it is.
func resources(err error) error {
	var fault *schema.Error
	if err == nil || errors.As(err, &fault) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return schema.Faultf(schema.FaultResources, "free disk space and run again; it goes on", "%w", err)
	}
	return err
}
