package qdrant

import (
	"context"
	"iter"

	"github.com/qdrant/go-client/qdrant"

	"s2g/schema"
	"s2g/vectors/shard"
)

// idsPage is the number of ids of a request.
const idsPage = 10_000

// info requests the state of a collection.
func (s *Server) info(ctx context.Context, collection string) (*qdrant.CollectionInfo, error) {
	return call(ctx, s, "requesting the state of "+collection, func(ctx context.Context) (*qdrant.CollectionInfo, error) {
		return s.client.GetCollectionInfo(ctx, collection)
	})
}

// Count returns the exact number of points of a collection. This method and those below
// accept an alias in place of its collection.
func (s *Server) Count(ctx context.Context, collection string) (int64, error) {
	n, err := call(ctx, s, "counting "+collection, func(ctx context.Context) (uint64, error) {
		return s.client.Count(ctx, &qdrant.CountPoints{CollectionName: collection, Exact: new(true)})
	})
	return int64(n), err
}

// StoresFloat16 reports whether a collection stores dense vectors as float16; see
// [Layout].
func (s *Server) StoresFloat16(ctx context.Context, collection string) (bool, error) {
	have, err := s.info(ctx, collection)
	return have.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()[denseVector].GetDatatype() == qdrant.Datatype_Float16, err
}

// IDs yields the ids of a collection's points in ascending order. After an error it
// yields nothing more.
func (s *Server) IDs(ctx context.Context, collection string) iter.Seq2[uint64, error] {
	type page struct {
		points []*qdrant.RetrievedPoint
		next   *qdrant.PointId // the first id of the next page; nil: this is the last
	}
	return func(yield func(uint64, error) bool) {
		offset, least := qdrant.NewIDNum(0), uint64(0) // the least id that may follow
		for offset != nil {
			p, err := call(ctx, s, "listing the ids of "+collection, func(ctx context.Context) (p page, err error) {
				p.points, p.next, err = s.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
					CollectionName: collection, Offset: offset, Limit: new(uint32(idsPage)),
					WithPayload: qdrant.NewWithPayload(false), WithVectors: qdrant.NewWithVectors(false),
				})
				return p, err
			})
			if err != nil {
				yield(0, err)
				return
			}
			for _, point := range p.points {
				id := point.GetId().GetNum()
				if id < least {
					yield(0, s.disorder(collection, id))
					return
				}
				if least = id + 1; !yield(id, nil) {
					return
				}
			}
			if p.next != nil && (p.next.GetNum() < least || len(p.points) == 0) {
				yield(0, s.disorder(collection, p.next.GetNum())) // the list would never end
				return
			}
			offset = p.next
		}
	}
}

// disorder returns the fault of a list of ids that does not ascend.
func (s *Server) disorder(collection string, id uint64) error {
	return schema.Faultf(schema.FaultService, "check that the server is Qdrant, and what is before it",
		"%s: the list of the ids of %s does not ascend at %d", s.Address, collection, id)
}

// idCursor reads the ids of a collection in step with the ids of shards.
type idCursor struct {
	next func() (uint64, error, bool)
	stop func()
	at   uint64 // the current id; 0 before the first
	more bool   // next has not reached the end
}

func (s *Server) idCursor(ctx context.Context, collection string) *idCursor {
	c := &idCursor{more: true}
	c.next, c.stop = iter.Pull2(s.IDs(ctx, collection))
	return c
}

// missing returns the points of a shard that the collection lacks. The caller passes
// shards in the order of their points.
func (c *idCursor) missing(s Shard) (map[uint64]bool, error) {
	wanted, err := shard.IDs(s.File)
	if err != nil {
		return nil, err
	}
	missing := map[uint64]bool{}
	for _, id := range wanted {
		for c.more && c.at < id {
			if c.at, err, c.more = c.next(); err != nil {
				return nil, err
			}
		}
		if !c.more || c.at != id {
			missing[id] = true
		}
	}
	return missing, nil
}

// Fetch returns points with payload and vectors by their ids, in any order. It leaves
// out those that the collection lacks.
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
