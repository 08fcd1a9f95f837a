package qdrant

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"s2g/schema"
	"s2g/vectors/shard"
)

// The names of a point's vectors.
const (
	denseVector  = "dense"
	sparseVector = "sparse"
)

// QuantizationNone is the default of Layout.Quantization.
const QuantizationNone = "none"

const (
	quantizationScalar  = "scalar"  // 8 bits a dimension
	quantizationBinary  = "binary"  // 1 bit a dimension
	quantizationProduct = "product" // 2 bits a dimension
)

// Quantizations returns the values of Layout.Quantization.
func Quantizations() []string {
	return []string{quantizationScalar, quantizationBinary, quantizationProduct, QuantizationNone}
}

// Layout configures the storage of a collection. The zero value has the server's
// defaults and stores vectors unchanged.
type Layout struct {
	Shards           uint32 // 0: the server's default
	Replicas         uint32 // of each shard; 0: the server's default
	WriteConsistency uint32 // replicas that must confirm a write; 0: the server's default
	OnDisk           bool   // the server reads vectors and their indexes from disk, not from memory
	Quantization     string // of the dense vectors; empty: none
	Float16          bool   // dense vectors of half the size, with three of their seven digits
	M                uint64 // links of a point in the HNSW graph; 0: DefaultM
	EfConstruct      uint64 // candidates for each link; 0: the server's default
}

// DefaultM is Qdrant's default.
const DefaultM = 16

// complete returns the layout with its defaults; an unknown value is a usage fault.
func (l Layout) complete() (Layout, error) {
	if l.Quantization == "" {
		l.Quantization = QuantizationNone
	}
	if !slices.Contains(Quantizations(), l.Quantization) {
		return l, schema.Faultf(schema.FaultUsage, "give scalar, binary, product or none", "the quantization %q does not exist", l.Quantization)
	}
	if l.M == 0 {
		l.M = DefaultM
	}
	return l, nil
}

// payloadColumns are the columns of a shard that a payload has, under their names.
var payloadColumns = slices.DeleteFunc(shard.Columns(), func(c shard.Column) bool { return c.Role != shard.RolePayload })

// indexKinds holds, for each kind of index, its name in a request and in the state of a
// collection.
var indexKinds = map[shard.IndexKind]struct {
	field qdrant.FieldType
	state qdrant.PayloadSchemaType
}{
	shard.IndexInteger:  {qdrant.FieldType_FieldTypeInteger, qdrant.PayloadSchemaType_Integer},
	shard.IndexKeyword:  {qdrant.FieldType_FieldTypeKeyword, qdrant.PayloadSchemaType_Keyword},
	shard.IndexBool:     {qdrant.FieldType_FieldTypeBool, qdrant.PayloadSchemaType_Bool},
	shard.IndexDatetime: {qdrant.FieldType_FieldTypeDatetime, qdrant.PayloadSchemaType_Datetime},
}

// indexRequest returns the request that creates the payload index of a column.
func indexRequest(collection string, c shard.Column) *qdrant.CreateFieldIndexCollection {
	kind := indexKinds[c.Index.Kind].field
	r := &qdrant.CreateFieldIndexCollection{CollectionName: collection, Wait: new(true), FieldName: c.Name, FieldType: &kind}
	if c.Index.Kind == shard.IndexInteger {
		r.FieldIndexParams = qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: &c.Index.Lookup, Range: &c.Index.Range})
	}
	return r
}

// createRequest returns the request that creates a collection for vectors of so many
// dimensions.
//
// HNSW's m is 0 until all points are loaded. The indexing threshold stays the server's:
// with m = 0 the server makes compact segments of the points, which keeps its memory
// low; with a threshold of 0 it would keep all points in one growing segment.
func (l Layout) createRequest(collection string, dimensions int, idf bool, about map[string]string) *qdrant.CreateCollection {
	dense := &qdrant.VectorParams{Size: uint64(dimensions), Distance: qdrant.Distance_Cosine, QuantizationConfig: l.quantization()}
	sparse := &qdrant.SparseVectorParams{Modifier: qdrant.Modifier_None.Enum()}
	hnsw := &qdrant.HnswConfigDiff{M: new(uint64(0))}
	if l.EfConstruct > 0 {
		hnsw.EfConstruct = &l.EfConstruct
	}
	if l.Float16 {
		dense.Datatype = qdrant.Datatype_Float16.Enum()
	}
	if idf {
		sparse.Modifier = qdrant.Modifier_Idf.Enum()
	}
	if l.OnDisk {
		dense.OnDisk, hnsw.OnDisk = new(true), new(true)
		sparse.Index = &qdrant.SparseIndexConfig{OnDisk: new(true)}
	}
	c := &qdrant.CreateCollection{
		CollectionName:      collection,
		VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{denseVector: dense}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{sparseVector: sparse}),
		HnswConfig:          hnsw,
		OnDiskPayload:       new(true), // most of it is text, which no filter reads
		Metadata:            map[string]*qdrant.Value{},
	}
	for _, n := range []struct {
		value uint32
		field **uint32
	}{{l.Shards, &c.ShardNumber}, {l.Replicas, &c.ReplicationFactor}, {l.WriteConsistency, &c.WriteConsistencyFactor}} {
		if n.value > 0 {
			*n.field = &n.value
		}
	}
	for name, value := range about {
		c.Metadata[name] = qdrant.NewValueString(value)
	}
	return c
}

// quantization returns the configuration for the dense vectors. The quantized copies
// are small and stay in memory even with OnDisk, because searches begin with them.
func (l Layout) quantization() *qdrant.QuantizationConfig {
	switch l.Quantization {
	case quantizationScalar:
		return qdrant.NewQuantizationScalar(&qdrant.ScalarQuantization{Type: qdrant.QuantizationType_Int8, Quantile: new(float32(0.99)), AlwaysRam: new(true)})
	case quantizationBinary:
		return qdrant.NewQuantizationBinary(&qdrant.BinaryQuantization{AlwaysRam: new(true)})
	case quantizationProduct:
		return qdrant.NewQuantizationProduct(&qdrant.ProductQuantization{Compression: qdrant.CompressionRatio_x16, AlwaysRam: new(true)})
	}
	return nil
}

// linkRequest returns the request that starts the build of the HNSW graph.
func (l Layout) linkRequest(collection string) *qdrant.UpdateCollection {
	u := &qdrant.UpdateCollection{CollectionName: collection, HnswConfig: &qdrant.HnswConfigDiff{M: &l.M}}
	if l.EfConstruct > 0 {
		u.HnswConfig.EfConstruct = &l.EfConstruct
	}
	return u
}

// difference names the first property of an existing collection that differs from the
// layout; empty: none.
func (l Layout) difference(have *qdrant.CollectionInfo, dimensions int, idf bool) string {
	p := have.GetConfig().GetParams()
	dense := p.GetVectorsConfig().GetParamsMap().GetMap()[denseVector]
	sparse, ok := p.GetSparseVectorsConfig().GetMap()[sparseVector]
	modifier := qdrant.Modifier_None
	if idf {
		modifier = qdrant.Modifier_Idf
	}
	for _, c := range []struct {
		what       string
		have, want any
	}{
		{"vectors named dense", dense != nil, true},
		{"vectors named sparse", ok, true},
		{"dimensions", dense.GetSize(), uint64(dimensions)},
		{"distance", dense.GetDistance(), qdrant.Distance_Cosine},
		{"modifier", sparse.GetModifier(), modifier},
		{"option on-disk", dense.GetOnDisk(), l.OnDisk},
		{"option float16", dense.GetDatatype() == qdrant.Datatype_Float16, l.Float16},
		{"option quantization", quantizationOf(dense.GetQuantizationConfig()), l.Quantization},
		{"option shards", p.GetShardNumber(), cmp.Or(l.Shards, p.GetShardNumber())},
		{"option replicas", p.GetReplicationFactor(), cmp.Or(l.Replicas, p.GetReplicationFactor())},
		{"option write-consistency", p.GetWriteConsistencyFactor(), cmp.Or(l.WriteConsistency, p.GetWriteConsistencyFactor())},
	} {
		if c.have != c.want {
			return fmt.Sprintf("%s: %v, not %v", c.what, c.have, c.want)
		}
	}
	return ""
}

// quantizationOf returns the value of Layout.Quantization that q implements.
func quantizationOf(q *qdrant.QuantizationConfig) string {
	switch {
	case q.GetScalar() != nil:
		return quantizationScalar
	case q.GetBinary() != nil:
		return quantizationBinary
	case q.GetProduct() != nil:
		return quantizationProduct
	}
	return QuantizationNone
}
