package build

import (
	"cmp"
	"context"
	"time"

	"s2g/cmd/s2g/internal/publish"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/vectors"
)

// isFresh reports whether a stage has finished with the key and its files are those of the manifest, by size and time. It
// looks at the files of a stage once in a process.
func (o *Options) isFresh(ctx context.Context, m *manifest.Manifest, stage, key string) (bool, error) {
	if !m.Fresh(stage, key) {
		return false, nil
	}
	at := m.Root() + "\n" + stage + "\n" + key
	look := o.looks[at]
	if look == nil {
		var err error
		began := time.Now()
		look, err = m.Look(ctx, stage, func(files int) {
			o.Log.Info("hashing files whose times have changed", "stage", stage, "files", files)
		})
		if err != nil {
			return false, err
		}
		if o.looks == nil {
			o.looks = map[string]*manifest.Look{}
		}
		o.looks[at] = look
		o.lookTime += time.Since(began)
	}
	return len(look.Damaged) == 0 && !look.Whole, nil
}

// isFresh is that of the options, for the build's own folder. It records new times of equal files.
func (b *Build) isFresh(ctx context.Context, stage, key string) (fresh bool, err error) {
	m := b.Dir.Manifest()
	if fresh, err = b.Options.isFresh(ctx, m, stage, key); err != nil {
		return false, err
	}
	look := b.look(stage, key)
	if look == nil {
		return fresh, nil
	}
	b.Looked.Files += look.Files
	b.Looked.Hashed += look.Hashed
	b.Looked.Seconds = b.Options.lookTime.Seconds()
	if look.Whole {
		b.Options.Log.Warn("a verification has found differences; making the stage again", "stage", stage)
	}
	if len(look.Damaged) > 0 {
		b.Options.Log.Warn("files are missing or altered; making them again", "stage", stage, "files", len(look.Damaged), "first", look.Damaged[0].Name)
	}
	return fresh, b.Dir.Record(stage, look)
}

// look returns the result of a look at the files of a stage, nil where there was none.
func (b *Build) look(stage, key string) *manifest.Look {
	return b.Options.looks[b.Dir.Manifest().Root()+"\n"+stage+"\n"+key]
}

// damaged returns the build that has finished a stage with the key and is stale for the damage of some of its files
// alone, and these files: the build in the root, or the one in service. nil: there is none.
func (b *Build) damaged(stage, key string) (*manifest.Manifest, []manifest.File) {
	m, look := b.Dir.Manifest(), b.look(stage, key)
	if look == nil || b.Dir.IsLinked(stage) {
		m = b.Dir.Service()
		look = cmp.Or(b.Options.looks[m.Root()+"\n"+stage+"\n"+key], look)
	}
	if !m.Fresh(stage, key) || look == nil || look.Whole || len(look.Damaged) == 0 || len(look.Damaged) == look.Files {
		return nil, nil
	}
	return m, look.Damaged
}

// makeRoom prepares the folder for the outputs of a stale stage. Where outputs are in service that it would replace, that
// is [manifest.NextFolder], and the result reports whether an interrupted build has completed the stage there.
func (b *Build) makeRoom(ctx context.Context, stage string, keys map[string]string, lost bool) (fresh bool, err error) {
	if err := b.removeUnknown(); err != nil {
		return false, err
	}
	service := b.Dir.Service().Stages
	replaces := service[stage] != nil
	if stage == manifest.Ingest { // it makes graph and vectors stale
		replaces = service[manifest.Graph] != nil || service[manifest.Vectors] != nil
	}
	switch {
	case b.Dir.Beside():
		if lost {
			err = b.Dir.Update(func(m *manifest.Manifest) { delete(m.Stages, stage) })
		}
		return false, err
	case b.Options.InPlace:
		err := b.Dir.Discard()
		if err == nil && replaces {
			err = b.Dir.Overwrite(ctx, func() {
				b.Options.Log.Warn("the stage begins when the commands that read the build have ended", "stage", stage)
			})
		}
		if err != nil {
			return false, err
		}
	case replaces:
		if err := b.Dir.EnterNext(keys, stage == manifest.Ingest); err != nil || lost {
			return false, err
		}
		b.Options.Log.Info("the new outputs are made beside those in service", "folder", b.Dir.Out())
		if stage == manifest.Ingest {
			return false, nil
		}
		return b.completed(ctx, stage, keys[stage])
	}
	if lost {
		return false, b.Dir.Update(func(m *manifest.Manifest) { delete(m.Stages, stage) })
	}
	return false, nil
}

// completed reports whether an interrupted build has completed the stage in the next folder.
func (b *Build) completed(ctx context.Context, stage, key string) (bool, error) {
	if b.Dir.IsLinked(stage) {
		return false, nil // they are those in service, which are stale
	}
	fresh, err := b.isFresh(ctx, stage, key)
	b.changed = b.changed || fresh
	return fresh, err
}

// CheckFolder returns a usage fault where the folder has outputs or documents that no build has written, so that a stage
// cannot run. m is the manifest of the build, or of the next one.
func (o *Options) CheckFolder(m *manifest.Manifest) error {
	if m.Root() != m.Base() {
		var err error
		if m, err = manifest.Read(o.Out); err != nil {
			return err
		}
	}
	unknown, err := o.unknownOutputs(m)
	if err != nil || len(unknown) > 0 {
		return err // option replace deletes them, and the documents
	}
	return m.CheckOverwrite(o.Out, publish.Names()...)
}

// unknownOutputs returns the stages whose outputs in the folder neither manifest nor journal name: their model is unknown, so
// they are neither kept nor deleted. It is a usage fault if there are any without the option replace.
func (o *Options) unknownOutputs(m *manifest.Manifest) (stages []string, err error) {
	for _, stage := range []string{manifest.Graph, manifest.Vectors} {
		file, err := m.Unknown(o.Out, stage)
		switch {
		case err != nil:
			return nil, err
		case file != "" && !o.Replace:
			return nil, schema.Faultf(schema.FaultUsage, "restore manifest.json from a copy of the build, move the files away, or give option replace, which deletes them",
				"%s has outputs of %s that no manifest names, the first is %s", o.Out, stage, file)
		case file != "":
			stages = append(stages, stage)
		}
	}
	return stages, nil
}

// removeUnknown removes the outputs that no build has written, which the option replace allows. The documents that describe
// them go with them, first, so that a run after an interruption finds the outputs.
func (b *Build) removeUnknown() error {
	unknown, err := b.Options.unknownOutputs(b.Dir.Service())
	if err != nil || len(unknown) == 0 {
		return err
	}
	if err := b.Dir.RemoveUnpublished(publish.Names()...); err != nil {
		return err
	}
	for _, stage := range unknown {
		if err := b.Dir.RemoveOutputs(stage); err != nil {
			return err
		}
	}
	return nil
}

// swap completes the documents, and puts the outputs of NextFolder in service if they are complete.
func (b *Build) swap(ctx context.Context) error {
	if err := b.Publish(); err != nil { // a kill may have come between the last stage and its documents
		return err
	}
	if !b.Dir.Beside() {
		return nil
	}
	log, service, next := b.Options.Log, b.Dir.Service().Stages, b.Dir.Manifest().Stages
	for _, stage := range []string{manifest.Ingest, manifest.Graph, manifest.Vectors} {
		if service[stage] != nil && next[stage] == nil {
			log.Warn("the build before stays in service until the new one is complete: s2g build completes it", "missing", stage)
			return nil
		}
	}
	err := b.Dir.Swap(ctx, func() {
		log.Warn("the new build is complete; it goes into service when the commands that read the one before have ended")
	})
	if err != nil {
		return err
	}
	b.Options.looks = nil
	log.Info("the new build is in service")
	return nil
}

// sources returns the shards in Out of which the run of the vectors that begins now may copy vectors.
func (b *Build) sources(key string) (list []vectors.Source, err error) {
	if err := b.Dir.MoveAside(key); err != nil {
		return nil, err
	}
	return sourcesIn(b.Options.Out, b.Dir.Out())
}

// sourcesIn returns the shards in out of which a run that writes to root may copy vectors.
func sourcesIn(out, root string) (list []vectors.Source, err error) {
	found, err := manifest.Sources(out, root)
	for _, s := range found {
		list = append(list, vectors.Source{Root: s.Root, Manifest: s.Manifest})
	}
	return list, err
}

// logRestored reports a manifest that came back from its copy, once.
func (b *Build) logRestored() {
	if m := b.Dir.Service(); m.Restored {
		b.Options.Log.Warn("manifest.json was missing or damaged; restored from its copy")
		m.Restored = false
	}
}
