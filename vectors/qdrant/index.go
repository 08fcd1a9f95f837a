package qdrant

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"

	"s2g/schema"
)

// Pauses between two questions how an index is double, up to so many times the first,
// which is that of calls.
const askGrows = 20

// linkDeadline is that of telling a server to build its graph: it may finish what it
// is at before it answers.
const linkDeadline = 10 * time.Minute

// link has the server build the graph of a collection.
func (l *loading) link(ctx context.Context, collection string) error {
	have, err := l.info(ctx, collection)
	if err != nil {
		return err
	}
	hnsw := have.GetConfig().GetHnswConfig()
	if hnsw.GetM() == l.M && (l.EfConstruct == 0 || hnsw.GetEfConstruct() == l.EfConstruct) {
		return nil
	}
	return do(ctx, l.within(linkDeadline), "beginning the index of "+collection, func(ctx context.Context) error {
		return l.client.UpdateCollection(ctx, l.Layout.link(collection))
	})
}

// within is the same server, with another deadline for a try.
func (s *Server) within(d time.Duration) *Server {
	patient := *s
	patient.Call = d
	return &patient
}

// await waits until a collection's index is whole, and returns how many vectors the
// server says are in it. Segments below its threshold have none, so that is a number
// for people alone; what counts is that the server is green twice: it may not have
// begun when it is asked for the first time.
func (l *loading) await(ctx context.Context, collection string, limit time.Time) (int64, error) {
	pause, greens := l.Pause, 0
	for {
		have, err := l.state(ctx, collection)
		if err != nil {
			return 0, err
		}
		l.Progress(describe(collection, have), l.done.Load(), l.total)
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
		if have.GetStatus() == qdrant.CollectionStatus_Grey { // after a restart a server waits for a write before it goes on
			err := do(ctx, l.within(linkDeadline), "resuming the index of "+collection, func(ctx context.Context) error {
				return l.client.UpdateCollection(ctx, &qdrant.UpdateCollection{CollectionName: collection, OptimizersConfig: &qdrant.OptimizersConfigDiff{}})
			})
			if err != nil {
				return 0, err
			}
		}
		if time.Now().After(limit) {
			return 0, schema.Faultf(schema.FaultService, "give the same command again, which goes on waiting, or a longer --index-timeout",
				"%s: not ready after %v: %s", l.Address, l.IndexTimeout, describe(collection, have))
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, askGrows*l.Pause)
	}
}

// state asks how a collection is; nil where the server was too busy to say.
func (l *loading) state(ctx context.Context, collection string) (*qdrant.CollectionInfo, error) {
	return call(ctx, l.Server, "asking about "+collection, func(ctx context.Context) (*qdrant.CollectionInfo, error) {
		have, err := l.client.GetCollectionInfo(ctx, collection)
		if codeOf(err) == codes.DeadlineExceeded {
			return nil, nil
		}
		return have, err
	})
}

func describe(collection string, have *qdrant.CollectionInfo) string {
	if have == nil {
		return "indexing " + collection + ": no answer yet"
	}
	return fmt.Sprintf("indexing %s: %s, %d vectors in the index, %d updates waiting", collection, strings.ToLower(have.GetStatus().String()),
		have.GetIndexedVectorsCount(), have.GetUpdateQueue().GetLength())
}
