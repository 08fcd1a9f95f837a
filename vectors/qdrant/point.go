package qdrant

import (
	"fmt"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"s2g/vectors/shard"
)

// dateFormat is the form of dates in a payload and in the graph: RFC 3339 in UTC, with
// milliseconds.
const dateFormat = "2006-01-02T15:04:05.000Z"

// pointOf returns the point of a row. Payload and both vectors are always sent together.
// A column that is NULL is not in the payload, and an empty sparse vector not in the
// point.
func pointOf(p *shard.Point) *qdrant.PointStruct {
	vectors := map[string]*qdrant.Vector{denseVector: qdrant.NewVectorDense(p.Dense)}
	if len(p.SparseIndices) > 0 {
		vectors[sparseVector] = qdrant.NewVectorSparse(p.SparseIndices, p.SparseValues)
	}
	return &qdrant.PointStruct{Id: qdrant.NewIDNum(p.PointID), Payload: payloadOf(p), Vectors: qdrant.NewVectorsMap(vectors)}
}

// payloadOf returns the payload of a row: each of payloadColumns under its name.
func payloadOf(p *shard.Point) map[string]*qdrant.Value {
	payload := make(map[string]*qdrant.Value, len(payloadColumns))
	for _, c := range payloadColumns {
		switch v := c.Value(p).(type) {
		case nil:
		case bool:
			payload[c.Name] = qdrant.NewValueBool(v)
		case int64:
			payload[c.Name] = qdrant.NewValueInt(v)
		case string:
			payload[c.Name] = qdrant.NewValueString(v)
		case time.Time:
			payload[c.Name] = qdrant.NewValueString(v.Format(dateFormat))
		case []string:
			payload[c.Name] = listOf(v, qdrant.NewValueString)
		case []int64:
			payload[c.Name] = listOf(v, qdrant.NewValueInt)
		default:
			panic(fmt.Sprintf("qdrant: no payload for column %s, a %T", c.Name, v))
		}
	}
	return payload
}

func listOf[T any](values []T, of func(T) *qdrant.Value) *qdrant.Value {
	list := make([]*qdrant.Value, len(values))
	for i, v := range values {
		list[i] = of(v)
	}
	return qdrant.NewValueList(&qdrant.ListValue{Values: list})
}

// rowOf returns the row of a payload, without vectors; it inverts payloadOf.
func rowOf(id uint64, payload map[string]*qdrant.Value) (*shard.Point, error) {
	p := &shard.Point{PointID: id}
	for _, c := range payloadColumns {
		stored, ok := payload[c.Name]
		if !ok {
			continue
		}
		var value any
		switch k := stored.GetKind().(type) {
		case *qdrant.Value_BoolValue:
			value = k.BoolValue
		case *qdrant.Value_IntegerValue:
			value = k.IntegerValue
		case *qdrant.Value_StringValue:
			value = k.StringValue
			if c.Type == shard.Timestamp {
				created, err := time.Parse(dateFormat, k.StringValue)
				if err != nil {
					return nil, fmt.Errorf("%s of point %d: %w", c.Name, id, err)
				}
				value = created
			}
		case *qdrant.Value_ListValue:
			if c.Type == shard.Int64 {
				value = valuesOf(k.ListValue, (*qdrant.Value).GetIntegerValue)
			} else {
				value = valuesOf(k.ListValue, (*qdrant.Value).GetStringValue)
			}
		}
		if err := c.SetValue(p, value); err != nil {
			return nil, fmt.Errorf("point %d: %w", id, err)
		}
	}
	return p, nil
}

func valuesOf[T any](list *qdrant.ListValue, of func(*qdrant.Value) T) []T {
	values := make([]T, len(list.GetValues()))
	for i, v := range list.GetValues() {
		values[i] = of(v)
	}
	return values
}
