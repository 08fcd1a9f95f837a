package verify

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/tables"
	"s2g/vectors/text"
)

// textDigest is the SHA-256 of a post's title and whole text.
type textDigest [sha256.Size]byte

func digestOf(title, text []byte) textDigest {
	room := make([]byte, 0, len(title)+1+len(text))
	return sha256.Sum256(append(append(append(room, title...), 0), text...))
}

// wholeText is a row of parents, to be compared with the tables.
type wholeText struct {
	post   int64
	digest textDigest
}

// textComparer cleans the posts of the tables again, and compares the rows of parents with them. It is
// not safe for concurrent use.
type textComparer struct {
	db      *tables.DB
	answers bool
	cleaner text.Cleaner
	posts   []int64 // of the sample; nil: all
	counts  textCounts
}

// newTextComparer returns a comparer with the tables, nil where db is nil.
func (v *verifier) newTextComparer(db *tables.DB) *textComparer {
	if db == nil {
		return nil
	}
	o := v.manifest.Options
	return &textComparer{db: db, answers: v.embedsAnswers(), cleaner: text.Cleaner{Languages: o.Table(), Links: o.Links}}
}

// textCounts are sums over cleaned posts.
type textCounts struct {
	posts, bytes int64            // bytes of titles and bodies
	drops        map[string]int64 // pieces that a rule of vectors/text removes, by rule
}

func (c *textCounts) merge(d textCounts) {
	c.posts += d.posts
	c.bytes += d.bytes
	for rule, n := range d.drops {
		if c.drops == nil {
			c.drops = map[string]int64{}
		}
		c.drops[rule] += n
	}
}

// compare compares the rows of a file of parents, which are ordered by post, with the tables. A post that is
// not among the rows is left to other checks.
func (c *textComparer) compare(ctx context.Context, rows []wholeText) (difference string, err error) {
	if len(rows) == 0 {
		return "", nil
	}
	at := 0
	missing := func() {
		if difference == "" && (c.posts == nil || slices.Contains(c.posts, rows[at].post)) {
			difference = fmt.Sprintf("post %d is no question or answer of the tables that is embedded", rows[at].post)
		}
		at++
	}
	err = oracle.PostTexts(ctx, c.db, c.answers, rows[0].post, rows[len(rows)-1].post, c.posts, func(p *oracle.PostText) error {
		for at < len(rows) && rows[at].post < p.ID {
			missing()
		}
		if at == len(rows) || rows[at].post != p.ID {
			return nil
		}
		if digestOf(p.Title, []byte(c.cleaner.Clean(p.Body, p.Tags))) != rows[at].digest && difference == "" {
			difference = fmt.Sprintf("post %d has another title or text than the tables", p.ID)
		}
		at++
		c.count(p)
		return nil
	})
	for err == nil && at < len(rows) {
		missing()
	}
	return difference, err
}

func (c *textComparer) count(p *oracle.PostText) {
	c.counts.posts++
	c.counts.bytes += int64(len(p.Title) + len(p.Body))
	for _, d := range c.cleaner.Drops() {
		if c.counts.drops == nil {
			c.counts.drops = map[string]int64{}
		}
		c.counts.drops[d.Rule]++
	}
}
