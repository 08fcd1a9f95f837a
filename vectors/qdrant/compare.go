package qdrant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"s2g/schema"
	"s2g/vectors/shard"
)

// A load compares sampleEach points at each of samplePlaces places of a language.
const (
	samplePlaces = 8
	sampleEach   = 8
)

// compare compares a collection with the shards: the number of points, and a sample that
// includes the first and the last.
func (l *loader) compare(ctx context.Context, language Language) error {
	collection := l.Collection(language.Slug)
	const remedy = "see the server's log and its disk, delete the collection, and load again"
	have, err := l.Count(ctx, collection)
	if err != nil {
		return err
	}
	if want := language.Points(); have != want {
		return schema.Faultf(schema.FaultVerification, remedy, "%s: %s has %d points, the shards %d", l.Address, collection, have, want)
	}
	rows, err := language.sample(samplePlaces, sampleEach)
	if err != nil {
		return err
	}
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = r.PointID
	}
	points, err := l.Fetch(ctx, collection, ids)
	if err != nil {
		return err
	}
	byID := map[uint64]*qdrant.RetrievedPoint{}
	for _, p := range points {
		byID[p.GetId().GetNum()] = p
	}
	for _, r := range rows {
		p, ok := byID[r.PointID]
		if !ok {
			return schema.Faultf(schema.FaultVerification, remedy, "%s: %s has no point %d, of post %d", l.Address, collection, r.PointID, r.PostID)
		}
		if d := difference(p, r, l.Float16); d != "" {
			return schema.Faultf(schema.FaultVerification, remedy, "%s: point %d of %s, of post %d: %s", l.Address, r.PointID, collection, r.PostID, d)
		}
	}
	return nil
}

// sample reads some rows at each of several places at equal distances, because seeking
// a row of a shard takes longer than reading the rows after it.
func (l Language) sample(places, each int64) (rows []*shard.Point, err error) {
	points := l.Points()
	places = min(places, max(1, points/each))
	// place returns the first row of a place over all shards. The first place begins
	// with the first row, the last place ends with the last.
	place := func(n int64) int64 { return n * max(0, points-each) / max(1, places-1) }
	before, next := int64(0), int64(0) // rows of the shards before; the next place
	for _, s := range l.Shards {
		if next == places || place(next) >= before+s.Rows {
			before += s.Rows
			continue
		}
		r, err := shard.Open(s.File)
		if err != nil {
			return nil, err
		}
		for ; next < places && place(next) < before+s.Rows; next++ {
			if err := r.SeekRow(place(next) - before); err != nil {
				return nil, errors.Join(err, r.Close())
			}
			for n := int64(0); n < each && r.Scan(); n++ {
				rows = append(rows, r.Point())
			}
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			return nil, err
		}
		before += s.Rows
	}
	return rows, nil
}

// The largest permitted differences of a number in a dense vector: the server normalizes
// vectors again, and a float16 has eleven bits.
const (
	tolerance   = 1e-6
	tolerance16 = 6e-4
)

// difference describes the first difference between a point of the server and a row of
// a shard; empty: none.
func difference(have *qdrant.RetrievedPoint, row *shard.Point, float16 bool) string {
	want := payloadOf(row)
	for _, c := range payloadColumns {
		h, has := have.GetPayload()[c.Name]
		switch value, ok := want[c.Name]; {
		case ok && (!has || !proto.Equal(h, value)):
			return fmt.Sprintf("%s is %s, in the shard it is %s", c.Name, shortValue(h), shortValue(value))
		case !ok && has:
			return fmt.Sprintf("%s is %s, in the shard it is missing", c.Name, shortValue(h))
		}
	}
	for field, value := range have.GetPayload() {
		if _, ok := want[field]; !ok {
			return fmt.Sprintf("%s is %s, in the shard it is missing", field, shortValue(value))
		}
	}
	vectors := have.GetVectors().GetVectors().GetVectors()
	dense := vectors[denseVector].GetDenseVector().GetData()
	if len(dense) != len(row.Dense) {
		return fmt.Sprintf("its dense vector has %d dimensions, in the shard %d", len(dense), len(row.Dense))
	}
	near := tolerance
	if float16 {
		near = tolerance16
	}
	length := 0.0
	for _, x := range row.Dense {
		length += float64(x) * float64(x)
	}
	for i, x := range row.Dense {
		if unit := float64(x) / math.Sqrt(length); !(math.Abs(float64(dense[i])-unit) <= near) { // a NaN differs
			return fmt.Sprintf("dimension %d of its dense vector is %g, in the shard %g", i, dense[i], unit)
		}
	}
	sparse := vectors[sparseVector].GetSparseVector()
	if !slices.Equal(sparse.GetIndices(), row.SparseIndices) || !slices.Equal(sparse.GetValues(), row.SparseValues) {
		return "its sparse vector differs from the shard's"
	}
	return ""
}

// shortValue formats a value for a message.
func shortValue(v *qdrant.Value) string {
	text := ""
	switch k := v.GetKind().(type) {
	case nil:
		return "missing"
	case *qdrant.Value_StringValue:
		text = strconv.Quote(k.StringValue)
	case *qdrant.Value_IntegerValue:
		return strconv.FormatInt(k.IntegerValue, 10)
	case *qdrant.Value_BoolValue:
		return strconv.FormatBool(k.BoolValue)
	case *qdrant.Value_ListValue:
		var parts []string
		for _, value := range k.ListValue.GetValues() {
			parts = append(parts, shortValue(value))
		}
		text = "[" + strings.Join(parts, " ") + "]"
	default:
		text = fmt.Sprintf("%T", k) // no load writes it
	}
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
