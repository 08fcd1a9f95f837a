package graph

import (
	"context"
	"errors"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
)

// The columns of a comment, in order.
const (
	commentPost = iota
	commentRowID
	commentScore
	commentText
	commentDate
	commentUser
	commentUserName
	commentLicense
)

// postScans are the scans of the rows that belong to a unit's posts, one a table, each
// in the order of post ids. Votes are counted by type, and links are ordered by type and
// related post.
type postScans struct{ comments, votes, links *orderedScan }

// openPostScans starts the scans for the posts with ids from lo to hi. A table that the
// dump lacks is empty.
func openPostScans(ctx context.Context, src *source, lo, hi int64) (s postScans, err error) {
	scan := func(table, query string) *orderedScan {
		if err != nil || !src.tables[table] {
			return &orderedScan{}
		}
		var opened *orderedScan
		if opened, err = openScan(ctx, src.db, query, lo, hi); err != nil {
			err = fmt.Errorf("reading %s: %w", table, err)
		}
		return opened
	}
	s.comments = scan("Comments", "SELECT PostId, Id, Score, Text, CreationDate, UserId, UserDisplayName, ContentLicense"+
		" FROM Comments WHERE PostId BETWEEN ? AND ? ORDER BY PostId, Id")
	s.votes = scan("Votes", fmt.Sprintf("SELECT PostId, VoteTypeId, COUNT(*) FROM Votes WHERE PostId BETWEEN ? AND ? AND VoteTypeId IN (%d, %d)"+
		" GROUP BY PostId, VoteTypeId ORDER BY PostId, VoteTypeId", schema.VoteUp, schema.VoteDown))
	s.links = scan("PostLinks", fmt.Sprintf("SELECT PostId, LinkTypeId, RelatedPostId FROM PostLinks WHERE PostId BETWEEN ? AND ? AND LinkTypeId IN (%d, %d)"+
		" ORDER BY PostId, LinkTypeId, RelatedPostId", schema.LinkLinked, schema.LinkDuplicate))
	return s, err
}

func (s *postScans) close() error {
	return errors.Join(s.comments.close(), s.votes.close(), s.links.close())
}

// orderedScan is a query's result in the order of its first column, a post's id. This
// order lets several scans be merged. The zero value is empty.
type orderedScan struct {
	rows *tables.Rows
	row  [][]byte // the current row; nil at the end
	post int64    // its first column
}

// openScan starts a query and moves to its first row.
func openScan(ctx context.Context, db *tables.DB, query string, args ...any) (*orderedScan, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return &orderedScan{}, err
	}
	s := &orderedScan{rows: rows}
	s.next()
	return s, nil
}

// next moves to the next row.
func (s *orderedScan) next() {
	s.row = nil
	if s.rows.Scan() {
		s.row = s.rows.Record()
		s.post = tables.Int(s.row[0])
	}
}

// isOf reports whether the current row belongs to a post.
func (s *orderedScan) isOf(post int64) bool { return s.row != nil && s.post == post }

// isBefore reports whether the current row belongs to an earlier post.
func (s *orderedScan) isBefore(post int64) bool { return s.row != nil && s.post < post }

func (s *orderedScan) close() error {
	if s.rows == nil {
		return nil
	}
	return errors.Join(s.rows.Err(), s.rows.Close())
}
