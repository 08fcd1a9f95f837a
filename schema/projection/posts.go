// Package projection reads the narrow columns of Posts: id, type, links, date, score and
// tags.
//
// The table is clustered with its bodies, so a scan of a few columns reads all of it.
// A covering projection of these columns is a file beside the tables, OUT/.s2g/posts-KEY,
// of some 12 bytes a post. Ingest writes it from the rows that it sends to the table.
// Where it is missing or damaged, [Read] scans the table once and, under the lock of
// OUT, writes the file again.
//
// KEY is a hash of the key of the dump, which the tables hold, too: after a swap of the
// tables [Read] opens the file of the new dump, and a file of other tables is never read.
// A file has its name only when it is complete, and is never modified.
//
// The format: a header (see header), then blocks of posts in the order of their ids. A
// block is the length of its content and the CRC-32C of that, four bytes each, and the
// content. Numbers of posts are varints, differences to the post before in the same block
// where that is smaller. A tag is written as text where it first occurs, then by its
// number. Everything is little-endian.
package projection

import (
	"errors"

	"s2g/schema"
)

// Post is a row of Posts without its texts.
type Post struct {
	ID       int64
	Type     int64  // as schema.PostQuestion
	Linked   int64  // of a question AcceptedAnswerId, of another post ParentId; 0: none
	Created  int64  // CreationDate in milliseconds since 1970
	Score    int32  // 0 without HasScore
	HasScore bool   // the row has a score
	Tags     []byte // as in the table, |a|b|; valid until the next post
}

// Question reports whether the post is a question.
func (p *Post) Question() bool { return p.Type == schema.PostQuestion }

// Answer reports whether the post is an answer.
func (p *Post) Answer() bool { return p.Type == schema.PostAnswer }

// errDamaged is the error of a file with other bytes than were written.
var errDamaged = errors.New("the file is damaged")

// The flags of a post, in the lowest bits of its type.
const (
	hasScore = 1 << iota
	hasLink
	hasTags
	flagBits = iota
)

// blockSize is the number of bytes from which a block ends after its current post.
const blockSize = 64 << 10

// The dictionary of a file takes further tags while it has fewer than maxTags, each of
// at most maxTagLength bytes. A damaged dump may have any number of them.
const (
	maxTags      = 1 << 20
	maxTagLength = 255
)
