package qdrant

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
)

// The defaults of Options.
const (
	DefaultBatch        = 128
	DefaultInFlight     = 4
	DefaultIndexTimeout = 6 * time.Hour
)

// Options says how a build is loaded.
type Options struct {
	Layout
	Batch        int           // points of a request; 0: DefaultBatch
	InFlight     int           // requests at a time; 0: DefaultInFlight
	IndexTimeout time.Duration // for all indexes together; 0: DefaultIndexTimeout

	Progress func(what string, done, total int64) // told of points; nil: nobody
}

// Check says whether the options make sense; a usage fault says why not.
func (o Options) Check() error {
	_, err := o.complete()
	return err
}

func (o Options) complete() (Options, error) {
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.InFlight == 0 {
		o.InFlight = DefaultInFlight
	}
	if o.IndexTimeout == 0 {
		o.IndexTimeout = DefaultIndexTimeout
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	var err error
	if o.Layout, err = o.Layout.complete(); err != nil {
		return o, err
	}
	if o.Batch < 1 || o.InFlight < 1 || o.IndexTimeout < 0 {
		return o, schema.Faultf(schema.FaultUsage, "64 to 256 points and 2 to 8 requests are of use",
			"batches of %d points, %d at a time, %v for the indexes", o.Batch, o.InFlight, o.IndexTimeout)
	}
	return o, nil
}

// Loaded is what a load did for a language.
type Loaded struct {
	Language   string  `json:"language"` // slug
	Collection string  `json:"collection"`
	Points     int64   `json:"points"`
	Sent       int64   `json:"sent"`            // of these, by this run
	Indexed    int64   `json:"indexed_vectors"` // as the server says, which counts sparse ones, too
	Seconds    float64 `json:"seconds"`         // to send them
	Waited     float64 `json:"index_seconds"`   // from the last point to the finished index
}

// loading is a load at work.
type loading struct {
	*Server
	Build
	Options
	total int64
	done  atomic.Int64 // points that are there
}

func (l *loading) advance(what string, n int64) { l.Progress(what, l.done.Add(n), l.total) }

// Load puts a build into collections of its own, which are complete and indexed then,
// and puts none of them in service; see [Server.Serve]. It may be repeated at any time.
// The points that a server holds already are not sent again.
//
// A collection of the same name that is kept in another way than the layout says is a
// usage fault. Points that differ in the end are a verification fault.
func (s *Server) Load(ctx context.Context, b Build, o Options) ([]Loaded, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, err
	}
	l := &loading{Server: s, Build: b, Options: o, total: b.Points()}
	dimensions, err := b.Languages[0].dimensions()
	if err != nil {
		return nil, err
	}
	if err := l.prepareAll(ctx, dimensions); err != nil {
		return nil, err
	}
	all := make([]Loaded, len(b.Languages))
	sent := make([]time.Time, len(b.Languages))
	for i, language := range b.Languages {
		if all[i], err = l.language(ctx, language); err != nil {
			return nil, err
		}
		sent[i] = time.Now()
	}
	limit := time.Now().Add(o.IndexTimeout)
	for i := range all {
		if all[i].Indexed, err = l.await(ctx, all[i].Collection, limit); err != nil {
			return nil, err
		}
		all[i].Waited = time.Since(sent[i]).Seconds()
	}
	return all, l.compareAll(ctx)
}

// language loads a language and has its index begun. While the server is at it, the
// next language is loaded.
func (l *loading) language(ctx context.Context, language Language) (Loaded, error) {
	begun := time.Now()
	done := Loaded{Language: language.Slug, Collection: l.Collection(language.Slug), Points: language.Points()}
	var err error
	if done.Sent, err = l.fill(ctx, language); err != nil {
		return done, err
	}
	done.Seconds = time.Since(begun).Seconds()
	l.Log.Info("loaded", "collection", done.Collection, "points", done.Points, "sent", done.Sent, "seconds", math.Round(1000*done.Seconds)/1000)
	return done, l.link(ctx, done.Collection)
}

// prepareAll makes all collections, before the first is loaded: what is wrong with one
// is known at once.
func (l *loading) prepareAll(ctx context.Context, dimensions int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.InFlight)
	for _, language := range l.Languages {
		group.Go(func() error {
			l.Progress("making "+l.Collection(language.Slug), 0, l.total)
			return l.prepare(ctx, l.Collection(language.Slug), dimensions)
		})
	}
	return group.Wait()
}

// compareAll compares all collections with their shards.
func (l *loading) compareAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.InFlight)
	for _, language := range l.Languages {
		group.Go(func() error {
			l.Progress("comparing "+l.Collection(language.Slug), l.done.Load(), l.total)
			return l.compare(ctx, language)
		})
	}
	return group.Wait()
}
