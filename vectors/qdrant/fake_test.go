package qdrant

import (
	"cmp"
	"context"
	"maps"
	"net"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// fake is a Qdrant server in memory that records its requests and fails on demand.
type fake struct {
	address string
	// before may fail or delay a call; after may replace its answer by an error. nth is
	// the number of the call among those of its method, from 1.
	before, after func(ctx context.Context, method string, nth int, request proto.Message) error
	// state returns the state of a collection at a request of it; nil: always green
	state func(collection string, asked int) *qdrant.CollectionInfo
	// results is the number of results, all empty, for a batch of queries
	results int
	// scroll answers a request for ids; nil: those of the points
	scroll  func(r *qdrant.ScrollPoints) *qdrant.ScrollResponse
	version string // empty: 1.18.3

	mu          sync.Mutex
	requests    []proto.Message
	calls       map[string]int
	keys        []string
	deadlines   []time.Duration
	asked       map[string]int // requests of the state, by collection
	collections map[string]*qdrant.CreateCollection
	schemas     map[string]map[string]*qdrant.PayloadSchemaInfo
	points      map[string]map[uint64]*qdrant.PointStruct
	aliases     map[string]string
}

func startFake(t *testing.T, f *fake, options ...grpc.ServerOption) *fake {
	t.Helper()
	f.calls, f.asked = map[string]int{}, map[string]int{}
	f.collections, f.schemas = map[string]*qdrant.CreateCollection{}, map[string]map[string]*qdrant.PayloadSchemaInfo{}
	f.points, f.aliases = map[string]map[uint64]*qdrant.PointStruct{}, map[string]string{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	server := grpc.NewServer(append(options, grpc.UnaryInterceptor(f.intercept), grpc.MaxRecvMsgSize(64<<20))...)
	qdrant.RegisterQdrantServer(server, fakeHealth{fake: f})
	qdrant.RegisterCollectionsServer(server, fakeCollections{fake: f})
	qdrant.RegisterPointsServer(server, fakePoints{fake: f})
	go func() { _ = server.Serve(l) }() // it ends with Stop
	t.Cleanup(server.Stop)
	return f
}

func (f *fake) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	method, message := path.Base(info.FullMethod), request.(proto.Message)
	f.mu.Lock()
	f.calls[method]++
	nth := f.calls[method]
	f.requests = append(f.requests, message)
	md, _ := metadata.FromIncomingContext(ctx)
	f.keys = append(f.keys, md.Get("api-key")...)
	left := time.Duration(-1)
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	f.deadlines = append(f.deadlines, left)
	f.mu.Unlock()
	if f.before != nil {
		if err := f.before(ctx, method, nth, message); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	answer, err := handle(ctx, request)
	f.mu.Unlock()
	if err == nil && f.after != nil {
		err = f.after(ctx, method, nth, message)
	}
	return answer, err
}

// called returns the number of calls of a method.
func (f *fake) called(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[method]
}

// of returns the requests of a type, in order.
func of[T proto.Message](f *fake) (list []T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if r, ok := r.(T); ok {
			list = append(list, r)
		}
	}
	return list
}

type fakeHealth struct {
	qdrant.UnimplementedQdrantServer
	*fake
}

func (f fakeHealth) HealthCheck(context.Context, *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	return &qdrant.HealthCheckReply{Title: "fake", Version: cmp.Or(f.version, "1.18.3")}, nil
}

type fakeCollections struct {
	qdrant.UnimplementedCollectionsServer
	*fake
}

var done = &qdrant.CollectionOperationResponse{Result: true}

func (f fakeCollections) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	if f.collections[r.GetCollectionName()] != nil {
		return nil, status.Error(codes.AlreadyExists, "it exists")
	}
	name := r.GetCollectionName()
	f.collections[name], f.points[name], f.schemas[name] = r, map[uint64]*qdrant.PointStruct{}, map[string]*qdrant.PayloadSchemaInfo{}
	return done, nil
}

func (f fakeCollections) CollectionExists(_ context.Context, r *qdrant.CollectionExistsRequest) (*qdrant.CollectionExistsResponse, error) {
	return &qdrant.CollectionExistsResponse{Result: &qdrant.CollectionExists{Exists: f.collections[r.GetCollectionName()] != nil}}, nil
}

func (f fakeCollections) Update(_ context.Context, r *qdrant.UpdateCollection) (*qdrant.CollectionOperationResponse, error) {
	if r.GetHnswConfig() != nil {
		proto.Merge(f.collections[r.GetCollectionName()].HnswConfig, r.GetHnswConfig())
	}
	return done, nil
}

func (f fakeCollections) Delete(_ context.Context, r *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	if f.collections[r.GetCollectionName()] == nil {
		return nil, status.Error(codes.Unknown, "no such collection") // as Qdrant
	}
	delete(f.collections, r.GetCollectionName())
	return done, nil
}

func (f fakeCollections) Get(_ context.Context, r *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	name := r.GetCollectionName()
	c := f.collections[name]
	if c == nil {
		return nil, status.Error(codes.NotFound, "no such collection")
	}
	info := &qdrant.CollectionInfo{Status: qdrant.CollectionStatus_Green, OptimizerStatus: &qdrant.OptimizerStatus{Ok: true}}
	if f.asked[name]++; f.state != nil {
		info = f.state(name, f.asked[name])
	}
	info.PayloadSchema = f.schemas[name]
	info.Config = &qdrant.CollectionConfig{HnswConfig: c.GetHnswConfig(), Params: &qdrant.CollectionParams{
		VectorsConfig: c.GetVectorsConfig(), SparseVectorsConfig: c.GetSparseVectorsConfig(), ShardNumber: c.GetShardNumber(),
		ReplicationFactor: c.ReplicationFactor, WriteConsistencyFactor: c.WriteConsistencyFactor,
	}}
	return &qdrant.GetCollectionInfoResponse{Result: info}, nil
}

func (f fakeCollections) List(context.Context, *qdrant.ListCollectionsRequest) (*qdrant.ListCollectionsResponse, error) {
	all := &qdrant.ListCollectionsResponse{}
	for name := range f.collections {
		all.Collections = append(all.Collections, &qdrant.CollectionDescription{Name: name})
	}
	return all, nil
}

func (f fakeCollections) ListAliases(context.Context, *qdrant.ListAliasesRequest) (*qdrant.ListAliasesResponse, error) {
	all := &qdrant.ListAliasesResponse{}
	for alias, name := range f.aliases {
		all.Aliases = append(all.Aliases, &qdrant.AliasDescription{AliasName: alias, CollectionName: name})
	}
	return all, nil
}

func (f fakeCollections) UpdateAliases(_ context.Context, r *qdrant.ChangeAliases) (*qdrant.CollectionOperationResponse, error) {
	then := maps.Clone(f.aliases)
	for _, a := range r.GetActions() {
		if c := a.GetCreateAlias(); c != nil {
			then[c.GetAliasName()] = c.GetCollectionName()
		} else if d := a.GetDeleteAlias(); then[d.GetAliasName()] != "" {
			delete(then, d.GetAliasName())
		} else {
			return nil, status.Error(codes.Unknown, "no such alias") // as Qdrant
		}
	}
	f.aliases = then
	f.fake.aliases = then
	return done, nil
}

type fakePoints struct {
	qdrant.UnimplementedPointsServer
	*fake
}

func applied() *qdrant.PointsOperationResponse {
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}}
}

func (f fakePoints) CreateFieldIndex(_ context.Context, r *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	kinds := map[qdrant.FieldType]qdrant.PayloadSchemaType{
		qdrant.FieldType_FieldTypeInteger: qdrant.PayloadSchemaType_Integer, qdrant.FieldType_FieldTypeKeyword: qdrant.PayloadSchemaType_Keyword,
		qdrant.FieldType_FieldTypeBool: qdrant.PayloadSchemaType_Bool, qdrant.FieldType_FieldTypeDatetime: qdrant.PayloadSchemaType_Datetime,
	}
	f.schemas[r.GetCollectionName()][r.GetFieldName()] = &qdrant.PayloadSchemaInfo{DataType: kinds[r.GetFieldType()]}
	return applied(), nil
}

func (f fakePoints) Upsert(_ context.Context, r *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	for _, p := range r.GetPoints() {
		f.points[r.GetCollectionName()][p.GetId().GetNum()] = p
	}
	return applied(), nil
}

func (f fakePoints) Count(_ context.Context, r *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	name := r.GetCollectionName()
	if to, ok := f.fake.aliases[name]; ok {
		name = to
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: uint64(len(f.points[name]))}}, nil
}

func (f fakePoints) QueryBatch(context.Context, *qdrant.QueryBatchPoints) (*qdrant.QueryBatchResponse, error) {
	answer := &qdrant.QueryBatchResponse{}
	for range f.results {
		answer.Result = append(answer.Result, &qdrant.BatchResult{})
	}
	return answer, nil
}

func (f fakePoints) Scroll(_ context.Context, r *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	answer := &qdrant.ScrollResponse{}
	if f.scroll != nil {
		return f.scroll(r), nil
	}
	for _, id := range slices.Sorted(maps.Keys(f.points[r.GetCollectionName()])) {
		if id < r.GetOffset().GetNum() {
			continue
		}
		if len(answer.GetResult()) == int(r.GetLimit()) {
			answer.NextPageOffset = qdrant.NewIDNum(id)
			break
		}
		answer.Result = append(answer.Result, &qdrant.RetrievedPoint{Id: qdrant.NewIDNum(id)})
	}
	return answer, nil
}

func (f fakePoints) Get(_ context.Context, r *qdrant.GetPoints) (*qdrant.GetResponse, error) {
	answer := &qdrant.GetResponse{}
	for _, id := range r.GetIds() {
		p := f.points[r.GetCollectionName()][id.GetNum()]
		if p == nil {
			continue
		}
		vectors := map[string]*qdrant.VectorOutput{}
		for name, v := range p.GetVectors().GetVectors().GetVectors() {
			if sparse := v.GetSparse(); sparse != nil {
				vectors[name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Sparse{Sparse: sparse}}
			} else {
				vectors[name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Dense{Dense: v.GetDense()}}
			}
		}
		answer.Result = append(answer.Result, &qdrant.RetrievedPoint{
			Id: id, Payload: p.GetPayload(),
			Vectors: &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vectors{Vectors: &qdrant.NamedVectorsOutput{Vectors: vectors}}},
		})
	}
	return answer, nil
}
