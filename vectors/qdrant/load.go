// Package qdrant loads the points of a build into Qdrant, over its gRPC API with
// its official client, and searches them there.
//
// Each language has a collection PREFIX_SLUG_DATE_HASH and an alias PREFIX_SLUG,
// the name for users. A load
//
//  1. creates the missing collections and their payload indexes. They have no HNSW
//     links yet (m = 0), because a graph that grows with each batch costs more than
//     one that is built at the end;
//  2. lists the ids of the server's points and sends the points that are missing;
//  3. starts the build of the HNSW graphs and waits for them;
//  4. compares counts, and a sample of points, with the shards;
//  5. moves all aliases of the build in one request;
//  6. deletes collections of earlier builds.
//
// A load keeps no state of its own. After an interruption of the load or the
// server, it resumes from the points on the server. The name of a collection contains a
// hash of the shards, so two builds never share one, and no alias leads to an
// incomplete collection.
package qdrant

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"s2g/schema"
)

// The defaults of Options.
const (
	DefaultBatch        = 128
	DefaultInFlight     = 4
	DefaultIndexTimeout = 6 * time.Hour
)

// linkTimeout is the deadline of the request that starts the build of a graph: the
// server may finish other work before it answers.
const linkTimeout = 10 * time.Minute

// maxIndexPauses is the longest pause between two requests of an index's state, as a
// multiple of the first.
const maxIndexPauses = 20

// Options configures a load.
type Options struct {
	Layout
	Batch        int           // points of a request; 0: DefaultBatch
	InFlight     int           // concurrent requests; 0: DefaultInFlight
	IndexTimeout time.Duration // for all indexes together; 0: DefaultIndexTimeout

	Progress func(what string, done, total int64) // receives numbers of points; nil: none
}

// Check returns a usage fault where the options are invalid.
func (o Options) Check() error {
	_, err := o.complete()
	return err
}

// complete returns the options with their defaults.
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
		return o, schema.Faultf(schema.FaultUsage, "64 to 256 points and 2 to 8 requests work well",
			"option batch is %d, option in-flight is %d, option index-timeout is %v", o.Batch, o.InFlight, o.IndexTimeout)
	}
	return o, nil
}

// Loaded is the result of a load for a language.
type Loaded struct {
	Language   string  `json:"language"` // slug
	Collection string  `json:"collection"`
	Points     int64   `json:"points"`
	Sent       int64   `json:"sent"`            // number of points that this load has sent
	Indexed    int64   `json:"indexed_vectors"` // by the server's count, which includes sparse vectors
	Seconds    float64 `json:"seconds"`         // for sending
	Waited     float64 `json:"index_seconds"`   // from the last point to the finished index
}

// loader is a running load.
type loader struct {
	*Server
	Build
	Options
	total int64
	done  atomic.Int64 // points that the server has
}

func (l *loader) advance(what string, n int64) { l.Progress(what, l.done.Add(n), l.total) }

// Load puts a build into collections of its own, and returns when they are complete
// and indexed. No alias leads to them yet; see [Server.PutInService]. Load may be
// repeated at any time: it sends no point that the server has.
//
// An existing collection with another layout is a usage fault. Points that differ at
// the end are a verification fault.
func (s *Server) Load(ctx context.Context, b Build, o Options) ([]Loaded, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, err
	}
	l := &loader{Server: s, Build: b, Options: o, total: b.Points()}
	dimensions, err := b.Languages[0].dimensions()
	if err != nil {
		return nil, err
	}
	// All collections are created first, so that an error in any shows at once.
	err = l.eachLanguage(ctx, "creating ", func(ctx context.Context, language Language) error {
		return l.prepare(ctx, l.Collection(language.Slug), dimensions)
	})
	if err != nil {
		return nil, err
	}
	all := make([]Loaded, len(b.Languages))
	sent := make([]time.Time, len(b.Languages))
	for i, language := range b.Languages {
		if all[i], err = l.loadLanguage(ctx, language); err != nil {
			return nil, err
		}
		sent[i] = time.Now()
	}
	limit := time.Now().Add(o.IndexTimeout)
	for i := range all {
		if all[i].Indexed, err = l.awaitIndex(ctx, all[i].Collection, limit); err != nil {
			return nil, err
		}
		all[i].Waited = time.Since(sent[i]).Seconds()
	}
	return all, l.eachLanguage(ctx, "comparing ", l.compare)
}

// eachLanguage calls use for the languages, InFlight at a time.
func (l *loader) eachLanguage(ctx context.Context, doing string, use func(context.Context, Language) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.InFlight)
	for _, language := range l.Languages {
		group.Go(func() error {
			l.Progress(doing+l.Collection(language.Slug), l.done.Load(), l.total)
			return use(ctx, language)
		})
	}
	return group.Wait()
}

// prepare creates a collection, or checks that an existing one has the layout, and
// creates the payload indexes that it lacks. Only columns that searches filter by have
// an index, because each takes memory for every point.
func (l *loader) prepare(ctx context.Context, collection string, dimensions int) error {
	request := l.Layout.createRequest(collection, dimensions, l.IDF, l.About)
	err := do(ctx, l.Server, "creating "+collection, func(ctx context.Context) error {
		exists, err := l.client.CollectionExists(ctx, collection)
		if err != nil || exists {
			return err
		}
		if err = l.client.CreateCollection(ctx, request); codeOf(err) == codes.AlreadyExists {
			return nil // an earlier try has created it, and its answer was lost
		}
		return err
	})
	if err != nil {
		return err
	}
	have, err := l.info(ctx, collection)
	if err != nil {
		return err
	}
	if d := l.Layout.difference(have, dimensions, l.IDF); d != "" {
		return schema.Faultf(schema.FaultUsage, "give the options of the load that created it, or delete the collection",
			"%s: the collection %s has another layout: %s", l.Address, collection, d)
	}
	for _, c := range payloadColumns {
		if c.Index.Kind == "" {
			continue
		}
		want := indexKinds[c.Index.Kind].state
		switch has, ok := have.GetPayloadSchema()[c.Name]; {
		case !ok:
			_, err := call(ctx, l.Server, "creating the index of "+c.Name+" in "+collection, func(ctx context.Context) (*qdrant.UpdateResult, error) {
				return l.client.CreateFieldIndex(ctx, indexRequest(collection, c))
			})
			if err != nil {
				return err
			}
		case has.GetDataType() != want:
			return schema.Faultf(schema.FaultUsage, "delete the collection, and load again",
				"%s: the index of %s in %s is of %s, not %s", l.Address, c.Name, collection, has.GetDataType(), want)
		}
	}
	return nil
}

// loadLanguage sends the points of a language and starts the build of its graph. The
// server builds it while the load sends the next language.
func (l *loader) loadLanguage(ctx context.Context, language Language) (Loaded, error) {
	began := time.Now()
	result := Loaded{Language: language.Slug, Collection: l.Collection(language.Slug), Points: language.Points()}
	var err error
	if result.Sent, err = l.fill(ctx, language); err != nil {
		return result, err
	}
	result.Seconds = time.Since(began).Seconds()
	l.Log.Info("loaded", "collection", result.Collection, "points", result.Points, "sent", result.Sent, "seconds", math.Round(1000*result.Seconds)/1000)
	have, err := l.info(ctx, result.Collection)
	if err != nil {
		return result, err
	}
	hnsw := have.GetConfig().GetHnswConfig()
	if hnsw.GetM() == l.M && (l.EfConstruct == 0 || hnsw.GetEfConstruct() == l.EfConstruct) {
		return result, nil // an earlier load has started it
	}
	return result, l.update(ctx, "starting the index of "+result.Collection, l.Layout.linkRequest(result.Collection))
}

// update changes the configuration of a collection.
func (l *loader) update(ctx context.Context, doing string, request *qdrant.UpdateCollection) error {
	_, err := callWithin(ctx, l.Server, linkTimeout, doing, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.client.UpdateCollection(ctx, request)
	})
	return err
}

// awaitIndex waits until a collection's index is complete, and returns the number of
// vectors in it by the server's count. That number is for people: segments below the
// indexing threshold have no index. The index is complete when the server is green in
// two successive states, because the first may precede the start of the build.
func (l *loader) awaitIndex(ctx context.Context, collection string, limit time.Time) (int64, error) {
	pause, greens := l.Pause, 0
	for {
		// A server that is too busy to answer within the deadline has no state, and is requested again.
		have, err := call(ctx, l.Server, "requesting the state of "+collection, func(ctx context.Context) (*qdrant.CollectionInfo, error) {
			have, err := l.client.GetCollectionInfo(ctx, collection)
			if codeOf(err) == codes.DeadlineExceeded {
				return nil, nil
			}
			return have, err
		})
		if err != nil {
			return 0, err
		}
		state := describeIndex(collection, have)
		l.Progress(state, l.done.Load(), l.total)
		if greens++; have.GetStatus() != qdrant.CollectionStatus_Green || have.GetUpdateQueue().GetLength() > 0 {
			greens = 0
		}
		if greens == 2 {
			return int64(have.GetIndexedVectorsCount()), nil
		}
		if optimizer := have.GetOptimizerStatus(); have.GetStatus() == qdrant.CollectionStatus_Red || optimizer != nil && !optimizer.GetOk() {
			return 0, schema.Faultf(schema.FaultService, "see the server's log and its disk, then give the same command again",
				"%s: the index of %s failed: %s", l.Address, collection, optimizer.GetError())
		}
		if have.GetStatus() == qdrant.CollectionStatus_Grey { // after a restart the server resumes with the next update
			err := l.update(ctx, "resuming the index of "+collection,
				&qdrant.UpdateCollection{CollectionName: collection, OptimizersConfig: &qdrant.OptimizersConfigDiff{}})
			if err != nil {
				return 0, err
			}
		}
		if time.Now().After(limit) {
			return 0, schema.Faultf(schema.FaultService, "give the same command again, which waits again, or a longer option index-timeout",
				"%s: not ready after %v: %s", l.Address, l.IndexTimeout, state)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, maxIndexPauses*l.Pause)
	}
}

func describeIndex(collection string, have *qdrant.CollectionInfo) string {
	if have == nil {
		return "indexing " + collection + ": no answer yet"
	}
	return fmt.Sprintf("indexing %s: %s, %d vectors in the index, %d updates waiting", collection, strings.ToLower(have.GetStatus().String()),
		have.GetIndexedVectorsCount(), have.GetUpdateQueue().GetLength())
}
