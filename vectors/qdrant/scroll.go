package qdrant

import (
	"context"
	"iter"

	"github.com/qdrant/go-client/qdrant"

	"s2g/vectors/shard"
)

// pageIDs is how many ids are asked for at a time.
const pageIDs = 10_000

// page is some points, and the id of the next one; nil after the last.
type page struct {
	points []*qdrant.RetrievedPoint
	next   *qdrant.PointId
}

// IDs yields the ids of a collection's points in ascending order. An error is the last
// that it yields.
func (s *Server) IDs(ctx context.Context, collection string) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		offset := qdrant.NewIDNum(0)
		for offset != nil {
			p, err := call(ctx, s, "listing the ids of "+collection, func(ctx context.Context) (p page, err error) {
				p.points, p.next, err = s.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
					CollectionName: collection, Offset: offset, Limit: new(uint32(pageIDs)),
					WithPayload: qdrant.NewWithPayload(false), WithVectors: qdrant.NewWithVectors(false),
				})
				return p, err
			})
			if err != nil {
				yield(0, err)
				return
			}
			for _, point := range p.points {
				if !yield(point.GetId().GetNum(), nil) {
					return
				}
			}
			offset = p.next
		}
	}
}

// ids are those of a collection, as they are asked for one after the other.
type ids struct {
	pull func() (uint64, error, bool)
	stop func()
	at   uint64 // the id that was pulled last
	more bool   // there was one
}

func (s *Server) ids(ctx context.Context, collection string) *ids {
	i := &ids{more: true}
	i.pull, i.stop = iter.Pull2(s.IDs(ctx, collection))
	return i
}

// missing returns which points of a shard are not among the ids. Shards are given in
// the order of their points, which both sides have.
func (i *ids) missing(s Shard) (map[uint64]bool, error) {
	wanted, err := shard.IDs(s.File)
	if err != nil {
		return nil, err
	}
	lost := map[uint64]bool{}
	for _, id := range wanted {
		for i.more && i.at < id {
			if i.at, err, i.more = i.pull(); err != nil {
				return nil, err
			}
		}
		if !i.more || i.at != id {
			lost[id] = true
		}
	}
	return lost, nil
}

// Fetch returns points by their ids, whole, in any order. Those that are not there
// are left out.
func (s *Server) Fetch(ctx context.Context, collection string, ids []uint64) ([]*qdrant.RetrievedPoint, error) {
	wanted := make([]*qdrant.PointId, len(ids))
	for i, id := range ids {
		wanted[i] = qdrant.NewIDNum(id)
	}
	return call(ctx, s, "reading points of "+collection, func(ctx context.Context) ([]*qdrant.RetrievedPoint, error) {
		return s.client.Get(ctx, &qdrant.GetPoints{
			CollectionName: collection, Ids: wanted, WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true),
		})
	})
}
