package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// row is what is read of a point. Columns are found by name.
type row struct {
	PointID       uint64    `parquet:"point_id"`
	PostID        int64     `parquet:"post_id"`
	QuestionID    int64     `parquet:"question_id"`
	IRI           string    `parquet:"iri"`
	Type          string    `parquet:"type"`
	Language      string    `parquet:"language"`
	Languages     []string  `parquet:"languages,list"`
	Chunk         int32     `parquet:"chunk"`
	Chunks        int32     `parquet:"chunks"`
	Title         string    `parquet:"title"`
	Text          string    `parquet:"text"`
	ContentHash   string    `parquet:"content_hash"`
	Dense         []float32 `parquet:"dense,list"`
	SparseIndices []uint32  `parquet:"sparse_indices,list"`
	SparseValues  []float32 `parquet:"sparse_values,list"`
}

// unitTolerance is how far the square of a dense vector's length may be from 1.
const unitTolerance = 1e-3

// pointReader checks points in the order of a shard.
type pointReader struct {
	build *build
	graph graph
	shard *shard

	id         uint64 // of the point before
	post       int64
	next, have int32 // the chunk that must follow, and how many the post has
	digits     []byte
}

func (r *pointReader) check(p *row) (bad string) {
	if bad := r.checkIDs(p); bad != "" {
		return bad
	}
	if bad := r.checkText(p); bad != "" {
		return fmt.Sprintf("point %d of post %d: %s", p.PointID, p.PostID, bad)
	}
	if bad := r.checkVectors(p); bad != "" {
		return fmt.Sprintf("point %d of post %d: %s", p.PointID, p.PostID, bad)
	}
	r.shard.points++
	return ""
}

func (r *pointReader) checkIDs(p *row) string {
	if p.PostID < 0 || p.Chunk < 0 || p.Chunk >= 1<<16 || p.PointID != uint64(p.PostID)<<16|uint64(p.Chunk) {
		return fmt.Sprintf("point id %d is not that of chunk %d of post %d", p.PointID, p.Chunk, p.PostID)
	}
	if r.shard.points > 0 && p.PointID <= r.id {
		return fmt.Sprintf("point %d of post %d stands after point %d", p.PointID, p.PostID, r.id)
	}
	r.id = p.PointID
	if r.next == r.have {
		return r.begin(p)
	}
	if p.PostID != r.post || p.Chunk != r.next || p.Chunks != r.have {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", r.next, r.have, r.post)
	}
	r.next++
	return ""
}

// begin takes a post's first point.
func (r *pointReader) begin(p *row) string {
	if p.Chunk != 0 || p.Chunks < 1 {
		return fmt.Sprintf("post %d begins with chunk %d of %d", p.PostID, p.Chunk, p.Chunks)
	}
	if r.shard.points == 0 {
		r.shard.first = p.PostID
	}
	r.post, r.next, r.have = p.PostID, 1, p.Chunks
	r.shard.last = p.PostID
	r.digits = strconv.AppendInt(r.digits[:0], p.PostID, 10)
	t := &r.shard.tally
	iri := ""
	switch p.Type {
	case "question":
		iri = r.build.site.Question(p.PostID)
		t.questions.Add(postCRC(questionPath, r.digits))
		if p.QuestionID != p.PostID {
			return fmt.Sprintf("question %d has the question_id %d", p.PostID, p.QuestionID)
		}
	case "answer":
		iri = r.build.site.Answer(p.PostID)
		t.answers.Add(postCRC(answerPath, r.digits))
	default:
		return fmt.Sprintf("post %d has the type %q", p.PostID, p.Type)
	}
	if p.IRI != iri {
		return fmt.Sprintf("post %d has the IRI %s, in the graph it is %s", p.PostID, p.IRI, iri)
	}
	if p.once() {
		t.once.Add(parentCRC(r.digits))
	}
	return ""
}

// once reports whether the row stands for its post: it is in the shards of the
// first of its languages.
func (p *row) once() bool { return len(p.Languages) == 0 || p.Languages[0] == p.Language }

func (r *pointReader) checkText(p *row) string {
	switch {
	case p.Language != r.graph.tag:
		return fmt.Sprintf("it has the language %q", p.Language)
	case p.Language != "" && !slices.Contains(p.Languages, p.Language):
		return fmt.Sprintf("its languages %q lack its own, %q", p.Languages, p.Language)
	case !strings.HasPrefix(p.Text, p.Title):
		return "its text does not begin with its title"
	}
	if sum := sha256.Sum256([]byte(p.Text)); p.ContentHash != hex.EncodeToString(sum[:]) {
		return "content_hash is not that of its text"
	}
	return ""
}

func (r *pointReader) checkVectors(p *row) string {
	length := 0.0
	for _, x := range p.Dense {
		length += float64(x) * float64(x)
	}
	if math.IsNaN(length) || math.Abs(length-1) > unitTolerance { // an infinite one is no unit either
		return fmt.Sprintf("its dense vector has the length %.4g", math.Sqrt(length))
	}
	if r.shard.dimensions == 0 {
		r.shard.dimensions = len(p.Dense)
	}
	if len(p.Dense) != r.shard.dimensions {
		return fmt.Sprintf("its dense vector has %d dimensions, others have %d", len(p.Dense), r.shard.dimensions)
	}
	if len(p.SparseIndices) != len(p.SparseValues) {
		return fmt.Sprintf("it has %d sparse indices and %d values", len(p.SparseIndices), len(p.SparseValues))
	}
	for i, v := range p.SparseValues {
		if i > 0 && p.SparseIndices[i] <= p.SparseIndices[i-1] {
			return "its sparse indices do not ascend"
		}
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("its sparse value of %d is not a number", p.SparseIndices[i])
		}
	}
	return ""
}

// end checks that the last post is whole.
func (r *pointReader) end() string {
	if r.next != r.have {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", r.next, r.have, r.post)
	}
	return ""
}
