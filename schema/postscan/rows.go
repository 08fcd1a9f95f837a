// Package postscan reads the rows of Posts in the order of their ids: for one stage, or
// once for several that run side by side.
//
// A stage reads ascending ranges of ids from a [Source]. Those of a [Table] query the
// database, each by itself. Those of a [Shared] come from one scan: it keeps rows in
// memory until all stages have passed them, and so holds back a stage that is far
// ahead of another.
package postscan

import (
	"context"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
)

// The columns of a row, in order.
const (
	ID = iota
	Type
	AcceptedAnswerID
	OwnerUserID
	OwnerDisplayName
	LastEditorUserID
	Score
	ViewCount
	AnswerCount
	CommentCount
	FavoriteCount
	CreationDate
	LastEditDate
	LastActivityDate
	ClosedDate
	CommunityOwnedDate
	ContentLicense
	Tags
	Title
	Body
	QuestionTags // of an answer: its question's; NULL without Selection.Questions
	QuestionTitle
	columns // their number
)

const ownColumns = `p.Id, p.PostTypeId, p.AcceptedAnswerId, p.OwnerUserId, p.OwnerDisplayName, p.LastEditorUserId,
 p.Score, p.ViewCount, p.AnswerCount, p.CommentCount, p.FavoriteCount,
 p.CreationDate, p.LastEditDate, p.LastActivityDate, p.ClosedDate, p.CommunityOwnedDate, p.ContentLicense, p.Tags, p.Title, p.Body`

// Selection selects rows and columns.
type Selection struct {
	Types     []int64 // of the posts; nil: all
	Questions bool    // an answer's row has the tags and the title of its question
}

// Query returns the query for the selected posts that a condition on p.Id is true of, in
// the order of their ids.
func (s Selection) Query(where string) string {
	query := "SELECT " + ownColumns + ", NULL, NULL FROM Posts p"
	if s.Questions {
		query = fmt.Sprintf("SELECT %s, q.Tags, q.Title FROM Posts p LEFT JOIN Posts q ON p.PostTypeId = %d AND q.Id = p.ParentId", ownColumns, schema.PostAnswer)
	}
	if s.Types != nil {
		where = "p.PostTypeId IN (" + tables.IDList(s.Types) + ") AND " + where
	}
	return query + " WHERE " + where + " ORDER BY p.Id"
}

// Each calls use for each selected post that a condition on p.Id is true of, in the order
// of their ids. A row is valid until use returns. Each returns an error of use as it is.
func (s Selection) Each(ctx context.Context, db *tables.DB, where string, use func(row [][]byte) error) error {
	var failed error // of use
	err := db.EachRow(ctx, s.Query(where), func(row [][]byte) error {
		failed = use(row)
		return failed
	})
	if err != nil && failed == nil {
		return fmt.Errorf("reading Posts: %w", err)
	}
	return err
}

// Source has the posts of a database for one stage. Begin is called first. Then the
// stage opens ranges, one after the other and ascending, and reads them side by side.
type Source interface {
	// Begin states that no range begins before an id.
	Begin(first int64)

	// Range opens the posts with ids from lo to hi.
	Range(lo, hi int64) Range

	// Close states that the stage reads no more posts, and has ended all reads. It may be
	// called again.
	Close()
}

// Range is the posts of a range of ids.
type Range interface {
	// Each calls use for each post in the order of ids, once. A row is valid until use
	// returns. Each returns an error of use as it is.
	Each(ctx context.Context, use func(row [][]byte) error) error
}

// Table is a source whose ranges are queries.
type Table struct {
	DB *tables.DB
	Selection
}

// Begin does nothing: each range is a query of its own.
func (t Table) Begin(int64) {}

// Close does nothing.
func (t Table) Close() {}

// Range returns the posts of a query.
func (t Table) Range(lo, hi int64) Range { return tableRange{t, lo, hi} }

type tableRange struct {
	Table
	lo, hi int64
}

func (r tableRange) Each(ctx context.Context, use func(row [][]byte) error) error {
	return r.Selection.Each(ctx, r.DB, between(r.lo, r.hi), use)
}

func between(lo, hi int64) string {
	return fmt.Sprintf("p.Id BETWEEN %d AND %d", lo, hi)
}
