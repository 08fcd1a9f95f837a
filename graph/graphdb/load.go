package graphdb

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/graph/rdf4j"
	"s2g/schema"
	"s2g/schema/manifest"
)

// The defaults of Options.
const (
	DefaultTransaction = 4
	DefaultInFlight    = 2
	DefaultRetryFor    = 2 * time.Minute
)

// Options says how a build is loaded. The zero value works.
type Options struct {
	CreateOptions
	Transaction int           // files in a transaction; 0: DefaultTransaction
	InFlight    int           // transactions at a time; 0: DefaultInFlight
	RetryFor    time.Duration // how long what fails is tried again; 0: DefaultRetryFor, negative: once
	ImportDir   string        // folder that GraphDB imports from, as this machine sees it; empty: files are sent

	Log      *slog.Logger                         // nil: nothing is logged
	Progress func(what string, done, total int64) // told the statements that are loaded, at least each second; nil: nobody

	firstWait, pollEvery time.Duration // for tests; 0: the constants of these names
}

func (o Options) complete() (Options, error) {
	if o.Transaction == 0 {
		o.Transaction = DefaultTransaction
	}
	if o.InFlight == 0 {
		o.InFlight = DefaultInFlight
	}
	if o.RetryFor == 0 {
		o.RetryFor = DefaultRetryFor
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Transaction < 1 || o.InFlight < 1 {
		return o, schema.Faultf(schema.FaultUsage, "1 to 50 files and 1 to 4 transactions are of use",
			"transactions of %d files, %d at a time", o.Transaction, o.InFlight)
	}
	if err := checkRuleset(o.Ruleset); err != nil {
		return o, err
	}
	switch o.Server {
	case "", ServerAuto, ServerGraphDB:
	case ServerRDF4J:
		if o.Ruleset != "" || o.ImportDir != "" {
			return o, schema.Faultf(schema.FaultUsage, "they are GraphDB's", "RDF4J Server has no rulesets and no import folder")
		}
	default:
		return o, schema.Faultf(schema.FaultUsage, "it takes auto, graphdb or rdf4j", "--server has the value %q", o.Server)
	}
	return o, nil
}

// LoadResult is what a load did.
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

// Load brings a repository to where it holds the whole build, from wherever it
// is. A repository that holds something else is a usage fault.
func Load(ctx context.Context, r *rdf4j.Repository, b *Build, o Options) (LoadResult, error) {
	o, err := o.complete()
	if err != nil {
		return LoadResult{}, err
	}
	l := &loader{Options: o, patience: patience{o.RetryFor, o.firstWait, o.Log}, build: b, repository: r}
	l.result = LoadResult{Repository: r.ID(), Endpoint: r.URL(), Files: len(b.Batches)}
	started := time.Now()
	err = l.load(ctx)
	l.result.Seconds = time.Since(started).Seconds()
	return l.result, err
}

// loader is one load.
type loader struct {
	Options
	patience   patience
	build      *Build
	repository *rdf4j.Repository
	result     LoadResult

	total, done atomic.Int64 // statements that this run is to load, and has
}

func (l *loader) load(ctx context.Context) error {
	contents, err := l.prepare(ctx)
	if err != nil {
		return err
	}
	if contents.State == Whole {
		l.result.Statements = contents.Statements
		return l.counted(contents.Statements, l.build.Statements())
	}
	files := contents.missing(l.build.Batches)
	l.result.Sent, l.result.Loaded = len(files), rows(files)
	l.total.Store(rows(files))
	l.Log.Info("loading", "repository", l.repository.ID(), "files", len(files), "of", len(l.build.Batches), "statements", rows(files))
	stop := l.tell()
	defer stop()
	if err := l.transact(ctx, contents.missing([]manifest.File{l.build.Ontology})); err != nil {
		return err
	}
	send := l.sendAll
	if l.ImportDir != "" {
		send = l.importAll
	}
	if err := send(ctx, files); err != nil {
		return err
	}
	return l.finish(ctx)
}

// prepare makes the repository if it is missing, and looks at what it holds.
func (l *loader) prepare(ctx context.Context) (contents Contents, err error) {
	look := func() error {
		contents, err = Inspect(ctx, l.repository, l.build)
		return err
	}
	if err := l.patience.do(ctx, "looking at the server", look); err != nil {
		return contents, err
	}
	if contents.State == Absent {
		err := l.patience.do(ctx, "making the repository", func() error {
			return l.create(ctx, l.repository, "Stack2Graph "+l.build.Site.Host()+" "+l.build.Edition)
		})
		if err != nil {
			return contents, err
		}
		l.result.Created = true
		if err := l.patience.do(ctx, "looking at the repository", look); err != nil {
			return contents, err
		}
	}
	if contents.State == Foreign {
		return contents, foreign(l.repository, contents)
	}
	return contents, nil
}

func foreign(r *rdf4j.Repository, c Contents) error {
	holds := "statements of something else"
	if c.Edition != "" {
		holds = "a part of the build " + c.Edition
	}
	return schema.Faultf(schema.FaultUsage, "give another --repository, or delete that one",
		"the repository %s holds %d statements, and they are not this build: %s", r.ID(), c.Statements, holds)
}

// tell reports every second, so that a server that takes its time looks alive.
func (l *loader) tell() (stop func()) {
	ticker, ended := time.NewTicker(time.Second), make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case <-ticker.C:
				l.report(0)
			case <-ended:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
		<-finished
	}
}

func (l *loader) report(more int64) {
	l.Progress("statements", l.done.Add(more), l.total.Load())
}

// sendAll loads files, several transactions at a time.
func (l *loader) sendAll(ctx context.Context, files []manifest.File) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(l.InFlight)
	for chunk := range slices.Chunk(files, l.Transaction) {
		if ctx.Err() != nil {
			break
		}
		work.Go(func() error { return l.transact(ctx, chunk) })
	}
	return work.Wait()
}

// finish compares the number of statements, and then describes the dataset and
// takes the marks away.
func (l *loader) finish(ctx context.Context) error {
	marks := int64(len(l.build.Batches)) + 2 // the ontology's and the build's own
	want := l.build.Statements() - l.build.Void.Rows + marks
	var contents Contents
	look := func() (err error) {
		contents, err = Inspect(ctx, l.repository, l.build)
		return err
	}
	if err := l.patience.do(ctx, "counting what is loaded", look); err != nil {
		return err
	}
	if missing := contents.missing(l.build.Batches); contents.State != Begun || len(missing) > 0 {
		return schema.Faultf(schema.FaultService, "is another program at work in it? Run the same command again",
			"the repository %s is %s, and %d files that were loaded are not there", l.repository.ID(), contents.State, len(missing))
	}
	if err := l.counted(contents.Statements, want); err != nil {
		return err
	}
	if err := l.patience.do(ctx, "ending the load", func() error { return l.conclude(ctx) }); err != nil {
		return err
	}
	return l.patience.do(ctx, "counting what is loaded", func() (err error) {
		l.result.Statements, err = l.repository.Size(ctx)
		return err
	})
}

func (l *loader) counted(got, want int64) error {
	if got == want {
		return nil
	}
	return schema.Faultf(schema.FaultVerification, "s2g verify with --graphdb names the first difference; else delete the repository and load it again",
		"the repository %s holds %d statements, the build has %d", l.repository.ID(), got, want)
}
