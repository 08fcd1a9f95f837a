package build

import (
	"context"
	"errors"
	"slices"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/projection"
)

// Steps are the parts of a build that its caller implements.
type Steps struct {
	// Verify compares the outputs in the folder of the build, see [manifest.Dir.Out], with the tables. With its error it
	// returns the stages whose outputs differ, as [manifest.Dir.Distrust] takes them.
	Verify func(context.Context) (differ map[string]bool, err error)
	Always bool // Verify runs though nothing has changed since it last did

	Report func(context.Context) error // writes the report of the outputs
	Load   func(context.Context) error // loads the build in service into servers, after Verify; nil: none
}

// Run runs the given stages in the order of [Stages]. At the end it puts the new outputs in service, if it has made them
// beside those in service.
func (b *Build) Run(ctx context.Context, stages []string, do Steps) error {
	steps := map[string]func(context.Context) error{
		manifest.Ingest: b.Ingest, manifest.Graph: b.Graph, manifest.Vectors: b.Vectors, Report: do.Report,
		Verify: func(ctx context.Context) error { return b.verify(ctx, do) },
	}
	if OnePass(b.Options.Shape, stages) {
		steps[manifest.Graph] = b.graphAndVectors
		stages = slices.DeleteFunc(slices.Clone(stages), func(stage string) bool { return stage == manifest.Vectors })
	}
	for _, stage := range Stages {
		if !slices.Contains(stages, stage) {
			continue
		}
		if err := steps[stage](ctx); err != nil {
			return err
		}
	}
	if err := errors.Join(b.swap(ctx), b.tidy()); err != nil || do.Load == nil {
		return err
	}
	return do.Load(ctx)
}

// RunStage runs one stage, and puts its outputs in service if it has made them beside those in service.
func (b *Build) RunStage(ctx context.Context, stage func(*Build, context.Context) error) error {
	if err := stage(b, ctx); err != nil {
		return err
	}
	return errors.Join(b.swap(ctx), b.tidy())
}

// tidy removes what an interrupted build has left in the next folder, unless that are outputs.
func (b *Build) tidy() error {
	if b.Dir.Beside() {
		return nil
	}
	if b.Options.Replace && b.changed { // what was moved aside and not copied may be deleted
		if err := b.Dir.RemoveAside(); err != nil {
			return err
		}
	}
	kept, err := b.Dir.DiscardLinks()
	err = errors.Join(err, b.Dir.EndOverwrite()) // before a load, which takes long
	if kept {
		b.Options.Log.Info("an interrupted build is kept; the same command with its options continues it", "folder", manifest.NextFolder(b.Dir.Out()))
	}
	return err
}

// verify runs the stage unless it has run on these outputs. It makes the stages stale whose outputs differ, so that the
// next run makes them again.
func (b *Build) verify(ctx context.Context, do Steps) error {
	if err := b.Publish(); err != nil { // up-to-date stages do not rewrite the documents
		return err
	}
	if !b.changed && !do.Always && b.Dir.IsVerified() {
		b.Options.Log.Info("verify has compared these files already", "files", b.Looked.Files)
		return nil
	}
	if err := b.Dir.MarkVerified(false); err != nil {
		return err
	}
	differ, err := do.Verify(ctx)
	if err == nil {
		return b.Dir.MarkVerified(true)
	}
	if fault, _ := schema.FaultOf(err); fault == schema.FaultVerification && ctx.Err() == nil {
		if failed := errors.Join(b.Dir.Distrust(ctx, differ), projection.RemoveOthers(b.Dir.Private(), "")); failed != nil {
			b.Options.Log.Warn("the next build does not make anew what differs", "error", failed)
		}
	}
	return err
}
