package graphdb

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
)

// Load completes a repository that is absent, empty or partly loaded: afterwards
// it holds the whole build. A repository with other content is a usage fault.
func Load(ctx context.Context, r *rdf4j.Repository, b *Build, o Options) (LoadResult, error) {
	l, err := newLoader(r, b, o)
	if err != nil {
		return LoadResult{}, err
	}
	started := time.Now()
	err = l.load(ctx)
	l.result.Seconds = time.Since(started).Seconds()
	return l.result, err
}

// load runs the steps of the package's documentation from the repository's state on.
func (l *loader) load(ctx context.Context) error {
	contents, err := l.prepare(ctx)
	if err != nil {
		return err
	}
	if contents.State == Whole {
		l.result.Statements = contents.Statements
		return l.compareSize(contents.Statements, l.build.Statements())
	}
	files := contents.missing(l.build.Batches)
	l.result.Sent, l.result.Loaded = len(files), rows(files)
	l.total.Store(rows(files))
	l.Log.Info("loading", "repository", l.repository.ID(), "files", len(files), "of", len(l.build.Batches), "statements", rows(files))
	stop := l.reportEachSecond()
	defer stop()

	if err := l.loadFiles(ctx, contents.missing([]manifest.File{l.build.Ontology})); err != nil {
		return err
	}
	if l.ImportDir != "" {
		err = l.importAll(ctx, files)
	} else {
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(l.InFlight)
		for chunk := range slices.Chunk(files, l.Transaction) {
			if ctx.Err() != nil {
				break
			}
			work.Go(func() error { return l.loadFiles(ctx, chunk) })
		}
		err = work.Wait()
	}
	if err != nil {
		return err
	}

	contents, err = l.inspect(ctx, "counting the loaded statements")
	if err != nil {
		return err
	}
	if missing := contents.missing(l.build.Batches); contents.State != Begun || len(missing) > 0 {
		return schema.Faultf(schema.FaultService, "check that no other program writes to it, then run the same command again",
			"the repository %s is %s, and %d loaded files are missing", l.repository.ID(), contents.State, len(missing))
	}
	marks := int64(len(l.build.Batches)) + 2 // the ontology's and the build's
	if err := l.compareSize(contents.Statements, l.build.Statements()-l.build.Void.Rows+marks); err != nil {
		return err
	}
	if err := l.withRetries(ctx, "ending the load", func() error { return l.finish(ctx) }); err != nil {
		return err
	}
	return l.withRetries(ctx, "counting the loaded statements", func() (err error) {
		l.result.Statements, err = l.repository.Size(ctx)
		return err
	})
}

// prepare creates the repository if it is absent, and returns its contents.
func (l *loader) prepare(ctx context.Context) (Contents, error) {
	contents, err := l.inspect(ctx, "inspecting the repository")
	if err == nil && contents.State == Absent {
		err = l.withRetries(ctx, "creating the repository", func() error {
			return l.create(ctx, l.repository, l.build.title())
		})
		if err != nil {
			return contents, err
		}
		l.result.Created = true
		contents, err = l.inspect(ctx, "inspecting the new repository")
	}
	if err == nil && contents.State == Foreign {
		err = foreign(l.repository, contents)
	}
	return contents, err
}

func (l *loader) inspect(ctx context.Context, what string) (contents Contents, err error) {
	err = l.withRetries(ctx, what, func() (err error) {
		contents, err = Inspect(ctx, l.repository, l.build)
		return err
	})
	return contents, err
}

func (l *loader) compareSize(got, want int64) error {
	if got == want {
		return nil
	}
	return schema.Faultf(schema.FaultVerification, "run s2g verify with option graphdb to find the first difference; or delete the repository and load it again",
		"the repository %s holds %d statements, the build has %d", l.repository.ID(), got, want)
}
