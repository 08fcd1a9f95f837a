package ingest

import (
	"context"
	"errors"
	"path/filepath"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/projection"
)

// finish puts the loaded tables in service and writes the manifest.
//
// The manifest and the tables cannot change in one step. If the manifest named
// the old dump as fresh while the new tables are in service, the next run would
// not repair it. So finish first removes the old dump's key from the manifest: an
// ingest that is killed later is not fresh, and the next run completes the swap.
// If the swap fails, finish restores the key.
func (in *ingestRun) finish(ctx context.Context) error {
	if in.inService {
		if err := in.db.Tidy(ctx); err != nil {
			return err
		}
	} else if err := in.swap(ctx); err != nil {
		return err
	}
	if err := projection.RemoveOthers(in.dir.Private(), in.plan.Key); err != nil {
		return err
	}
	if err := in.writeRejects(); err != nil {
		return err
	}
	if err := in.dir.Update(func(m *manifest.Manifest) { m.Dump = in.dumpEntry() }); err != nil {
		return err
	}
	return in.journal.Finish(in.summary())
}

// swap puts the staging tables in service.
func (in *ingestRun) swap(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	old := ""
	if s := in.dir.Manifest().Stages[manifest.Ingest]; s != nil {
		old = s.Key
	}
	if err := in.setManifestKey(""); err != nil {
		return err
	}
	var staged []schema.Table
	for _, m := range in.plan.Dump.Tables() {
		t, _ := schema.TableByName(m.Table)
		staged = append(staged, t)
	}
	// The swap takes a moment and MariaDB would not stop in the middle of it.
	// Without cancelling, its outcome is known.
	ctx = context.WithoutCancel(ctx)
	err := in.db.Swap(ctx, in.plan.Key, staged)
	if err == nil {
		return nil
	}
	if key, keyErr := in.db.DumpKey(ctx); keyErr == nil && key == old {
		err = errors.Join(err, in.setManifestKey(old))
	}
	return err
}

// setManifestKey sets the key of the manifest's ingest, if there is one.
func (in *ingestRun) setManifestKey(key string) error {
	stage := in.dir.Manifest().Stages[manifest.Ingest]
	if stage == nil || stage.Key == key {
		return nil
	}
	changed := *stage
	changed.Key = key
	return in.dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Ingest] = &changed })
}

// dumpEntry returns the manifest's description of the dump.
func (in *ingestRun) dumpEntry() manifest.Dump {
	d := manifest.Dump{Name: filepath.Base(in.o.Dump), Site: in.plan.Dump.Site, Form: in.plan.form, Tables: make(map[string]manifest.DumpTable)}
	for name, l := range in.loaded {
		d.Tables[name] = manifest.DumpTable{
			File: l.File, Size: l.Size, Time: l.Time, Bytes: l.Bytes, SHA256: l.SHA256, Rows: l.Rows, Fingerprint: l.Fingerprint,
		}
		if name == "Posts" && len(l.Newest) == dateLength {
			d.Newest = l.Newest[:10] + "T" + l.Newest[11:] + "Z"
		}
	}
	return d
}

// summary returns the manifest's summary of the run.
func (in *ingestRun) summary() manifest.Summary {
	s := manifest.Summary{Counts: make(map[string]int64), Errors: make(map[string]int64)}
	for name, l := range in.loaded {
		s.Rows += l.Rows
		s.BytesIn += l.Bytes
		s.BytesOut += l.Sent
		s.Counts[name] = l.Rows
		for c, n := range l.Rejects.Counts {
			s.Errors[string(c)] += n
		}
	}
	return s
}
