package vectors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// questionColumns are the columns of a post in the order of post.read.
const questionColumns = `p.Id, p.PostTypeId, p.Title, p.Tags, p.Body, p.Score, p.AnswerCount, p.ClosedDate IS NOT NULL,
 p.CreationDate, p.LastEditDate, p.LastEditorUserId, p.ContentLicense, p.OwnerUserId, p.OwnerDisplayName`

// answerColumns are questionColumns where answers are read, too: an answer has its
// question's title and tags.
var answerColumns = strings.NewReplacer(
	"p.Title", "IF(p.PostTypeId = 2, q.Title, p.Title)",
	"p.Tags", "IF(p.PostTypeId = 2, q.Tags, p.Tags)").Replace(questionColumns)

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
	license      string
	owner        []byte // nil: none
	ownerName    []byte
}

// postQuery returns the query for the posts that a condition on p.Id selects, in the order
// of their ids: questions, and with answers both.
func postQuery(answers bool, where string) string {
	if !answers {
		return fmt.Sprintf("SELECT %s FROM Posts p WHERE p.PostTypeId = %d AND %s ORDER BY p.Id", questionColumns, schema.PostQuestion, where)
	}
	return fmt.Sprintf("SELECT %s FROM Posts p LEFT JOIN Posts q ON p.PostTypeId = %d AND q.Id = p.ParentId WHERE p.PostTypeId IN (%d, %d) AND %s ORDER BY p.Id",
		answerColumns, schema.PostAnswer, schema.PostQuestion, schema.PostAnswer, where)
}

// eachPost calls f for each post of a query.
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
		creationDate: r[8], license: vocab.LicenseIRI(r[11], r[8], r[9], r[10]), owner: r[12], ownerName: r[13],
	}
}

// tagList returns the tags of a stored list, |a|b|.
func tagList(stored []byte) (tags []string) {
	for tag := range schema.SplitTags(stored) {
		tags = append(tags, string(tag))
	}
	return tags
}

// optionalInt returns a number that the database stores, or nil for NULL.
func optionalInt(stored []byte) *int32 {
	if stored == nil {
		return nil
	}
	n := int32(tables.Int(stored))
	return &n
}

// millis parses a date of the database and returns milliseconds since 1970, UTC.
func millis(stored []byte) (int64, error) {
	t, err := time.Parse("2006-01-02 15:04:05.999", string(stored))
	if err != nil {
		return 0, fmt.Errorf("date: %w", err)
	}
	return t.UnixMilli(), nil
}

// link is an edge of the graph that starts at a post.
type link struct {
	from, to int64
	kind     int64 // schema.LinkLinked or schema.LinkDuplicate
}

// readLinks returns the edges that start in a unit, each once, ordered by post, kind and
// target. Both ends of an edge are in some graph, and both ends of a duplicate are
// questions.
func readLinks(ctx context.Context, db *tables.DB, index *threads.Index, u unit) ([]link, error) {
	query := fmt.Sprintf("SELECT PostId, RelatedPostId, LinkTypeId FROM PostLinks WHERE PostId BETWEEN %d AND %d AND LinkTypeId IN (%d, %d)",
		u.first, u.last, schema.LinkLinked, schema.LinkDuplicate)
	var links []link
	err := db.EachRow(ctx, query, func(r [][]byte) error {
		l := link{tables.Int(r[0]), tables.Int(r[1]), tables.Int(r[2])}
		from, ok1 := index.Find(l.from)
		to, ok2 := index.Find(l.to)
		if ok1 && ok2 && (l.kind == schema.LinkLinked || from.Question && to.Question) {
			links = append(links, l)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading links: %w", err)
	}
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind), cmp.Compare(a.to, b.to))
	})
	return slices.Compact(links), nil
}

// targets returns the ends of a post's edges of a kind.
func targets(links []link, post, kind int64) []int64 {
	at, _ := slices.BinarySearchFunc(links, link{from: post, kind: kind}, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind))
	})
	var ids []int64
	for ; at < len(links) && links[at].from == post && links[at].kind == kind; at++ {
		ids = append(ids, links[at].to)
	}
	return ids
}
