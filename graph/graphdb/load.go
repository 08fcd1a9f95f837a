package graphdb

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/retry"
)

// The defaults of Options, and of option retry-for.
const (
	DefaultTransaction = 4
	DefaultInFlight    = 2
	DefaultRetryFor    = 2 * time.Minute
)

// Options configures a load. The zero value works and retries nothing.
type Options struct {
	CreateOptions
	Transaction int           // files in a transaction; 0: DefaultTransaction
	InFlight    int           // transactions at a time; 0: DefaultInFlight
	RetryFor    time.Duration // how long a failing request is retried; 0: not at all
	ImportDir   string        // GraphDB's import folder as this machine sees it; empty: files are sent

	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // receives the number of loaded statements, at least each second; nil: no reports

	firstPause, pollEvery time.Duration // for tests; 0: the defaults
}

// withDefaults fills in the zero values and checks the rest.
func (o Options) withDefaults() (Options, error) {
	if o.Transaction == 0 {
		o.Transaction = DefaultTransaction
	}
	if o.InFlight == 0 {
		o.InFlight = DefaultInFlight
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Transaction < 1 {
		return o, schema.Faultf(schema.FaultUsage, "use 1 to 50 files", "option transaction is %d", o.Transaction)
	}
	if o.InFlight < 1 {
		return o, schema.Faultf(schema.FaultUsage, "use 1 to 4 transactions", "option in-flight is %d", o.InFlight)
	}
	if err := checkRuleset(o.Ruleset); err != nil {
		return o, err
	}
	switch o.Server {
	case "", ServerAuto, ServerGraphDB:
	case ServerRDF4J:
		if o.Ruleset != "" || o.ImportDir != "" {
			return o, schema.Faultf(schema.FaultUsage, "leave option ruleset and option import-dir out", "RDF4J Server has no rulesets and no import folder")
		}
	default:
		return o, schema.Faultf(schema.FaultUsage, "use auto, graphdb or rdf4j", "option server is %q", o.Server)
	}
	return o, nil
}

// LoadResult reports what a load did.
type LoadResult struct {
	Repository string  `json:"repository"`
	Endpoint   string  `json:"endpoint"` // for SPARQL
	Created    bool    `json:"created"`
	Files      int     `json:"files"`      // batches of the build
	Sent       int     `json:"sent"`       // of these, by this run
	Statements int64   `json:"statements"` // in the repository now
	Loaded     int64   `json:"loaded"`     // of these, by this run
	Seconds    float64 `json:"seconds"`
}

// Load loads a build into a repository that is absent, empty or partly loaded.
// Afterwards the repository holds the whole build. A repository with other content is a
// usage fault.
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

// loader is the state of one load.
type loader struct {
	Options
	retries    retry.Policy
	build      *Build
	repository *rdf4j.Repository
	result     LoadResult

	total, done atomic.Int64 // statements: to load by this run, and loaded by it
}

func newLoader(r *rdf4j.Repository, b *Build, o Options) (*loader, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &loader{Options: o, retries: retryPolicy(o.RetryFor, o.Log), build: b, repository: r}
	l.retries.FirstPause = o.firstPause
	l.result = LoadResult{Repository: r.ID(), Endpoint: r.URL(), Files: len(b.Batches)}
	return l, nil
}

// load runs the transactions of the package's documentation, beginning at the
// repository's state.
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
	if err := l.withRetries(ctx, "ending the load", l.finish); err != nil {
		return err
	}
	return l.withRetries(ctx, "counting the loaded statements", func(ctx context.Context) (err error) {
		l.result.Statements, err = l.repository.Size(ctx)
		return err
	})
}

// prepare checks the server, creates the repository if it is absent, and returns its contents.
func (l *loader) prepare(ctx context.Context) (Contents, error) {
	quick := l.retries
	quick.CutRetries = true
	err := quick.Do(ctx, "requesting its version", func(ctx context.Context) error {
		_, err := ExamineServer(ctx, l.repository.Client(), l.Log)
		return err
	})
	if _, gaveUp := errors.AsType[*retry.Error](err); gaveUp && ctx.Err() == nil {
		err = unreachable(ctx, l.repository.Client(), err)
	}
	if err != nil {
		return Contents{}, withFault(err)
	}
	contents, err := l.inspect(ctx, "inspecting the repository")
	if err == nil && contents.State == Absent {
		err = l.withRetries(ctx, "creating the repository", func(ctx context.Context) error {
			return l.create(ctx, l.repository, l.build.title())
		})
		if err != nil {
			return contents, err
		}
		l.result.Created = true
		contents, err = l.inspect(ctx, "inspecting the new repository")
	}
	if err == nil && contents.State == Foreign {
		err = foreignFault(l.repository, contents)
	}
	return contents, err
}

func (l *loader) inspect(ctx context.Context, what string) (contents Contents, err error) {
	err = l.withRetries(ctx, what, func(ctx context.Context) (err error) {
		contents, err = inspect(ctx, l.repository, l.build)
		return err
	})
	return contents, err
}

// compareSize returns a verification fault where the numbers of statements differ.
func (l *loader) compareSize(got, want int64) error {
	if got == want {
		return nil
	}
	return schema.Faultf(schema.FaultVerification, "run s2g verify with option graphdb to find the first difference; or delete the repository and load it again",
		"the repository %s holds %d statements, the build has %d", l.repository.ID(), got, want)
}

// withRetries is [Retry] by the load's policy.
func (l *loader) withRetries(ctx context.Context, what string, request func(context.Context) error) error {
	return withFault(l.retries.Do(ctx, what, request))
}

// reportEachSecond reports progress each second until stop is called.
func (l *loader) reportEachSecond() (stop func()) {
	ended, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		for ticks := time.Tick(time.Second); ; {
			select {
			case <-ticks:
				l.reportLoaded(0)
			case <-ended:
				return
			}
		}
	}()
	return func() { close(ended); <-finished }
}

func (l *loader) reportLoaded(more int64) {
	l.Progress("statements", l.done.Add(more), l.total.Load())
}
