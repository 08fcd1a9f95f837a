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

// fillRounds is how often the points that are missing are sent: a server that is killed
// while it loads may lose what it has acknowledged.
const fillRounds = 3

// fill sends the points of a language that its collection lacks, and says how many.
func (l *loading) fill(ctx context.Context, language Language) (sent int64, err error) {
	collection := l.Collection(language.Slug)
	for round := 1; ; round++ {
		have, err := l.Count(ctx, collection)
		if err != nil {
			return sent, err
		}
		before := l.done.Load()
		n, err := l.pass(ctx, language, have > 0)
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
				"%s: %s has %d points, the shards %d: something else has written to it", l.Address, collection, have, want)
		case round == fillRounds:
			return sent, schema.Faultf(schema.FaultService, "see the server's log and its disk, then give the same command again",
				"%s: %s has %d points of %d that it has acknowledged", l.Address, collection, have, want)
		default:
			l.Log.Warn("the server has lost points; looking which", "collection", collection, "has", have, "of", want)
		}
		l.done.Store(before)
	}
}

// pass goes through the shards of a language once, and sends what is missing: where
// there are points already, it asks for their ids and for nothing else, and reads no
// more than the ids of the shards that are all there.
func (l *loading) pass(ctx context.Context, language Language, begun bool) (sent int64, err error) {
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
	there := l.ids(ctx, collection)
	defer there.stop()
	for _, s := range language.Shards {
		var missing map[uint64]bool // nil: all are
		if begun {
			if missing, err = there.missing(s); err != nil {
				break
			}
			l.advance("looking for what is missing in "+collection, s.Rows-int64(len(missing)))
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
		return sent, failed // err says only that the context has ended
	}
	return sent, err
}

// eachPoint gives the points of a shard to use.
func eachPoint(ctx context.Context, s Shard, use func(*shard.Point)) (err error) {
	r, err := shard.Open(s.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.Rows() != s.Rows {
		return schema.Faultf(schema.FaultVerification, "run s2g verify --out, then the stage vectors again",
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

// upsert sends a batch, and waits until it is applied: so the server is never given
// more than it can do, and says of each batch what went wrong with it.
func (l *loading) upsert(ctx context.Context, collection string, points []*qdrant.PointStruct) error {
	doing := fmt.Sprintf("sending points %d to %d to %s", points[0].GetId().GetNum(), points[len(points)-1].GetId().GetNum(), collection)
	err := do(ctx, l.Server, doing, func(ctx context.Context) error {
		result, err := l.client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: collection, Wait: new(true), Points: points})
		if err == nil && result.GetStatus() == qdrant.UpdateStatus_ClockRejected {
			return status.Error(codes.Aborted, "a replica has refused the write for its clock")
		}
		return err
	})
	if err == nil {
		l.advance("loading "+collection, int64(len(points)))
	}
	return err
}

// batchBytes bounds a request: Qdrant takes more, but proxies in front of it, and
// memory with many requests in flight, do not.
const batchBytes = 5_000_000

// requestBytes is more than what a request has beside its points, and pointBytes than
// what each takes beside itself.
const (
	requestBytes = 1024
	pointBytes   = 8
)

// batch is points on their way into a request.
type batch struct {
	limit  int // points
	points []*qdrant.PointStruct
	bytes  int
}

// fits says whether the batch may take another point. An empty one takes any.
func (b *batch) fits(p *qdrant.PointStruct) bool {
	return len(b.points) == 0 || len(b.points) < b.limit && b.bytes+proto.Size(p)+pointBytes <= batchBytes-requestBytes
}

func (b *batch) add(p *qdrant.PointStruct) {
	b.points, b.bytes = append(b.points, p), b.bytes+proto.Size(p)+pointBytes
}

// take empties the batch.
func (b *batch) take() []*qdrant.PointStruct {
	points := b.points
	b.points, b.bytes = make([]*qdrant.PointStruct, 0, b.limit), 0
	return points
}
