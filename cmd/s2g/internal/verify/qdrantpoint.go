package verify

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	client "github.com/qdrant/go-client/qdrant"

	"s2g/schema"
)

const (
	// sampledPoints is about the number of points of a language that are compared.
	sampledPoints = 256
	// sampleBlock is the number of sampled points that follow each other in a shard,
	// because a seek takes longer than reading the next rows.
	sampleBlock = 32
	// pointsPerRequest is the number of points that one request fetches.
	pointsPerRequest = 64
)

// compareSample compares some points of a collection with the rows of the shards. The
// choice of points depends only on their number.
func (q *qdrantComparison) compareSample(ctx context.Context, g int, collection string, points int64) error {
	half, err := q.Server.StoresFloat16(ctx, collection)
	if err != nil {
		return err
	}
	step := max(sampleBlock, points*sampleBlock/sampledPoints)
	at := int64(0) // position of the shard's first row, over all shards
	for _, f := range q.verifier.shardsOf(g) {
		sample, rows, difference, err := q.verifier.readPoints(f, (step-at%step)%step, step)
		if err != nil {
			return err
		}
		if difference != "" {
			q.sample.differ("%s: %s", f.name, difference)
			return nil
		}
		at += rows
		for batch := range slices.Chunk(sample, pointsPerRequest) {
			if err := q.comparePoints(ctx, collection, batch, half); err != nil {
				return err
			}
		}
		q.Progress("sample of "+collection, q.done, q.total)
	}
	return nil
}

func (q *qdrantComparison) comparePoints(ctx context.Context, collection string, batch []shardPoint, half bool) error {
	ids := make([]uint64, len(batch))
	for i := range batch {
		ids[i] = batch[i].id
	}
	points, err := q.Server.Fetch(ctx, collection, ids)
	if err != nil {
		return err
	}
	byID := map[uint64]*client.RetrievedPoint{}
	for _, p := range points {
		byID[p.GetId().GetNum()] = p
	}
	for _, s := range batch {
		q.sample.Count++
		difference := "it is missing"
		if p := byID[s.id]; p != nil {
			if difference = s.comparePayload(p.GetPayload()); difference == "" {
				difference = s.compareVectors(p.GetVectors().GetVectors().GetVectors(), half)
			}
		}
		if difference != "" {
			q.sample.differ("%s: point %d, of post %d: %s", collection, s.id, postOf(s.id), difference)
		}
	}
	return nil
}

// shardPoint is a row of a shard as a point of Qdrant must have it.
type shardPoint struct {
	id uint64
	// payload has the columns, without the id, the vectors and NULLs, by name: each a
	// string, bool or int64, or an []any of these. Dates are RFC 3339 with milliseconds.
	payload map[string]any
	dense   []float32
	indices []uint32
	weights []float32
}

// readPoints reads blocks of sampleBlock rows of a shard, which begin at the rows first,
// first+step, first+2*step and so on, counted from 0. rows is the number of all rows.
func (v *verifier) readPoints(f file, first, step int64) (points []shardPoint, rows int64, difference string, err error) {
	in, err := schema.OpenRegular(v.path(f))
	if err != nil {
		return nil, 0, "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer in.Close()
	defer recoverDamage(&difference)
	opened, err := parquet.OpenFile(in, f.size)
	if err != nil {
		return nil, 0, err.Error(), nil
	}
	columns := make([]namedColumn, len(opened.Schema().Columns()))
	for _, path := range opened.Schema().Columns() {
		leaf, _ := opened.Schema().Lookup(path...)
		columns[leaf.ColumnIndex] = namedColumn{path[0], leaf}
	}
	r := parquet.NewReader(opened)
	defer r.Close()
	block := make([]parquet.Row, sampleBlock)
	for at := first; at < r.NumRows(); at += step {
		if err := r.SeekToRow(at); err != nil {
			return nil, 0, err.Error(), nil
		}
		for left := min(sampleBlock, r.NumRows()-at); left > 0; {
			n, err := r.ReadRows(block[:left])
			if n == 0 {
				return nil, 0, fmt.Sprintf("a row from %d on: %v", at, err), nil
			}
			for _, row := range block[:n] {
				points = append(points, newShardPoint(columns, row))
			}
			left -= int64(n)
		}
	}
	return points, r.NumRows(), "", nil
}

// namedColumn is a column of a shard.
type namedColumn struct {
	name string
	leaf parquet.LeafColumn
}

// newShardPoint copies a row, whose values columns describe by position.
func newShardPoint(columns []namedColumn, row parquet.Row) shardPoint {
	p := shardPoint{payload: map[string]any{}}
	row.Range(func(i int, values []parquet.Value) bool {
		name, leaf := columns[i].name, columns[i].leaf
		if values[0].DefinitionLevel() < leaf.MaxDefinitionLevel {
			values = nil // NULL, or an empty list
		}
		switch {
		case name == "point_id":
			p.id = values[0].Uint64()
		case name == "dense":
			p.dense = numbers(values, parquet.Value.Float)
		case name == "sparse_indices":
			p.indices = numbers(values, parquet.Value.Uint32)
		case name == "sparse_values":
			p.weights = numbers(values, parquet.Value.Float)
		case leaf.MaxRepetitionLevel > 0:
			list := []any{}
			for _, v := range values {
				list = append(list, payloadValue(leaf, v))
			}
			p.payload[name] = list
		case len(values) > 0:
			p.payload[name] = payloadValue(leaf, values[0])
		}
		return true
	})
	return p
}

func numbers[T float32 | uint32](values []parquet.Value, number func(parquet.Value) T) (list []T) {
	for _, v := range values {
		list = append(list, number(v))
	}
	return list
}

// payloadValue returns a value of a column in the form of shardPoint.payload.
func payloadValue(leaf parquet.LeafColumn, v parquet.Value) any {
	if isTimestamp(leaf) {
		return time.UnixMilli(v.Int64()).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int64:
		return v.Int64()
	}
	return string(v.ByteArray())
}

// isTimestamp reports whether a column holds milliseconds since 1970.
func isTimestamp(leaf parquet.LeafColumn) bool {
	logical := leaf.Node.Type().LogicalType()
	if logical == nil {
		return false
	}
	timestamp, ok := logical.Value.(*format.TimestampType)
	if !ok {
		return false
	}
	_, ok = timestamp.Unit.Value.(*format.MilliSeconds)
	return ok
}

// plainValue returns a value of Qdrant's payload in the form of shardPoint.payload.
func plainValue(v *client.Value) any {
	switch k := v.GetKind().(type) {
	case *client.Value_StringValue:
		return k.StringValue
	case *client.Value_IntegerValue:
		return k.IntegerValue
	case *client.Value_BoolValue:
		return k.BoolValue
	case *client.Value_DoubleValue:
		return k.DoubleValue
	case *client.Value_ListValue:
		list := make([]any, len(k.ListValue.GetValues()))
		for i, e := range k.ListValue.GetValues() {
			list[i] = plainValue(e)
		}
		return list
	}
	return nil
}

// comparePayload returns the first field that differs.
func (s *shardPoint) comparePayload(payload map[string]*client.Value) string {
	names := slices.Sorted(maps.Keys(s.payload))
	for name := range payload {
		if _, ok := s.payload[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		want, wanted := s.payload[name]
		value, ok := payload[name]
		switch have := plainValue(value); {
		case !ok:
			return fmt.Sprintf("%s is missing, in the shard it is %.60q", name, fmt.Sprint(want))
		case !wanted:
			return fmt.Sprintf("%s is %.60q, in the shard it is NULL", name, fmt.Sprint(have))
		case !reflect.DeepEqual(have, want):
			return fmt.Sprintf("%s is %.60q, in the shard it is %.60q", name, fmt.Sprint(have), fmt.Sprint(want))
		}
	}
	return ""
}

// compareVectors compares the dense vector, which Qdrant scales to unit length, within a
// tolerance, and the sparse vector exactly. half means that the server stores dense
// vectors in half precision, which has eleven bits.
func (s *shardPoint) compareVectors(vectors map[string]*client.VectorOutput, half bool) string {
	dense := vectors["dense"].GetDenseVector().GetData()
	if len(dense) != len(s.dense) {
		return fmt.Sprintf("its dense vector has %d dimensions, in the shard %d", len(dense), len(s.dense))
	}
	tolerance, length := 2e-6, 0.0
	if half {
		tolerance = 1e-3
	}
	for _, x := range s.dense {
		length = math.Hypot(length, float64(x))
	}
	for i, x := range dense {
		if want := float64(s.dense[i]) / length; math.IsNaN(float64(x)) || math.Abs(float64(x)-want) > tolerance {
			return fmt.Sprintf("dimension %d of its dense vector is %g, in the shard %g", i, x, want)
		}
	}
	sparse := vectors["sparse"].GetSparseVector()
	if len(sparse.GetIndices()) != len(s.indices) {
		return fmt.Sprintf("its sparse vector has %d terms, in the shard %d", len(sparse.GetIndices()), len(s.indices))
	}
	for i, index := range s.indices {
		if sparse.GetIndices()[i] != index || sparse.GetValues()[i] != s.weights[i] {
			return fmt.Sprintf("term %d of its sparse vector is %d: %g, in the shard %d: %g", i, sparse.GetIndices()[i], sparse.GetValues()[i], index, s.weights[i])
		}
	}
	return ""
}
