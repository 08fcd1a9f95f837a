package graph

import (
	"context"
	"errors"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
)

// stream is a result that is ordered by its first column, a post's id, and is
// merged with others. The zero stream is empty.
type stream struct {
	rows *tables.Rows
	id   int64    // of the row that is next
	row  [][]byte // nil at the end
}

// open starts a query and moves to its first row.
func open(ctx context.Context, db *tables.DB, query string, args ...any) (*stream, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return &stream{}, err
	}
	s := &stream{rows: rows}
	s.next()
	return s, nil
}

// next moves to the next row.
func (s *stream) next() {
	s.row = nil
	if s.rows.Scan() {
		s.row = s.rows.Record()
		s.id = tables.Int(s.row[0])
	}
}

// of reports whether the row is one of the post's.
func (s *stream) of(post int64) bool { return s.row != nil && s.id == post }

// before reports whether the row is of a post before this one.
func (s *stream) before(post int64) bool { return s.row != nil && s.id < post }

func (s *stream) close() error {
	if s.rows == nil {
		return nil
	}
	return errors.Join(s.rows.Err(), s.rows.Close())
}

// The columns of postColumns, in order.
const (
	postID = iota
	postType
	postAcceptedAnswerID
	postOwnerUserID
	postOwnerDisplayName
	postLastEditorUserID
	postScore
	postViewCount
	postAnswerCount
	postCommentCount
	postFavoriteCount
	postCreationDate
	postLastEditDate
	postLastActivityDate
	postClosedDate
	postCommunityOwnedDate
	postContentLicense
	postTags
	postTitle
	postBody
)

const postColumns = `Id, PostTypeId, AcceptedAnswerId, OwnerUserId, OwnerDisplayName, LastEditorUserId,
 Score, ViewCount, AnswerCount, CommentCount, FavoriteCount,
 CreationDate, LastEditDate, LastActivityDate, ClosedDate, CommunityOwnedDate, ContentLicense, Tags, Title, Body`

// The columns of a comment, in order.
const (
	commentPost = iota
	commentID
	commentScore
	commentText
	commentDate
	commentUser
	commentUserName
	commentLicense
)

// scans are the rows of a unit, table by table, each ordered by post.
type scans struct{ posts, comments, votes, links *stream }

// open starts the scans of a unit. A table that the dump does not have is empty.
func (w *worker) open(ctx context.Context, u *unit) (s scans, err error) {
	all := func(table, query string) *stream {
		if err != nil || !w.has[table] {
			return &stream{}
		}
		var st *stream
		if st, err = open(ctx, w.db, query, u.lo, u.hi); err != nil {
			err = fmt.Errorf("reading %s: %w", table, err)
		}
		return st
	}
	s.posts = all("Posts", "SELECT "+postColumns+" FROM Posts WHERE Id BETWEEN ? AND ? ORDER BY Id")
	s.comments = all("Comments", "SELECT PostId, Id, Score, Text, CreationDate, UserId, UserDisplayName, ContentLicense"+
		" FROM Comments WHERE PostId BETWEEN ? AND ? ORDER BY PostId, Id")
	s.votes = all("Votes", fmt.Sprintf("SELECT PostId, VoteTypeId, COUNT(*) FROM Votes WHERE PostId BETWEEN ? AND ? AND VoteTypeId IN (%d, %d)"+
		" GROUP BY PostId, VoteTypeId ORDER BY PostId, VoteTypeId", schema.VoteUp, schema.VoteDown))
	s.links = all("PostLinks", fmt.Sprintf("SELECT PostId, LinkTypeId, RelatedPostId FROM PostLinks WHERE PostId BETWEEN ? AND ? AND LinkTypeId IN (%d, %d)"+
		" ORDER BY PostId, LinkTypeId, RelatedPostId", schema.LinkLinked, schema.LinkDuplicate))
	return s, err
}

func (s *scans) close() error {
	return errors.Join(s.posts.close(), s.comments.close(), s.votes.close(), s.links.close())
}
