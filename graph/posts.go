package graph

import (
	"context"
	"errors"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
)

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

// posts renders a unit of posts: it walks the four scans side by side.
func (w *worker) posts(ctx context.Context, u *unit) (err error) {
	s, err := w.open(ctx, u)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return err
	}
	for ; s.posts.row != nil; s.posts.next() {
		id := s.posts.id
		w.orphans(&s, func(st *stream) bool { return st.before(id) })
		if p, ok := w.threads.Find(id); ok {
			w.post(p, s.posts.row, &s)
		} else {
			w.outside(id, tables.Int(s.posts.row[postType]), &s)
		}
		if err := w.spill(ctx); err != nil {
			return err
		}
	}
	w.orphans(&s, func(st *stream) bool { return st.row != nil })
	return nil
}

// orphans passes over the rows of posts that are not in the dump.
func (w *worker) orphans(s *scans, these func(*stream) bool) {
	for ; these(s.comments); s.comments.next() {
		w.count(commentsWithoutPost, 1)
	}
	for ; these(s.votes); s.votes.next() {
		w.count(votesWithoutPost, tables.Int(s.votes.row[2]))
	}
	for ; these(s.links); s.links.next() {
		w.count(linksOutside, 1)
	}
}

// outside passes over the rows of a post that is in no graph.
func (w *worker) outside(id, kind int64, s *scans) {
	reason := commentsOutside
	switch kind {
	case schema.PostQuestion:
		w.count(questionsOutside, 1)
	case schema.PostAnswer:
		w.count(answersOutside, 1)
	case schema.PostTagWiki, schema.PostTagWikiExcerpt:
		reason = commentsOnWikis
	}
	for ; s.comments.of(id); s.comments.next() {
		w.count(reason, 1)
	}
	for s.votes.of(id) {
		s.votes.next()
	}
	for ; s.links.of(id); s.links.next() {
		w.count(linksOutside, 1)
	}
}
