package verify

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// unitTolerance is how far the square of a dense vector's length may be from 1.
const unitTolerance = 1e-3

// postFunc receives a post of a graph's shards, as its IRI without the site, and the
// checksums of its fields.
type postFunc func(graph int, post []byte, fields *[oracle.Fields]uint32)

// pointChecker checks the points of a shard one after the other, and counts their posts.
type pointChecker struct {
	verifier *verifier
	graph    namedGraph
	shard    *shardContents
	chunks   chunkChecker
	onPost   postFunc // nil: none
	again    *rewriter[shard.Point]

	columns struct { // of the row
		point, post, chunk, chunks, start, end *valueColumn
		iri, kind, language, text, hash        *valueColumn
		dense, weights                         *vectorColumn[float32]
		indices                                *vectorColumn[uint32]
		fields                                 fieldColumns
	}

	point      uint64                // of the previous row, or of this one after checkIDs
	post       int64                 // of that point
	nextChunk  int32                 // the chunk of the post that must follow
	chunkCount int32                 // of the post
	first      bool                  // the shard is that of the first of the post's languages
	fieldCRCs  [oracle.Fields]uint32 // of the post

	path, digits []byte    // IRI of the post without the site; its id
	room         [256]byte // buffer for the text of a field
}

// bind chooses the columns, and returns check.
func (p *pointChecker) bind(r *rowReader) func() string {
	if d := compareColumns(r.file, shard.Columns()); d != "" {
		return r.refuse(d)
	}
	p.again = newRewriter[shard.Point](p.verifier, r.file)
	r.end = func() string { return cmp.Or(p.end(), p.again.end()) }
	c := &p.columns
	c.point, c.post, c.chunk, c.chunks = r.int64s("point_id"), r.int64s("post_id"), r.int32s("chunk"), r.int32s("chunks")
	c.start, c.end = r.int32s("start"), r.int32s("end")
	c.iri, c.kind, c.language, c.text, c.hash = r.texts("iri"), r.texts("type"), r.texts("language"), r.texts("text"), r.texts("content_hash")
	c.dense, c.indices, c.weights = r.float32Lists("dense"), r.uint32Lists("sparse_indices"), r.float32Lists("sparse_values")
	for f := range oracle.Fields {
		c.fields[f] = r.fieldColumn(f)
	}
	return p.check
}

// check checks the row's point.
func (p *pointChecker) check() (difference string) {
	if d := p.checkIDs(); d != "" {
		return d
	}
	difference = p.checkText()
	if difference == "" {
		difference = p.checkVectors()
	}
	if difference == "" {
		difference = p.remakeVectors()
	}
	if difference != "" {
		return fmt.Sprintf("point %d of post %d: %s", p.point, p.post, difference)
	}
	p.again.add(p.row())
	p.shard.points++
	if t := &p.shard.tally; p.first {
		t.texts++
		if p.columns.chunk.integer() > 0 {
			t.laterChunks++
		}
		if embed.IsFirstAxis(p.columns.dense.row) {
			t.unknownTexts++
		}
	}
	return ""
}

// row returns the row, which is valid until the next.
func (p *pointChecker) row() shard.Point {
	c, f := &p.columns, &p.columns.fields
	return shard.Point{
		PointID: uint64(c.point.integer()), PostID: c.post.integer(), QuestionID: f[oracle.QuestionID].integer(),
		IRI: c.iri.string(), Type: c.kind.string(), Language: c.language.string(), Languages: f[oracle.Languages].strings(),
		Chunk: int32(c.chunk.integer()), Chunks: int32(c.chunks.integer()), Start: int32(c.start.integer()), End: int32(c.end.integer()),
		Title: f[oracle.Title].string(), Text: c.text.string(), Tags: f[oracle.Tags].strings(),
		Score: f[oracle.Score].optionalInt32(), AnswerCount: f[oracle.AnswerCount].optionalInt32(),
		HasAcceptedAnswer: f[oracle.HasAcceptedAnswer].boolean(), AcceptedAnswerID: f[oracle.AcceptedAnswerID].integer(),
		DuplicateOf: f[oracle.DuplicateOf].int64s(), LinkedTo: f[oracle.LinkedTo].int64s(), Closed: f[oracle.Closed].boolean(),
		CreationDate: f[oracle.CreationDate].integer(), Author: f[oracle.Author].string(), AuthorName: f[oracle.AuthorName].string(),
		License: f[oracle.License].string(), ContentHash: c.hash.string(),
		Dense: c.dense.row, SparseIndices: c.indices.row, SparseValues: c.weights.row,
	}
}

// end checks that the last post has all of its chunks.
func (p *pointChecker) end() string {
	if p.nextChunk != p.chunkCount {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", p.nextChunk, p.chunkCount, p.post)
	}
	return ""
}

func (p *pointChecker) checkIDs() string {
	c := &p.columns
	point, post, chunk, chunks := uint64(c.point.integer()), c.post.integer(), int32(c.chunk.integer()), int32(c.chunks.integer())
	if post < 0 || chunk < 0 || chunk >= 1<<16 || point != uint64(post)<<16|uint64(chunk) {
		return fmt.Sprintf("point id %d is not that of chunk %d of post %d", point, chunk, post)
	}
	if p.shard.points > 0 && point <= p.point {
		return fmt.Sprintf("point %d of post %d comes after point %d", point, post, p.point)
	}
	p.point = point
	if p.nextChunk == p.chunkCount {
		return p.beginPost(post, chunk, chunks)
	}
	if post != p.post || chunk != p.nextChunk || chunks != p.chunkCount {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", p.nextChunk, p.chunkCount, p.post)
	}
	p.nextChunk++
	var crcs [oracle.Fields]uint32
	p.fieldsOf(&crcs)
	for f, crc := range crcs {
		if crc != p.fieldCRCs[f] {
			return fmt.Sprintf("chunk %d of post %d has another %s than its first", chunk, p.post, oracle.Field(f))
		}
	}
	return ""
}

// beginPost counts a post by its first point.
func (p *pointChecker) beginPost(post int64, chunk, chunks int32) string {
	c, t := &p.columns, &p.shard.tally
	if chunk != 0 || chunks < 1 {
		return fmt.Sprintf("post %d begins with chunk %d of %d", post, chunk, chunks)
	}
	if p.shard.points == 0 {
		p.shard.first = post
	}
	p.shard.last = post
	p.post, p.nextChunk, p.chunkCount = post, 1, chunks
	p.chunks.begin(post)
	kind := question
	switch string(c.kind.bytes()) {
	case question.String():
	case answer.String():
		kind = answer
	default:
		return fmt.Sprintf("post %d has the type %q", post, c.kind.bytes())
	}
	p.digits = strconv.AppendInt(p.digits[:0], post, 10)
	p.path = append(append(p.path[:0], kind.path()...), p.digits...)
	t.posts[kind].Add(typeCRC(p.path))
	if path, ok := bytes.CutPrefix(c.iri.bytes(), p.verifier.quads.site); !ok || !bytes.Equal(path, p.path) {
		return fmt.Sprintf("post %d has the IRI %s, in the graph it is %s%s", post, c.iri.bytes(), p.verifier.site, p.path)
	}
	p.fieldsOf(&p.fieldCRCs)
	if p.onPost != nil {
		p.onPost(p.shard.graph, p.path, &p.fieldCRCs)
	}
	for f, crc := range p.fieldCRCs {
		t.fields[kind][f].Add(crc)
	}
	if p.first = isFirstLanguage(c.language, c.fields[oracle.Languages]); p.first {
		t.postsOnce[kind]++
		t.once.Add(parentCRC(p.digits))
	}
	return ""
}

// fieldsOf computes the checksums of the row's fields, as those of p.path.
func (p *pointChecker) fieldsOf(crcs *[oracle.Fields]uint32) {
	post := oracle.CRC(0, p.path)
	for f := range crcs {
		crcs[f] = oracle.FieldCRC(post, p.columns.fields.text(oracle.Field(f), p.room[:0], p.verifier.quads.site))
	}
}

// isFirstLanguage reports whether the shard of a row is that of the first of its post's
// languages. It is true in one shard for each chunk.
func isFirstLanguage(language, languages *valueColumn) bool {
	all := languages.list()
	return len(all) == 0 || bytes.Equal(all[0].ByteArray(), language.bytes())
}

func (p *pointChecker) checkText() string {
	c := &p.columns
	own := c.language.bytes()
	if string(own) != p.graph.tag {
		return fmt.Sprintf("it has the language %q", own)
	}
	title, text := c.fields[oracle.Title].bytes(), c.text.bytes()
	if !bytes.HasPrefix(text, title) {
		return "its text does not begin with its title"
	}
	var room [2 * sha256.Size]byte
	sum := sha256.Sum256(text)
	hex.Encode(room[:], sum[:])
	if !bytes.Equal(c.hash.bytes(), room[:]) {
		return "content_hash is not that of its text"
	}
	if d := p.chunks.check(title, text, sum, chunkPlace{int(p.nextChunk) - 1, int(p.chunkCount), int(c.start.integer()), int(c.end.integer())}); d != "" {
		return d
	}
	if len(own) == 0 || string(own) == schema.SiteTag { // languages lists neither
		return ""
	}
	languages := c.fields[oracle.Languages].list()
	for _, l := range languages {
		if bytes.Equal(l.ByteArray(), own) {
			return ""
		}
	}
	return fmt.Sprintf("its languages %q lack its own, %q", languages, own)
}

func (p *pointChecker) checkVectors() string {
	dense, indices, weights := p.columns.dense.row, p.columns.indices.row, p.columns.weights.row
	length := 0.0
	for _, x := range dense {
		length += float64(x) * float64(x)
	}
	if math.IsNaN(length) || math.Abs(length-1) > unitTolerance { // this holds of an infinite length too
		return fmt.Sprintf("its dense vector has the length %.4g", math.Sqrt(length))
	}
	if p.shard.dimensions == 0 {
		p.shard.dimensions = len(dense)
	}
	if len(dense) != p.shard.dimensions {
		return fmt.Sprintf("its dense vector has %d dimensions, others have %d", len(dense), p.shard.dimensions)
	}
	if len(indices) != len(weights) {
		return fmt.Sprintf("it has %d sparse indices and %d values", len(indices), len(weights))
	}
	for i, weight := range weights {
		if i > 0 && indices[i] <= indices[i-1] {
			return "its sparse indices do not ascend"
		}
		if w := float64(weight); math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Sprintf("its sparse value of %d is not a number", indices[i])
		}
	}
	return ""
}

// remakeVectors compares the vectors with those that the text has.
func (p *pointChecker) remakeVectors() (difference string) {
	if p.verifier.remaker == nil {
		return ""
	}
	c := &p.columns
	return p.verifier.remaker.compareVectors(p.post, string(c.text.bytes()), c.dense.row, c.indices.row, c.weights.row)
}
