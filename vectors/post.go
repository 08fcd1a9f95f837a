package vectors

import (
	"context"
	"fmt"
	"strings"
	"time"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// The columns that a post is read from, in the order of scanPost.
const questionColumns = `p.Id, p.PostTypeId, p.Title, p.Tags, p.Body, p.Score, p.AnswerCount, p.ClosedDate IS NOT NULL,
 p.CreationDate, p.LastEditDate, p.LastEditorUserId, p.ContentLicense, p.OwnerUserId, p.OwnerDisplayName`

// An answer has its question's title and tags.
var answerColumns = strings.NewReplacer(
	"p.Title", "IF(p.PostTypeId = 2, q.Title, p.Title)",
	"p.Tags", "IF(p.PostTypeId = 2, q.Tags, p.Tags)").Replace(questionColumns)

// siteUser is the LastEditorUserId of edits by the site itself.
const siteUser = -1

// post is a row of Posts. Its slices are valid until the next row is read.
type post struct {
	id           int64
	answer       bool
	title, tags  []byte
	body         []byte
	score        []byte // nil: none
	answerCount  []byte // nil: none
	closed       bool
	creationDate []byte
	licence      string
	owner        []byte // nil: none
	ownerName    []byte
}

// postQuery reads the posts of a condition on p.Id, in the order of their ids.
func postQuery(answers bool, where string) string {
	if !answers {
		return fmt.Sprintf("SELECT %s FROM Posts p WHERE p.PostTypeId = %d AND %s ORDER BY p.Id", questionColumns, schema.PostQuestion, where)
	}
	return fmt.Sprintf("SELECT %s FROM Posts p LEFT JOIN Posts q ON p.PostTypeId = %d AND q.Id = p.ParentId WHERE p.PostTypeId IN (%d, %d) AND %s ORDER BY p.Id",
		answerColumns, schema.PostAnswer, schema.PostQuestion, schema.PostAnswer, where)
}

// eachPost calls f for each post that the query finds.
func eachPost(ctx context.Context, db *tables.DB, query string, f func(*post) error) error {
	var p post
	var failed error // of f
	err := db.EachRow(ctx, query, func(r [][]byte) error {
		p.read(r)
		if err := f(&p); err != nil {
			failed = fmt.Errorf("post %d: %w", p.id, err)
		}
		return failed
	})
	if err != nil && failed == nil {
		return fmt.Errorf("reading posts: %w", err)
	}
	return err
}

func (p *post) read(r [][]byte) {
	*p = post{
		id: tables.Int(r[0]), answer: tables.Int(r[1]) == schema.PostAnswer,
		title: r[2], tags: r[3], body: r[4], score: r[5], answerCount: r[6], closed: tables.Int(r[7]) != 0,
		creationDate: r[8], licence: vocab.LicenseIRI(r[11], r[8], r[9], tables.Int(r[10]) == siteUser), owner: r[12], ownerName: r[13],
	}
}

// tagList returns the tags of a stored list, |a|b|.
func tagList(stored []byte) (tags []string) {
	for tag := range schema.SplitTags(stored) {
		tags = append(tags, string(tag))
	}
	return tags
}

// number is a count that may be missing.
func number(stored []byte) *int32 {
	if stored == nil {
		return nil
	}
	n := int32(tables.Int(stored))
	return &n
}

// millis reads a date as the database writes it: milliseconds since 1970, UTC.
func millis(stored []byte) (int64, error) {
	t, err := time.Parse("2006-01-02 15:04:05.999", string(stored))
	if err != nil {
		return 0, fmt.Errorf("date: %w", err)
	}
	return t.UnixMilli(), nil
}
