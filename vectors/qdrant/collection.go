package qdrant

import (
	"context"
	"fmt"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"

	"s2g/schema"
)

// prepare makes a collection, or makes sure that the one that is there was made in the
// same way, and gives it the indexes that it lacks.
func (l *loading) prepare(ctx context.Context, collection string, dimensions int) error {
	request := l.Layout.create(collection, dimensions, l.IDF, l.About)
	err := do(ctx, l.Server, "making "+collection, func(ctx context.Context) error {
		there, err := l.client.CollectionExists(ctx, collection)
		if err != nil || there {
			return err
		}
		if err = l.client.CreateCollection(ctx, request); codeOf(err) == codes.AlreadyExists {
			return nil // the answer to an earlier try was lost
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
	if d := l.Layout.differs(have, dimensions, l.IDF); d != "" {
		return schema.Faultf(schema.FaultUsage, "give the flags of the load that made it, or delete the collection",
			"%s: the collection %s is kept in another way: %s", l.Address, collection, d)
	}
	for _, i := range indexes {
		switch has, ok := have.GetPayloadSchema()[i.field]; {
		case !ok:
			doing := fmt.Sprintf("making the index of %s in %s", i.field, collection)
			_, err := call(ctx, l.Server, doing, func(ctx context.Context) (*qdrant.UpdateResult, error) {
				return l.client.CreateFieldIndex(ctx, i.request(collection))
			})
			if err != nil {
				return err
			}
		case has.GetDataType() != i.schemaType():
			return schema.Faultf(schema.FaultUsage, "delete the collection, and load again",
				"%s: the index of %s in %s is of %s, not %s", l.Address, i.field, collection, has.GetDataType(), i.schemaType())
		}
	}
	return nil
}

func (s *Server) info(ctx context.Context, collection string) (*qdrant.CollectionInfo, error) {
	return call(ctx, s, "asking about "+collection, func(ctx context.Context) (*qdrant.CollectionInfo, error) {
		return s.client.GetCollectionInfo(ctx, collection)
	})
}

// Count returns how many points a collection, or what an alias leads to, has: exactly.
func (s *Server) Count(ctx context.Context, collection string) (int64, error) {
	n, err := call(ctx, s, "counting "+collection, func(ctx context.Context) (uint64, error) {
		return s.client.Count(ctx, &qdrant.CountPoints{CollectionName: collection, Exact: new(true)})
	})
	return int64(n), err
}

// StoresFloat16 says whether a collection keeps dense vectors as halves, as Layout.Float16 has it.
func (s *Server) StoresFloat16(ctx context.Context, collection string) (bool, error) {
	have, err := s.info(ctx, collection)
	return have.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()[DenseVector].GetDatatype() == qdrant.Datatype_Float16, err
}
