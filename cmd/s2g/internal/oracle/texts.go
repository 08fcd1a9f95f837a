package oracle

import (
	"context"
	"fmt"

	"s2g/schema"
	"s2g/schema/tables"
)

// PostText is what the text of a post is made of. Its slices are valid until the next post.
type PostText struct {
	ID    int64
	Title []byte // an answer has its question's
	Tags  []byte // of the question, stored as |a|b|
	Body  []byte // HTML
}

// PostTexts calls use with the questions, and with answers both, whose ids are from first to last, in
// the order of ids. posts selects some of them; nil selects all.
func PostTexts(ctx context.Context, db *tables.DB, answers bool, first, last int64, posts []int64, use func(*PostText) error) error {
	columns, from, kinds := "p.Id, p.Title, p.Tags, p.Body", "Posts p", fmt.Sprint(schema.PostQuestion)
	if answers {
		columns = "p.Id, IF(p.PostTypeId=2,q.Title,p.Title), IF(p.PostTypeId=2,q.Tags,p.Tags), p.Body"
		from += questionJoin
		kinds = fmt.Sprintf("%d,%d", schema.PostQuestion, schema.PostAnswer)
	}
	query := fmt.Sprintf("SELECT %s FROM %s WHERE p.PostTypeId IN (%s) AND p.Id BETWEEN %d AND %d%s ORDER BY p.Id",
		columns, from, kinds, first, last, postIDs(posts).in("p.Id"))
	var p PostText
	var failed error // of use
	err := db.EachRow(ctx, query, func(row [][]byte) error {
		p = PostText{tables.Int(row[0]), row[1], row[2], row[3]}
		failed = use(&p)
		return failed
	})
	if err != nil && failed == nil {
		return fmt.Errorf("reading the texts of posts: %w", err)
	}
	return err
}
