package verify

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	client "github.com/qdrant/go-client/qdrant"
)

// stored is a whole row of a shard. Columns are found by name; what is NULL is nil.
type stored struct {
	PointID           uint64   `parquet:"point_id"`
	PostID            int64    `parquet:"post_id"`
	QuestionID        int64    `parquet:"question_id"`
	IRI               string   `parquet:"iri"`
	Type              string   `parquet:"type"`
	Language          string   `parquet:"language"`
	Languages         []string `parquet:"languages,list"`
	Chunk             int32    `parquet:"chunk"`
	Chunks            int32    `parquet:"chunks"`
	Start             int32    `parquet:"start"`
	End               int32    `parquet:"end"`
	Title             string   `parquet:"title"`
	Text              string   `parquet:"text"`
	Tags              []string `parquet:"tags,list"`
	Score             *int32   `parquet:"score,optional"`
	AnswerCount       *int32   `parquet:"answer_count,optional"`
	HasAcceptedAnswer bool     `parquet:"has_accepted_answer"`
	AcceptedAnswerID  *int64   `parquet:"accepted_answer_id,optional"`
	DuplicateOf       []int64  `parquet:"duplicate_of,list"`
	LinkedTo          []int64  `parquet:"linked_to,list"`
	Closed            bool     `parquet:"closed"`
	CreationDate      int64    `parquet:"creation_date,timestamp(millisecond)"`
	Author            *string  `parquet:"author,optional"`
	AuthorName        *string  `parquet:"author_name,optional"`
	License           string   `parquet:"license"`
	ContentHash       string   `parquet:"content_hash"`

	Dense         []float32 `parquet:"dense,list"`
	SparseIndices []uint32  `parquet:"sparse_indices,list"`
	SparseValues  []float32 `parquet:"sparse_values,list"`
}

// payload is what a point's payload must be: each column but the id and the vectors,
// under its name, absent where it is NULL; dates as RFC 3339 with milliseconds.
func (s *stored) payload() map[string]any {
	fields := map[string]any{}
	row := reflect.ValueOf(s).Elem()
	for i := range row.NumField() {
		name, value := columnName(row.Type().Field(i)), row.Field(i)
		switch name {
		case "point_id", "dense", "sparse_indices", "sparse_values":
			continue
		case "creation_date":
			fields[name] = time.UnixMilli(s.CreationDate).UTC().Format("2006-01-02T15:04:05.000Z")
			continue
		}
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		fields[name] = plain(value)
	}
	return fields
}

// plain is a value as JSON has it, but for integers.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// served is a value of a payload in the same form.
func served(v *client.Value) any {
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
			list[i] = served(e)
		}
		return list
	}
	return nil
}

// sampleBlock is how many points of a sample follow each other.
const sampleBlock = 32

// compareSample holds points of a collection against whole rows of the shards. Which
// are taken depends on their number alone.
func (q *qdrantCheck) compareSample(ctx context.Context, g int, collection string, points int64) error {
	half, err := q.Server.StoresFloat16(ctx, collection)
	if err != nil {
		return err
	}
	step := max(sampleBlock, points*sampleBlock/q.Sample)
	at := int64(0) // of the first row of a shard, over all shards
	for _, f := range q.build.shardsOf(g) {
		var some []stored
		n, bad, err := rowsAt(q.build, f, (step-at%step)%step, step, sampleBlock, &some)
		if err != nil || bad != "" {
			if bad != "" {
				q.sample.differ("%s: %s", f.name, bad)
			}
			return err
		}
		at += n
		for batch := range slices.Chunk(some, 64) {
			if err := q.comparePoints(ctx, collection, batch, half); err != nil {
				return err
			}
		}
		q.Progress("sample of "+collection, q.done, q.total)
	}
	return nil
}

func (q *qdrantCheck) comparePoints(ctx context.Context, collection string, batch []stored, half bool) error {
	ids := make([]uint64, len(batch))
	for i := range batch {
		ids[i] = batch[i].PointID
	}
	points, err := q.Server.Fetch(ctx, collection, ids)
	if err != nil {
		return err
	}
	byID := map[uint64]*client.RetrievedPoint{}
	for _, p := range points {
		byID[p.GetId().GetNum()] = p
	}
	for i := range batch {
		q.sample.Count++
		s := &batch[i]
		bad := "it is missing"
		if p := byID[s.PointID]; p != nil {
			if bad = s.differs(p.GetPayload()); bad == "" {
				bad = s.vectorsDiffer(p.GetVectors().GetVectors().GetVectors(), half)
			}
		}
		if bad != "" {
			q.sample.differ("%s: point %d, of post %d: %s", collection, s.PointID, s.PostID, bad)
		}
	}
	return nil
}

// differs names the first field of a payload that is another than in the shard.
func (s *stored) differs(payload map[string]*client.Value) string {
	want := s.payload()
	names := slices.Sorted(maps.Keys(want))
	for name := range payload {
		if _, ok := want[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		w, wanted := want[name]
		have, ok := payload[name]
		switch h := served(have); {
		case !ok:
			return fmt.Sprintf("%s is missing, in the shard it is %.60q", name, fmt.Sprint(w))
		case !wanted:
			return fmt.Sprintf("%s is %.60q, in the shard it is NULL", name, fmt.Sprint(h))
		case !reflect.DeepEqual(h, w):
			return fmt.Sprintf("%s is %.60q, in the shard it is %.60q", name, fmt.Sprint(h), fmt.Sprint(w))
		}
	}
	return ""
}

// vectorsDiffer compares the dense vector with the shard's at unit length, and the
// sparse one number for number. A server may hold halves of the dense one's floats,
// which have eleven bits.
func (s *stored) vectorsDiffer(vectors map[string]*client.VectorOutput, half bool) string {
	dense := vectors["dense"].GetDenseVector().GetData()
	if len(dense) != len(s.Dense) {
		return fmt.Sprintf("its dense vector has %d dimensions, in the shard %d", len(dense), len(s.Dense))
	}
	near, length := 2e-6, 0.0
	if half {
		near = 1e-3
	}
	for _, x := range s.Dense {
		length = math.Hypot(length, float64(x))
	}
	for i, x := range dense {
		if of := float64(s.Dense[i]) / length; math.IsNaN(float64(x)) || math.Abs(float64(x)-of) > near {
			return fmt.Sprintf("dimension %d of its dense vector is %g, in the shard %g", i, x, of)
		}
	}
	sparse := vectors["sparse"].GetSparseVector()
	if len(sparse.GetIndices()) != len(s.SparseIndices) {
		return fmt.Sprintf("its sparse vector has %d terms, in the shard %d", len(sparse.GetIndices()), len(s.SparseIndices))
	}
	for i, index := range s.SparseIndices {
		if sparse.GetIndices()[i] != index || sparse.GetValues()[i] != s.SparseValues[i] {
			return fmt.Sprintf("term %d of its sparse vector is %d: %g, in the shard %d: %g", i, sparse.GetIndices()[i], sparse.GetValues()[i], index, s.SparseValues[i])
		}
	}
	return ""
}

// rowsAt appends whole rows to into: a block of them from the row of number first on,
// from 0, and such a block from each step-th row after it. It returns how many rows the
// file has. Blocks, because to go to a row takes longer than to read on from there.
func rowsAt(b *build, f file, first, step, block int64, into *[]stored) (n int64, bad string, err error) {
	in, err := os.Open(b.path(f))
	if err != nil {
		return 0, "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer in.Close()
	defer func() { // the library panics on some damaged files
		if p := recover(); p != nil {
			bad = fmt.Sprintf("it cannot be read: %v", p)
		}
	}()
	opened, err := parquet.OpenFile(in, f.size)
	if err != nil {
		return 0, err.Error(), nil
	}
	r := parquet.NewGenericReader[stored](opened)
	defer r.Close()
	for at := first; at < r.NumRows(); at += step {
		some := make([]stored, min(block, r.NumRows()-at))
		if err := r.SeekToRow(at); err != nil {
			return 0, err.Error(), nil
		}
		for n := 0; n < len(some); {
			read, err := r.Read(some[n:])
			if n += read; read == 0 {
				return 0, fmt.Sprintf("row %d: %v", at+int64(n), err), nil
			}
		}
		*into = append(*into, some...)
	}
	return r.NumRows(), "", nil
}

// columnName is the name of a field's column.
func columnName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
	return name
}
