package qdrant

import (
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"

	"s2g/schema"
)

// The names of a point's vectors.
const (
	DenseVector  = "dense"
	SparseVector = "sparse"
)

// The kinds of quantisation, of Layout.
const (
	QuantizationNone    = "none"
	QuantizationScalar  = "scalar"  // 8 bits a dimension
	QuantizationBinary  = "binary"  // 1 bit a dimension
	QuantizationProduct = "product" // half a byte a float32 on average: 16 times smaller
)

// Layout says how a server is to keep a collection. The zero value leaves everything
// to the server, and keeps vectors as they are.
type Layout struct {
	Shards           uint32 // 0: the server's default
	Replicas         uint32 // of each shard; 0: the server's default
	WriteConsistency uint32 // replicas that must have a write before it counts; 0: the server's default
	OnDisk           bool   // vectors and their indexes are read from disk, not kept in memory
	Quantization     string // of the dense vectors; empty: none
	Float16          bool   // dense vectors in half the size; they lose three of their seven digits
	M                uint64 // links of a point in the HNSW graph; 0: DefaultM
	EfConstruct      uint64 // candidates for each link; 0: the server's default
}

// DefaultM is Qdrant's own.
const DefaultM = 16

func (l Layout) complete() (Layout, error) {
	if l.Quantization == "" {
		l.Quantization = QuantizationNone
	}
	kinds := []string{QuantizationNone, QuantizationScalar, QuantizationBinary, QuantizationProduct}
	if !slices.Contains(kinds, l.Quantization) {
		return l, schema.Faultf(schema.FaultUsage, "give scalar, binary, product or none", "there is no quantisation %q", l.Quantization)
	}
	if l.M == 0 {
		l.M = DefaultM
	}
	return l, nil
}

// index is a field of the payload that has an index.
type index struct {
	field string
	kind  qdrant.FieldType
	// what is asked of integers: to be equal, or to be in a range
	lookup, ranged bool
}

// indexes are the fields that searches filter by, and no others: an index takes
// memory for each point. `language` has none, being the same in all of a collection.
var indexes = []index{
	{field: "post_id", kind: qdrant.FieldType_FieldTypeInteger, lookup: true, ranged: true},
	{field: "question_id", kind: qdrant.FieldType_FieldTypeInteger, lookup: true},
	{field: "type", kind: qdrant.FieldType_FieldTypeKeyword},
	{field: "languages", kind: qdrant.FieldType_FieldTypeKeyword},
	{field: "tags", kind: qdrant.FieldType_FieldTypeKeyword},
	{field: "score", kind: qdrant.FieldType_FieldTypeInteger, ranged: true},
	{field: "answer_count", kind: qdrant.FieldType_FieldTypeInteger, lookup: true, ranged: true},
	{field: "has_accepted_answer", kind: qdrant.FieldType_FieldTypeBool},
	{field: "accepted_answer_id", kind: qdrant.FieldType_FieldTypeInteger, lookup: true},
	{field: "duplicate_of", kind: qdrant.FieldType_FieldTypeInteger, lookup: true},
	{field: "linked_to", kind: qdrant.FieldType_FieldTypeInteger, lookup: true},
	{field: "closed", kind: qdrant.FieldType_FieldTypeBool},
	{field: "creation_date", kind: qdrant.FieldType_FieldTypeDatetime},
}

// schemaType is how a collection names the kind of its index.
func (i index) schemaType() qdrant.PayloadSchemaType {
	switch i.kind {
	case qdrant.FieldType_FieldTypeInteger:
		return qdrant.PayloadSchemaType_Integer
	case qdrant.FieldType_FieldTypeKeyword:
		return qdrant.PayloadSchemaType_Keyword
	case qdrant.FieldType_FieldTypeBool:
		return qdrant.PayloadSchemaType_Bool
	case qdrant.FieldType_FieldTypeDatetime:
		return qdrant.PayloadSchemaType_Datetime
	}
	return qdrant.PayloadSchemaType_UnknownType
}

func (i index) request(collection string) *qdrant.CreateFieldIndexCollection {
	r := &qdrant.CreateFieldIndexCollection{CollectionName: collection, Wait: new(true), FieldName: i.field, FieldType: &i.kind}
	if i.kind == qdrant.FieldType_FieldTypeInteger {
		r.FieldIndexParams = qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: &i.lookup, Range: &i.ranged})
	}
	return r
}

// create is the request that makes a collection for vectors of so many dimensions.
//
// HNSW's m is 0 until all points are there. The threshold of indexing stays what the
// server has: with m = 0 it makes compact segments of what comes in, which keeps
// memory low; a threshold of 0 would keep it all in one that grows.
func (l Layout) create(collection string, dimensions int, idf bool, about map[string]string) *qdrant.CreateCollection {
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
		VectorsConfig:       qdrant.NewVectorsConfigMap(map[string]*qdrant.VectorParams{DenseVector: dense}),
		SparseVectorsConfig: qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{SparseVector: sparse}),
		HnswConfig:          hnsw,
		OnDiskPayload:       new(true), // most of it is text, which nobody filters by
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

// quantization of dense vectors. What is quantised is small, and is kept in memory
// wherever the vectors are: searches begin with it.
func (l Layout) quantization() *qdrant.QuantizationConfig {
	switch l.Quantization {
	case QuantizationScalar:
		return qdrant.NewQuantizationScalar(&qdrant.ScalarQuantization{Type: qdrant.QuantizationType_Int8, Quantile: new(float32(0.99)), AlwaysRam: new(true)})
	case QuantizationBinary:
		return qdrant.NewQuantizationBinary(&qdrant.BinaryQuantization{AlwaysRam: new(true)})
	case QuantizationProduct:
		return qdrant.NewQuantizationProduct(&qdrant.ProductQuantization{Compression: qdrant.CompressionRatio_x16, AlwaysRam: new(true)})
	}
	return nil
}

// link is the request that has the server build its graph.
func (l Layout) link(collection string) *qdrant.UpdateCollection {
	u := &qdrant.UpdateCollection{CollectionName: collection, HnswConfig: &qdrant.HnswConfigDiff{M: &l.M}}
	if l.EfConstruct > 0 {
		u.HnswConfig.EfConstruct = &l.EfConstruct
	}
	return u
}

// differs says in what a collection that is there is another than one that is made so.
func (l Layout) differs(have *qdrant.CollectionInfo, dimensions int, idf bool) string {
	p := have.GetConfig().GetParams()
	dense := p.GetVectorsConfig().GetParamsMap().GetMap()[DenseVector]
	sparse, ok := p.GetSparseVectorsConfig().GetMap()[SparseVector]
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
		{"--on-disk", dense.GetOnDisk(), l.OnDisk},
		{"--float16", dense.GetDatatype() == qdrant.Datatype_Float16, l.Float16},
		{"--quantization", kindOf(dense.GetQuantizationConfig()), l.Quantization},
		{"--shards", p.GetShardNumber(), orHave(l.Shards, p.GetShardNumber())},
		{"--replicas", p.GetReplicationFactor(), orHave(l.Replicas, p.GetReplicationFactor())},
		{"--write-consistency", p.GetWriteConsistencyFactor(), orHave(l.WriteConsistency, p.GetWriteConsistencyFactor())},
	} {
		if c.have != c.want {
			return fmt.Sprintf("%s: %v, not %v", c.what, c.have, c.want)
		}
	}
	return ""
}

func orHave(wanted, have uint32) uint32 {
	if wanted == 0 {
		return have
	}
	return wanted
}

func kindOf(q *qdrant.QuantizationConfig) string {
	switch {
	case q.GetScalar() != nil:
		return QuantizationScalar
	case q.GetBinary() != nil:
		return QuantizationBinary
	case q.GetProduct() != nil:
		return QuantizationProduct
	}
	return QuantizationNone
}
