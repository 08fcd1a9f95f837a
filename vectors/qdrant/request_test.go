package qdrant

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"s2g/vectors/shard"
)

// layoutOf loads a small build with a layout into a fake, and returns the request that
// created its collection.
func layoutOf(t *testing.T, l Layout, idf bool) *qdrant.CreateCollection {
	t.Helper()
	f := startFake(t, &fake{})
	s := open(t, f.address)
	b := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 3})
	b.IDF = idf
	o := small()
	o.Layout = l
	mustLoad(t, s, b, o)
	return of[*qdrant.CreateCollection](f)[0]
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	scalar := &qdrant.ScalarQuantization{Type: qdrant.QuantizationType_Int8, Quantile: new(float32(0.99)), AlwaysRam: new(true)}
	for _, c := range []struct {
		what   string
		layout Layout
		idf    bool
		change func(want *qdrant.CreateCollection, dense *qdrant.VectorParams, sparse *qdrant.SparseVectorParams)
	}{
		{"as it comes", Layout{}, true, func(*qdrant.CreateCollection, *qdrant.VectorParams, *qdrant.SparseVectorParams) {}},
		{"weights of their own", Layout{}, false, func(_ *qdrant.CreateCollection, _ *qdrant.VectorParams, s *qdrant.SparseVectorParams) {
			s.Modifier = qdrant.Modifier_None.Enum()
		}},
		{"cluster", Layout{Shards: 6, Replicas: 2, WriteConsistency: 2}, true, func(w *qdrant.CreateCollection, _ *qdrant.VectorParams, _ *qdrant.SparseVectorParams) {
			w.ShardNumber, w.ReplicationFactor, w.WriteConsistencyFactor = new(uint32(6)), new(uint32(2)), new(uint32(2))
		}},
		{"on disk", Layout{OnDisk: true}, true, func(w *qdrant.CreateCollection, d *qdrant.VectorParams, s *qdrant.SparseVectorParams) {
			d.OnDisk, w.HnswConfig.OnDisk, s.Index = new(true), new(true), &qdrant.SparseIndexConfig{OnDisk: new(true)}
		}},
		{"halves, scalar", Layout{Float16: true, Quantization: "scalar"}, true, func(_ *qdrant.CreateCollection, d *qdrant.VectorParams, _ *qdrant.SparseVectorParams) {
			d.Datatype, d.QuantizationConfig = qdrant.Datatype_Float16.Enum(), qdrant.NewQuantizationScalar(scalar)
		}},
		{"binary", Layout{Quantization: "binary"}, true, func(_ *qdrant.CreateCollection, d *qdrant.VectorParams, _ *qdrant.SparseVectorParams) {
			d.QuantizationConfig = qdrant.NewQuantizationBinary(&qdrant.BinaryQuantization{AlwaysRam: new(true)})
		}},
		{"product", Layout{Quantization: "product"}, true, func(_ *qdrant.CreateCollection, d *qdrant.VectorParams, _ *qdrant.SparseVectorParams) {
			d.QuantizationConfig = qdrant.NewQuantizationProduct(&qdrant.ProductQuantization{Compression: qdrant.CompressionRatio_x16, AlwaysRam: new(true)})
		}},
		{"graph", Layout{M: 32, EfConstruct: 200}, true, func(w *qdrant.CreateCollection, _ *qdrant.VectorParams, _ *qdrant.SparseVectorParams) {
			w.HnswConfig.M, w.HnswConfig.EfConstruct = new(uint64(32)), new(uint64(200)) // after the load
		}},
	} {
		dense := &qdrant.VectorParams{Size: dimensions, Distance: qdrant.Distance_Cosine}
		sparse := &qdrant.SparseVectorParams{Modifier: qdrant.Modifier_Idf.Enum()}
		want := &qdrant.CreateCollection{
			CollectionName:      "so_c_2024-03-31_00000001",
			VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{"dense": dense}),
			SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{"sparse": sparse}),
			HnswConfig:          &qdrant.HnswConfigDiff{M: new(uint64(16))}, // the fake has applied the update by now
			OnDiskPayload:       new(true),
			Metadata:            map[string]*qdrant.Value{"site": qdrant.NewValueString("http://stackoverflow.com")},
		}
		c.change(want, dense, sparse)
		if got := layoutOf(t, c.layout, c.idf); !proto.Equal(want, got) {
			t.Errorf("%s:\nwant %v\ngot  %v", c.what, want, got)
		}
	}
	if _, err := (Options{Layout: Layout{Quantization: "turbo"}}).complete(); err == nil {
		t.Error("an unknown quantization is accepted")
	}
}

// The order of the requests: a collection without a graph, its payload indexes, its
// points, the graph, and at last the alias.
func TestOrderOfRequests(t *testing.T) {
	t.Parallel()
	f := startFake(t, &fake{})
	s := open(t, f.address)
	b := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 20, "go": 20})
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	first := map[string]int{}
	last := map[string]int{}
	for i, r := range f.requests {
		kind := string(r.ProtoReflect().Descriptor().Name())
		if _, ok := first[kind]; !ok {
			first[kind] = i
		}
		last[kind] = i
	}
	order := []string{"CreateCollection", "CreateFieldIndexCollection", "UpsertPoints", "UpdateCollection", "GetPoints", "ChangeAliases"}
	if !slices.IsSortedFunc(order, func(a, b string) int { return cmp.Compare(first[a], first[b]) }) {
		t.Errorf("begun in the order %v", first)
	}
	if last["CreateFieldIndexCollection"] > first["UpsertPoints"] || first["ChangeAliases"] != last["ChangeAliases"] || last["GetPoints"] > first["ChangeAliases"] {
		t.Errorf("first %v\nlast %v", first, last)
	}
	indexed := map[string]int{}
	for _, r := range of[*qdrant.CreateFieldIndexCollection](f) {
		indexed[r.GetFieldName()]++
		if !r.GetWait() {
			t.Errorf("the index of %s is not waited for", r.GetFieldName())
		}
	}
	want := map[string]int{}
	for _, c := range shard.Columns() {
		if c.Index != (shard.Index{}) {
			want[c.Name] = 2 // one in each collection
		}
	}
	if diff := gocmp.Diff(want, indexed); diff != "" || want["creation_date"] == 0 {
		t.Errorf("indexes: %s", diff)
	}
	actions := of[*qdrant.ChangeAliases](f)[0].GetActions()
	if len(actions) != 2 || actions[1].GetCreateAlias().GetAliasName() != "so_go" {
		t.Errorf("%v", actions)
	}
	for i, d := range f.deadlines {
		if d <= 0 {
			t.Errorf("%T has no deadline", f.requests[i])
		}
	}
}

// Requests are within the limits of points and bytes; each point has payload and vectors.
func TestBatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what       string
		text       int // bytes of each text
		batch      int
		want, most int // requests; points of one
	}{
		{"few points", 100, 30, 4, 30},
		{"much text", 700_000, 256, 3, 7},
		{"texts larger than a batch", 5_100_000, 64, 3, 1},
	} {
		n := map[int]int{100: 100, 700_000: 20, 5_100_000: 3}[c.text]
		var all []shard.Point
		for i := range n {
			p := points("c", 1, uint64(i))[0]
			p.PointID, p.Text = shard.PointID(int64(i+1), 0), strings.Repeat("x", c.text)
			all = append(all, p)
		}
		f := startFake(t, &fake{})
		s := open(t, f.address)
		b := Build{Prefix: "so", Edition: "2024-03-31_00000001", Languages: []Language{language(t, "c", all, 70)}}
		mustLoad(t, s, b, Options{Batch: c.batch, InFlight: 2})
		requests := of[*qdrant.UpsertPoints](f)
		if len(requests) != c.want {
			t.Errorf("%s: %d requests, want %d", c.what, len(requests), c.want)
		}
		for _, r := range requests {
			if size := proto.Size(r); len(r.GetPoints()) > c.most || size > batchBytes && len(r.GetPoints()) > 1 {
				t.Errorf("%s: %d points of %d bytes", c.what, len(r.GetPoints()), size)
			}
			if !r.GetWait() {
				t.Errorf("%s: not waited for", c.what)
			}
			for _, p := range r.GetPoints() {
				if len(p.GetPayload()) < 20 || p.GetVectors().GetVectors().GetVectors()["dense"] == nil {
					t.Errorf("%s: point %d is not whole", c.what, p.GetId().GetNum())
				}
			}
		}
	}
}

// The payload as a client of any language reads it.
func TestPayload(t *testing.T) {
	all := points("c#", 2, 1)
	get := func(p shard.Point) map[string]any {
		plain := map[string]any{}
		for field, v := range payloadOf(&p) {
			switch k := v.GetKind().(type) {
			case *qdrant.Value_StringValue:
				plain[field] = k.StringValue
			case *qdrant.Value_IntegerValue:
				plain[field] = k.IntegerValue
			case *qdrant.Value_BoolValue:
				plain[field] = k.BoolValue
			default:
				plain[field] = len(v.GetListValue().GetValues())
			}
		}
		return plain
	}
	want := map[string]any{
		"post_id": int64(4), "question_id": int64(4), "iri": "http://stackoverflow.com/questions/4", "type": "question", "language": "c#",
		"languages": 1, "chunk": int64(0), "chunks": int64(1), "start": int64(0), "end": int64(10), "title": "Title 0", "text": all[0].Text,
		"tags": 2, "has_accepted_answer": true, "accepted_answer_id": int64(5), "duplicate_of": 0, "linked_to": 2, "closed": true,
		"creation_date": "2008-07-31T21:42:52.000Z", "author": "http://stackoverflow.com/users/7",
		"license": "https://creativecommons.org/licenses/by-sa/4.0/", "content_hash": all[0].ContentHash,
	}
	if diff := gocmp.Diff(want, get(all[0])); diff != "" {
		t.Error(diff)
	}
	second := get(all[1])
	for field, want := range map[string]any{"score": int64(-6), "answer_count": int64(1), "author_name": "somebody", "accepted_answer_id": nil, "author": nil} {
		if second[field] != want {
			t.Errorf("%s is %v, want %v", field, second[field], want)
		}
	}
}

// A difference in any part of a point is found and named.
func TestDifference(t *testing.T) {
	same := func() (*qdrant.RetrievedPoint, *shard.Point) {
		p := points("c", 8, 1)[8]
		v := pointOf(&p)
		vectors := map[string]*qdrant.VectorOutput{
			"dense":  {Vector: &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: slices.Clone(p.Dense)}}},
			"sparse": {Vector: &qdrant.VectorOutput_Sparse{Sparse: &qdrant.SparseVector{Indices: slices.Clone(p.SparseIndices), Values: slices.Clone(p.SparseValues)}}},
		}
		return &qdrant.RetrievedPoint{Id: v.GetId(), Payload: v.GetPayload(), Vectors: &qdrant.VectorsOutput{
			VectorsOptions: &qdrant.VectorsOutput_Vectors{Vectors: &qdrant.NamedVectorsOutput{Vectors: vectors}}}}, &p
	}
	if have, row := same(); difference(have, row, false) != "" {
		t.Fatal(difference(have, row, false))
	}
	vector := func(p *qdrant.RetrievedPoint, name string) *qdrant.VectorOutput {
		return p.GetVectors().GetVectors().GetVectors()[name]
	}
	for _, c := range []struct {
		want   string
		change func(p *qdrant.RetrievedPoint)
	}{
		{"score is missing, in the shard it is -1", func(p *qdrant.RetrievedPoint) { delete(p.Payload, "score") }},
		{"score is 5, in the shard it is -1", func(p *qdrant.RetrievedPoint) { p.Payload["score"] = qdrant.NewValueInt(5) }},
		{"score is *qdrant.Value_DoubleValue, in the shard it is -1", func(p *qdrant.RetrievedPoint) { p.Payload["score"] = qdrant.NewValueDouble(-1) }},
		{"extra is true, in the shard it is missing", func(p *qdrant.RetrievedPoint) { p.Payload["extra"] = qdrant.NewValueBool(true) }},
		{`tags is ["d" "b-c#"], in the shard it is ["c" "b-c#"]`, func(p *qdrant.RetrievedPoint) {
			p.Payload["tags"].GetListValue().Values[0] = qdrant.NewValueString("d")
		}},
		{`title is "", in the shard it is "Title 6"`, func(p *qdrant.RetrievedPoint) { p.Payload["title"] = qdrant.NewValueString("") }},
		{"its dense vector has 7 dimensions, in the shard 8", func(p *qdrant.RetrievedPoint) {
			vector(p, "dense").GetDense().Data = vector(p, "dense").GetDense().Data[:7]
		}},
		{"its dense vector has 0 dimensions, in the shard 8", func(p *qdrant.RetrievedPoint) { delete(p.GetVectors().GetVectors().Vectors, "dense") }},
		{"its sparse vector differs from the shard's", func(p *qdrant.RetrievedPoint) { vector(p, "sparse").GetSparse().Values[0]++ }},
		{"its sparse vector differs from the shard's", func(p *qdrant.RetrievedPoint) { vector(p, "sparse").GetSparse().Indices[0]++ }},
		{"its sparse vector differs from the shard's", func(p *qdrant.RetrievedPoint) { delete(p.GetVectors().GetVectors().Vectors, "sparse") }},
	} {
		have, row := same()
		c.change(have)
		if got := difference(have, row, false); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, wrong := range []float32{1e-5, float32(math.NaN())} {
		have, row := same()
		vector(have, "dense").GetDense().Data[3] += wrong
		if got := difference(have, row, false); !strings.HasPrefix(got, "dimension 3 of its dense vector is ") {
			t.Errorf("%q", got)
		}
	}
	have, row := same()
	vector(have, "dense").GetDense().Data[3] += 4e-4
	if difference(have, row, true) != "" || difference(have, row, false) == "" {
		t.Error("halves are not compared as halves")
	}
}
