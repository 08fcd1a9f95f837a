package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"s2g/cmd/s2g/internal/oracle"
)

// unitTolerance is how far the square of a dense vector's length may be from 1.
const unitTolerance = 1e-3

// picker is told of each post in the shards of a graph, by its IRI without the
// site, and of the checksums of its fields.
type picker func(graph int, post []byte, fields *[oracle.Fields]uint32)

// pointReader checks points in the order of a shard.
type pointReader struct {
	build *build
	graph graph
	shard *shard

	// columns of the row
	point, post, chunkOf, chunksOf *column
	start, end                     *column
	iri, kind, language, text, sum *column
	languages                      *column
	dense                          *vector[float32]
	indices                        *vector[uint32]
	weights                        *vector[float32]
	fields                         fieldColumns
	pieces                         pieceReader
	pick                           picker

	id         uint64 // of the point before
	last       int64  // post
	next, have int32  // the chunk that must follow, and how many the post has
	crcs       [oracle.Fields]uint32
	path       []byte // of the post's IRI
	digits     []byte
	room       [256]byte // for the text of a field
}

func (r *pointReader) bind(t *table) func() string {
	r.point, r.post, r.chunkOf, r.chunksOf = t.int64("point_id"), t.int64("post_id"), t.int32("chunk"), t.int32("chunks")
	r.start, r.end = t.int32("start"), t.int32("end")
	r.iri, r.kind, r.language, r.text, r.sum = t.text("iri"), t.text("type"), t.text("language"), t.text("text"), t.text("content_hash")
	r.dense, r.indices, r.weights = t.floats("dense"), t.uints("sparse_indices"), t.floats("sparse_values")
	r.fields.bind(t)
	r.languages = r.fields[oracle.Languages]
	return r.check
}

func (r *pointReader) check() (bad string) {
	if bad := r.checkIDs(); bad != "" {
		return bad
	}
	bad = r.checkText()
	if bad == "" {
		bad = r.checkVectors()
	}
	if bad != "" {
		return fmt.Sprintf("point %d of post %d: %s", r.id, r.last, bad)
	}
	r.shard.points++
	return ""
}

func (r *pointReader) checkIDs() string {
	id, post, chunk, chunks := uint64(r.point.int()), r.post.int(), int32(r.chunkOf.int()), int32(r.chunksOf.int())
	if post < 0 || chunk < 0 || chunk >= 1<<16 || id != uint64(post)<<16|uint64(chunk) {
		return fmt.Sprintf("point id %d is not that of chunk %d of post %d", id, chunk, post)
	}
	if r.shard.points > 0 && id <= r.id {
		return fmt.Sprintf("point %d of post %d stands after point %d", id, post, r.id)
	}
	r.id = id
	if r.next == r.have {
		return r.begin(post, chunk, chunks)
	}
	if post != r.last || chunk != r.next || chunks != r.have {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", r.next, r.have, r.last)
	}
	r.next++
	return r.sameFields(chunk)
}

// begin takes a post's first point.
func (r *pointReader) begin(post int64, chunk, chunks int32) string {
	if chunk != 0 || chunks < 1 {
		return fmt.Sprintf("post %d begins with chunk %d of %d", post, chunk, chunks)
	}
	if r.shard.points == 0 {
		r.shard.first = post
	}
	r.last, r.next, r.have = post, 1, chunks
	r.pieces.begin(post)
	r.shard.last = post
	r.digits = strconv.AppendInt(r.digits[:0], post, 10)
	t := &r.shard.tally
	var fields *oracle.FieldTallies
	switch string(r.kind.bytes()) {
	case "question":
		r.path = append(append(r.path[:0], questionPath...), r.digits...)
		t.questions.Add(typeCRC(r.path))
		fields = &t.questionFields
	case "answer":
		r.path = append(append(r.path[:0], answerPath...), r.digits...)
		t.answers.Add(typeCRC(r.path))
		fields = &t.answerFields
	default:
		return fmt.Sprintf("post %d has the type %q", post, r.kind.bytes())
	}
	if path, ok := bytes.CutPrefix(r.iri.bytes(), r.build.census.site); !ok || !bytes.Equal(path, r.path) {
		return fmt.Sprintf("post %d has the IRI %s, in the graph it is %s%s", post, r.iri.bytes(), r.build.site, r.path)
	}
	r.crcsOfFields(&r.crcs)
	if r.pick != nil {
		r.pick(r.shard.graph, r.path, &r.crcs)
	}
	for f, crc := range r.crcs {
		fields[f].Add(crc)
	}
	if once(r.language, r.languages) {
		t.once.Add(parentCRC(r.digits))
	}
	return ""
}

// sameFields checks that all chunks of a post say the same of it.
func (r *pointReader) sameFields(chunk int32) string {
	var crcs [oracle.Fields]uint32
	r.crcsOfFields(&crcs)
	for f, crc := range crcs {
		if crc != r.crcs[f] {
			return fmt.Sprintf("chunk %d of post %d has another %s than its first", chunk, r.last, oracle.Field(f))
		}
	}
	return ""
}

// once reports whether a row stands for its post: it is in the shards of the
// first of its languages.
func once(language, languages *column) bool {
	all := languages.list()
	return len(all) == 0 || bytes.Equal(all[0].ByteArray(), language.bytes())
}

func (r *pointReader) checkText() string {
	own := r.language.bytes()
	if string(own) != r.graph.tag {
		return fmt.Sprintf("it has the language %q", own)
	}
	title, text := r.fields[oracle.Title].bytes(), r.text.bytes()
	if !bytes.HasPrefix(text, title) {
		return "its text does not begin with its title"
	}
	var room [2 * sha256.Size]byte
	sum := sha256.Sum256(text)
	hex.Encode(room[:], sum[:])
	if !bytes.Equal(r.sum.bytes(), room[:]) {
		return "content_hash is not that of its text"
	}
	if bad := r.pieces.check(title, text, int(r.start.int()), int(r.end.int()), r.next == r.have); bad != "" {
		return bad
	}
	if len(own) == 0 {
		return ""
	}
	for _, l := range r.languages.list() {
		if bytes.Equal(l.ByteArray(), own) {
			return ""
		}
	}
	return fmt.Sprintf("its languages %q lack its own, %q", r.languages.list(), own)
}

func (r *pointReader) checkVectors() string {
	length := 0.0
	for _, x := range r.dense.row {
		length += float64(x) * float64(x)
	}
	if math.IsNaN(length) || math.Abs(length-1) > unitTolerance { // an infinite one is no unit either
		return fmt.Sprintf("its dense vector has the length %.4g", math.Sqrt(length))
	}
	if r.shard.dimensions == 0 {
		r.shard.dimensions = len(r.dense.row)
	}
	if len(r.dense.row) != r.shard.dimensions {
		return fmt.Sprintf("its dense vector has %d dimensions, others have %d", len(r.dense.row), r.shard.dimensions)
	}
	if len(r.indices.row) != len(r.weights.row) {
		return fmt.Sprintf("it has %d sparse indices and %d values", len(r.indices.row), len(r.weights.row))
	}
	for i, v := range r.weights.row {
		if i > 0 && r.indices.row[i] <= r.indices.row[i-1] {
			return "its sparse indices do not ascend"
		}
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("its sparse value of %d is not a number", r.indices.row[i])
		}
	}
	return ""
}

// finish checks that the last post is whole.
func (r *pointReader) finish() string {
	if r.next != r.have {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", r.next, r.have, r.last)
	}
	return ""
}
