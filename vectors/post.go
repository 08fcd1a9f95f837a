package vectors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"s2g/schema"
	"s2g/schema/postscan"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

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

// selection returns the posts to embed. An answer has its question's title and tags.
func selection(answers bool) postscan.Selection {
	if !answers {
		return postscan.Selection{Types: []int64{schema.PostQuestion}}
	}
	return postscan.Selection{Types: []int64{schema.PostQuestion, schema.PostAnswer}, Questions: true}
}

// eachPost returns a function that calls f for a row.
func eachPost(f func(*post) error) func(row [][]byte) error {
	var p post
	return func(row [][]byte) error {
		p.read(row)
		if err := f(&p); err != nil {
			return fmt.Errorf("post %d: %w", p.id, err)
		}
		return nil
	}
}

func (p *post) read(r [][]byte) {
	*p = post{
		id: tables.Int(r[postscan.ID]), answer: tables.Int(r[postscan.Type]) == schema.PostAnswer,
		title: r[postscan.Title], tags: r[postscan.Tags], body: r[postscan.Body],
		score: r[postscan.Score], answerCount: r[postscan.AnswerCount], closed: r[postscan.ClosedDate] != nil, creationDate: r[postscan.CreationDate],
		license: vocab.LicenseIRI(r[postscan.ContentLicense], r[postscan.CreationDate], r[postscan.LastEditDate], r[postscan.LastEditorUserID]),
		owner:   r[postscan.OwnerUserID], ownerName: r[postscan.OwnerDisplayName],
	}
	if p.answer {
		p.title, p.tags = r[postscan.QuestionTitle], r[postscan.QuestionTags]
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
