package qdrant

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"s2g/vectors/shard"
)

// dateFormat is how dates stand in a payload: RFC 3339 in UTC, with milliseconds, as
// in the graph.
const dateFormat = "2006-01-02T15:04:05.000Z"

// pointOf makes the whole point of a row: payload and both vectors, which are never
// sent apart. What is NULL in the shard is not in the payload; an empty sparse vector
// is not in the point.
func pointOf(p *shard.Point) *qdrant.PointStruct {
	vectors := map[string]*qdrant.Vector{DenseVector: qdrant.NewVectorDense(p.Dense)}
	if len(p.SparseIndices) > 0 {
		vectors[SparseVector] = qdrant.NewVectorSparse(p.SparseIndices, p.SparseValues)
	}
	return &qdrant.PointStruct{Id: qdrant.NewIDNum(p.PointID), Payload: payloadOf(p), Vectors: qdrant.NewVectorsMap(vectors)}
}

func payloadOf(p *shard.Point) map[string]*qdrant.Value {
	payload := map[string]*qdrant.Value{
		"post_id":             qdrant.NewValueInt(p.PostID),
		"question_id":         qdrant.NewValueInt(p.QuestionID),
		"iri":                 qdrant.NewValueString(p.IRI),
		"type":                qdrant.NewValueString(p.Type),
		"language":            qdrant.NewValueString(p.Language),
		"languages":           listOf(p.Languages, qdrant.NewValueString),
		"chunk":               qdrant.NewValueInt(int64(p.Chunk)),
		"chunks":              qdrant.NewValueInt(int64(p.Chunks)),
		"start":               qdrant.NewValueInt(int64(p.Start)),
		"end":                 qdrant.NewValueInt(int64(p.End)),
		"title":               qdrant.NewValueString(p.Title),
		"text":                qdrant.NewValueString(p.Text),
		"tags":                listOf(p.Tags, qdrant.NewValueString),
		"has_accepted_answer": qdrant.NewValueBool(p.HasAcceptedAnswer),
		"duplicate_of":        listOf(p.DuplicateOf, qdrant.NewValueInt),
		"linked_to":           listOf(p.LinkedTo, qdrant.NewValueInt),
		"closed":              qdrant.NewValueBool(p.Closed),
		"creation_date":       qdrant.NewValueString(time.UnixMilli(p.CreationDate).UTC().Format(dateFormat)),
		"license":             qdrant.NewValueString(p.License),
		"content_hash":        qdrant.NewValueString(p.ContentHash),
	}
	if p.Score != nil {
		payload["score"] = qdrant.NewValueInt(int64(*p.Score))
	}
	if p.AnswerCount != nil {
		payload["answer_count"] = qdrant.NewValueInt(int64(*p.AnswerCount))
	}
	if p.AcceptedAnswerID != 0 {
		payload["accepted_answer_id"] = qdrant.NewValueInt(p.AcceptedAnswerID)
	}
	if p.Author != "" {
		payload["author"] = qdrant.NewValueString(p.Author)
	}
	if p.AuthorName != "" {
		payload["author_name"] = qdrant.NewValueString(p.AuthorName)
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

// How far a number of a dense vector may be from the shard's: the server brings vectors
// to unit length again, and halves keep eleven bits.
const (
	tolerance   = 1e-6
	tolerance16 = 6e-4
)

// differs says in what a point of the server is another than the row of a shard, and
// nothing where it is the same.
func differs(have *qdrant.RetrievedPoint, row *shard.Point, float16 bool) string {
	want := payloadOf(row)
	for field, value := range want {
		if h, ok := have.GetPayload()[field]; !ok || !proto.Equal(h, value) {
			return fmt.Sprintf("%s is %s, in the shard it is %s", field, show(h), show(value))
		}
	}
	for field, value := range have.GetPayload() {
		if _, ok := want[field]; !ok {
			return fmt.Sprintf("%s is %s, in the shard there is none", field, show(value))
		}
	}
	vectors := have.GetVectors().GetVectors().GetVectors()
	dense := vectors[DenseVector].GetDenseVector().GetData()
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
		if of := float64(x) / math.Sqrt(length); !(math.Abs(float64(dense[i])-of) <= near) { // a NaN differs
			return fmt.Sprintf("dimension %d of its dense vector is %g, in the shard %g", i, dense[i], of)
		}
	}
	sparse := vectors[SparseVector].GetSparseVector()
	if !slices.Equal(sparse.GetIndices(), row.SparseIndices) || !slices.Equal(sparse.GetValues(), row.SparseValues) {
		return "its sparse vector is another than in the shard"
	}
	return ""
}

// show writes a value short enough for a message.
func show(v *qdrant.Value) string {
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
			parts = append(parts, show(value))
		}
		text = "[" + strings.Join(parts, " ") + "]"
	default:
		text = fmt.Sprintf("%T", k) // not of a kind that is loaded
	}
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
