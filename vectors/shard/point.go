package shard

// Point is a row of a language's shard: a chunk of a post, its payload and its
// vectors. The order of the fields is that of the columns. A column that is
// optional is NULL where the graph has no such triple.
//
// An answer's title and tags are its question's; everything else is the post's own.
type Point struct {
	PointID           uint64    `parquet:"point_id"`                               // post_id << 16 | chunk
	PostID            int64     `parquet:"post_id"`                                // so:postId
	QuestionID        int64     `parquet:"question_id"`                            // the post itself, or the question it answers
	IRI               string    `parquet:"iri"`                                    // of the post in the graph
	Type              string    `parquet:"type,dict"`                              // "question" or "answer"
	Language          string    `parquet:"language,dict"`                          // tag of the shard's language, empty in the remainder
	Languages         []string  `parquet:"languages,list" parquet-element:",dict"` // all selected languages of the question
	Chunk             int32     `parquet:"chunk"`                                  // from 0
	Chunks            int32     `parquet:"chunks"`                                 // how many the post has
	Start             int32     `parquet:"start"`                                  // code points of the parent's text,
	End               int32     `parquet:"end"`                                    // End excluded
	Title             string    `parquet:"title"`
	Text              string    `parquet:"text"` // what was embedded: the title, an empty line, the parent's text from Start to End
	Tags              []string  `parquet:"tags,list" parquet-element:",dict"`
	Score             *int32    `parquet:"score,optional"`
	AnswerCount       *int32    `parquet:"answer_count,optional"`
	HasAcceptedAnswer bool      `parquet:"has_accepted_answer"` // the edge so:HasAcceptedAnswer stands
	AcceptedAnswerID  int64     `parquet:"accepted_answer_id,optional"`
	DuplicateOf       []int64   `parquet:"duplicate_of,list"` // ids that so:DuplicateOf leads to
	LinkedTo          []int64   `parquet:"linked_to,list"`    // ids that so:LinkedTo leads to
	Closed            bool      `parquet:"closed"`
	CreationDate      int64     `parquet:"creation_date,timestamp(millisecond)"` // UTC
	Author            string    `parquet:"author,optional"`                      // IRI of the profile
	AuthorName        string    `parquet:"author_name,optional"`                 // of an author without a profile
	License           string    `parquet:"license,dict"`                         // IRI
	ContentHash       string    `parquet:"content_hash"`                         // SHA-256 of Text, hexadecimal
	Dense             []float32 `parquet:"dense,list"`                           // unit length, one dimension in all shards
	SparseIndices     []uint32  `parquet:"sparse_indices,list"`                  // ascending
	SparseValues      []float32 `parquet:"sparse_values,list"`                   // as many
}

// Parent is a row of parents/: a post's text before it was cut into chunks.
type Parent struct {
	PostID int64  `parquet:"post_id"`
	Title  string `parquet:"title"`
	Text   string `parquet:"text"` // cleaned
}

// A point id has 16 bits for the chunk, which text.MaxChunks bounds, and leaves
// the sign bit of a signed 64-bit integer alone, which many readers make of it.
const (
	ChunkBits = 16
	MaxPostID = 1<<(63-ChunkBits) - 1
)

// PointID returns the id of a post's chunk. The post id is at most MaxPostID, the
// chunk below 2^16.
func PointID(post int64, chunk int) uint64 { return uint64(post)<<ChunkBits | uint64(chunk) }

// PostOf returns the post that a point is of.
func PostOf(point uint64) int64 { return int64(point >> ChunkBits) }
