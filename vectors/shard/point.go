// Package shard defines the format of the Parquet files of a build, writes and reads them:
//
//	vectors/SLUG/part-00000.parquet   the points of a language, ordered by point id; see [Point]
//	parents/part-00000.parquet        the whole text of each post, ordered by post id; see [Parent]
//
// It needs neither the embedders nor the tables. verify checks the files with a reader of
// its own.
package shard

// Point is a row of a shard: a chunk of a post, with its payload and its vectors.
//
// The struct is the one source of the columns: the order of the fields is that of the
// columns, and [Columns] reads the tags. A new column needs a field here, the value that
// package vectors assigns to it, a line in the oracle's fields.go, and another Format. The
// tags are
//
//	parquet  name and encoding; optional: NULL where the field is nil or zero
//	role     id or vector; otherwise the column is in the payload
//	type     iri where a string is an IRI
//	index    index of Qdrant's payload: its kind, and the filters of an integer: lookup, range
//	from     columns of the tables
//	graph    terms of the graph with its value; see schema/ontology.ttl
//	about    meaning, in the documents of a build and in docs/formats.md
//
// The title and the tags of an answer are those of its question. All other columns are
// the post's own.
type Point struct {
	PointID           uint64    `parquet:"point_id" role:"id" from:"Posts.Id" about:"post_id << 16 | chunk: unique in a language, and the point's id in Qdrant"`
	PostID            int64     `parquet:"post_id" index:"integer,lookup,range" from:"Posts.Id" graph:"so:postId" about:"the post; so:postId in the graph"`
	QuestionID        int64     `parquet:"question_id" index:"integer,lookup" from:"Posts.Id, Posts.ParentId" graph:"so:HasAnswer" about:"the question that it is, or answers"`
	IRI               string    `parquet:"iri" type:"iri" from:"Posts.Id" graph:"the node of the post" about:"the post in the graph, and its page on the site: the source to name"`
	Type              string    `parquet:"type,dict" index:"keyword" from:"Posts.PostTypeId" graph:"so:Question, so:Answer" about:"question or answer"`
	Language          string    `parquet:"language,dict" from:"Posts.Tags" graph:"the named graph" about:"the language's tag"` // empty in the remainder
	Languages         []string  `parquet:"languages,list" parquet-element:",dict" index:"keyword" from:"Posts.Tags" graph:"the named graphs" about:"all selected languages of the question"`
	Chunk             int32     `parquet:"chunk" about:"number of the chunk in its post, from 0"`
	Chunks            int32     `parquet:"chunks" about:"how many the post has"`
	Start             int32     `parquet:"start" about:"where the chunk begins in the whole text, in code points"`
	End               int32     `parquet:"end" about:"where it ends"` // excluded
	Title             string    `parquet:"title" from:"Posts.Title" graph:"so:hasTitle" about:"the question's title"`
	Text              string    `parquet:"text" from:"Posts.Title, Posts.Body" graph:"so:hasTitle, so:hasBody" about:"what was embedded: the title, an empty line, the chunk"`
	Tags              []string  `parquet:"tags,list" parquet-element:",dict" index:"keyword" from:"Posts.Tags" graph:"so:TaggedWith" about:"the question's tags"`
	Score             *int32    `parquet:"score,optional" index:"integer,range" from:"Posts.Score" graph:"so:score" about:"votes up less votes down"`
	AnswerCount       *int32    `parquet:"answer_count,optional" index:"integer,lookup,range" from:"Posts.AnswerCount" graph:"so:answerCount" about:"the question's answers, as the site counts them"`
	HasAcceptedAnswer bool      `parquet:"has_accepted_answer" index:"bool" from:"Posts.AcceptedAnswerId" graph:"so:HasAcceptedAnswer" about:"an accepted answer is in the dump"`
	AcceptedAnswerID  int64     `parquet:"accepted_answer_id,optional" index:"integer,lookup" from:"Posts.AcceptedAnswerId" graph:"so:HasAcceptedAnswer" about:"its post id"`
	DuplicateOf       []int64   `parquet:"duplicate_of,list" index:"integer,lookup" from:"PostLinks.RelatedPostId" graph:"so:DuplicateOf" about:"post ids of the questions that this one duplicates"`
	LinkedTo          []int64   `parquet:"linked_to,list" index:"integer,lookup" from:"PostLinks.RelatedPostId" graph:"so:LinkedTo" about:"post ids that this post links to"`
	Closed            bool      `parquet:"closed" index:"bool" from:"Posts.ClosedDate" graph:"so:closedDate" about:"the question was closed"`
	CreationDate      int64     `parquet:"creation_date,timestamp(millisecond)" index:"datetime" from:"Posts.CreationDate" graph:"so:creationDate" about:"when the post was written, in UTC"`
	Author            string    `parquet:"author,optional" type:"iri" from:"Posts.OwnerUserId" graph:"so:author" about:"profile of the author on the site: whom to name"`
	AuthorName        string    `parquet:"author_name,optional" from:"Posts.OwnerDisplayName" graph:"so:authorName" about:"display name of an author without a profile"`
	License           string    `parquet:"license,dict" type:"iri" from:"Posts.ContentLicense" graph:"so:license" about:"the Creative Commons licence of the post"`
	ContentHash       string    `parquet:"content_hash" about:"SHA-256 of text, hexadecimal"`
	Dense             []float32 `parquet:"dense,list" role:"vector" about:"dense vector of text, of unit length"`
	SparseIndices     []uint32  `parquet:"sparse_indices,list" role:"vector" about:"terms of the sparse vector, ascending"`
	SparseValues      []float32 `parquet:"sparse_values,list" role:"vector" about:"their weights"`
}

// Parent is a row of parents/: the whole text of a post, from which its chunks are cut.
type Parent struct {
	PostID int64  `parquet:"post_id" role:"id" from:"Posts.Id" graph:"so:postId" about:"the post"`
	Title  string `parquet:"title" from:"Posts.Title" graph:"so:hasTitle" about:"the question's title"`
	Text   string `parquet:"text" from:"Posts.Body" graph:"so:hasBody" about:"the whole cleaned text, of which the chunks are parts"`
}

// ChunkBits is the number of bits of a chunk in a point id; text.MaxChunks bounds chunks
// by it. MaxPostID keeps the sign bit of a signed 64-bit integer free: many readers load
// point ids as such.
const (
	ChunkBits = 16
	MaxPostID = 1<<(63-ChunkBits) - 1
)

// PointID returns the id of a post's chunk. The post id is at most MaxPostID, the chunk
// is below 2^16.
func PointID(post int64, chunk int) uint64 { return uint64(post)<<ChunkBits | uint64(chunk) }

// PostOf returns the id of a point's post.
func PostOf(point uint64) int64 { return int64(point >> ChunkBits) }
