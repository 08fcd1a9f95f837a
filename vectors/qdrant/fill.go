package qdrant

import (
	"context"
	"errors"
	"fmt"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"s2g/schema"
	"s2g/vectors/shard"
)

// fillPasses is the limit of passes over a language: a server that is killed during a
// load may lose points that it has acknowledged.
const fillPasses = 3

// fill sends the points of a language that its collection lacks, and returns their
// number.
func (l *loader) fill(ctx context.Context, language Language) (sent int64, err error) {
	collection := l.Collection(language.Slug)
	for pass := 1; ; pass++ {
		have, err := l.Count(ctx, collection)
		if err != nil {
			return sent, err
		}
		before := l.done.Load()
		n, err := l.sendMissing(ctx, language, have > 0)
		if sent += n; err != nil {
			return sent, err
		}
		if have, err = l.Count(ctx, collection); err != nil {
			return sent, err
		}
		switch want := language.Points(); {
		case have == want:
			return sent, nil
		case have > want:
			return sent, schema.Faultf(schema.FaultVerification, "delete the collection, and load again",
				"%s: %s has %d points, the shards %d: another program has written to it", l.Address, collection, have, want)
		case pass == fillPasses:
			return sent, schema.Faultf(schema.FaultService, "see the server's log and its disk, then give the same command again",
				"%s: %s has %d points of %d that it has acknowledged", l.Address, collection, have, want)
		default:
			l.Log.Warn("the server has lost points; finding them", "collection", collection, "has", have, "of", want)
		}
		l.done.Store(before)
	}
}

// sendMissing passes over the shards of a language once. It sends all points of an
// empty collection. Of a filled one it lists the ids, and reads more than the ids only
// of shards with missing points.
func (l *loader) sendMissing(ctx context.Context, language Language, filled bool) (sent int64, err error) {
	collection := l.Collection(language.Slug)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.InFlight)
	b := batch{limit: l.Batch}
	flush := func() {
		if points := b.take(); len(points) > 0 {
			sent += int64(len(points))
			group.Go(func() error { return l.upsert(ctx, collection, points) })
		}
	}
	ids := l.idCursor(ctx, collection)
	defer ids.stop()
	for _, s := range language.Shards {
		var missing map[uint64]bool // nil: all
		if filled {
			if missing, err = ids.missing(s); err != nil {
				break
			}
			l.advance("finding missing points of "+collection, s.Rows-int64(len(missing)))
			if len(missing) == 0 {
				continue
			}
		}
		err = eachPoint(ctx, s, func(p *shard.Point) {
			if missing != nil && !missing[p.PointID] {
				return
			}
			point := pointOf(p)
			if !b.fits(point) {
				flush()
			}
			b.add(point)
		})
		if err != nil {
			break
		}
	}
	if err == nil {
		flush()
	}
	if failed := group.Wait(); failed != nil {
		return sent, failed // the cause: err only reports that the context has ended
	}
	return sent, err
}

// eachPoint calls use for the points of a shard.
func eachPoint(ctx context.Context, s Shard, use func(*shard.Point)) (err error) {
	r, err := shard.Open(s.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.Rows() != s.Rows {
		return schema.Faultf(schema.FaultVerification, "run s2g verify, then the stage vectors again",
			"%s has %d points, the manifest names %d", s.File, r.Rows(), s.Rows)
	}
	for r.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		use(r.Point())
	}
	return r.Err()
}

// upsert sends a batch and waits until the server has applied it. So the server queues
// no more than InFlight batches, and an error names its batch.
func (l *loader) upsert(ctx context.Context, collection string, points []*qdrant.PointStruct) error {
	doing := fmt.Sprintf("sending points %d to %d to %s", points[0].GetId().GetNum(), points[len(points)-1].GetId().GetNum(), collection)
	err := do(ctx, l.Server, doing, func(ctx context.Context) error {
		result, err := l.client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: collection, Wait: new(true), Points: points})
		if err == nil && result.GetStatus() == qdrant.UpdateStatus_ClockRejected {
			return status.Error(codes.Aborted, "a replica has rejected the write because of its clock")
		}
		return err
	})
	if err == nil {
		l.advance("loading "+collection, int64(len(points)))
	}
	return err
}

// batchBytes is the limit of a request. Qdrant accepts more; proxies in front of it,
// and its memory with many requests in flight, may not.
const batchBytes = 5_000_000

// Upper bounds of the bytes of a request without its points, and of those that encode
// a point's length.
const (
	requestBytes = 1024
	pointBytes   = 8
)

// batch collects the points of a request.
type batch struct {
	limit  int // of points
	points []*qdrant.PointStruct
	bytes  int
}

// fits reports whether the batch has room for a point. An empty batch has room for any.
func (b *batch) fits(p *qdrant.PointStruct) bool {
	return len(b.points) == 0 || len(b.points) < b.limit && b.bytes+proto.Size(p)+pointBytes <= batchBytes-requestBytes
}

func (b *batch) add(p *qdrant.PointStruct) {
	b.points, b.bytes = append(b.points, p), b.bytes+proto.Size(p)+pointBytes
}

// take returns the points and empties the batch.
func (b *batch) take() []*qdrant.PointStruct {
	points := b.points
	b.points, b.bytes = make([]*qdrant.PointStruct, 0, b.limit), 0
	return points
}
