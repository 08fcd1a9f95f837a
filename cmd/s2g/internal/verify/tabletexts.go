package verify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
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

// textBits is the number of low bits of the ids of posts whose texts are summed together.
const textBits = 12

// textSums are sums of the digests of texts, by id without its low bits. They do not depend on the order of posts, so that
// the tables are read in theirs and the parents in another.
type textSums map[int64]textSum

type textSum struct {
	posts int64
	sum   [2]uint64 // of the digests
}

func (s textSums) add(post int64, digest textDigest) {
	sum := s[post>>textBits]
	sum.posts++
	sum.sum[0] += binary.LittleEndian.Uint64(digest[:])
	sum.sum[1] += binary.LittleEndian.Uint64(digest[8:])
	s[post>>textBits] = sum
}

func (s textSums) merge(t textSums) {
	for at, sum := range t {
		s[at] = textSum{s[at].posts + sum.posts, [2]uint64{s[at].sum[0] + sum.sum[0], s[at].sum[1] + sum.sum[1]}}
	}
}

// textCounts are sums over cleaned posts.
type textCounts struct {
	bytes int64            // of titles and bodies
	drops map[string]int64 // pieces that a rule of vectors/text removes, by rule
}

// tableTexts cleans the posts of the tables again, as the oracle reads them. It is not safe for concurrent use.
type tableTexts struct {
	cleaner text.Cleaner
	sums    textSums
	counts  textCounts
}

func (v *verifier) newCleaner() text.Cleaner {
	o := v.manifest.Options
	return text.Cleaner{Languages: o.Table(), Links: o.Links}
}

// receiveTexts returns a function that receives the texts of the tables from one goroutine.
func (v *verifier) receiveTexts() func(*oracle.PostText) {
	t := &tableTexts{cleaner: v.newCleaner(), sums: textSums{}, counts: textCounts{drops: map[string]int64{}}}
	v.receivers.Lock()
	defer v.receivers.Unlock()
	v.received = append(v.received, t)
	return t.receive
}

func (t *tableTexts) receive(p *oracle.PostText) {
	t.sums.add(p.ID, digestOf(p.Title, []byte(t.cleaner.Clean(p.Body, p.Tags))))
	t.counts.bytes += int64(len(p.Title) + len(p.Body))
	for _, d := range t.cleaner.Drops() {
		t.counts.drops[d.Rule]++
	}
}

// sumTexts sums what the receivers of texts have.
func (v *verifier) sumTexts() {
	v.tableTexts, v.texts = textSums{}, textCounts{drops: map[string]int64{}}
	for _, t := range v.received {
		v.tableTexts.merge(t.sums)
		v.texts.bytes += t.counts.bytes
		for rule, n := range t.counts.drops {
			v.texts.drops[rule] += n
		}
	}
}

// compareTexts compares the texts of the parents with those of the tables. Where sums differ, it reads the posts of
// these again.
func (v *verifier) compareTexts(ctx context.Context, db *tables.DB) error {
	differ := map[int64]bool{}
	for _, sums := range []textSums{v.tableTexts, v.parentTexts} {
		for at := range sums {
			if v.tableTexts[at] != v.parentTexts[at] {
				differ[at] = true
			}
		}
	}
	if len(differ) == 0 || !v.parents.OK {
		return nil
	}
	v.otherTexts = slices.Min(slices.Collect(maps.Keys(differ))) << textBits
	for i, f := range v.files {
		t := v.results[i].parents
		holds := func(at int64) bool { return t.first>>textBits <= at && at <= t.last>>textBits }
		if f.kind != parentFile || !slices.ContainsFunc(slices.Collect(maps.Keys(differ)), holds) {
			continue
		}
		_, difference, err := v.readParents(ctx, f, &parentTexts{}, v.newTextComparer(db, nil), nil)
		if err != nil {
			return err
		}
		if difference != "" {
			v.parents.differ("%s", difference)
			return nil
		}
	}
	return nil
}

// textComparer cleans posts of the tables again, and compares the rows of parents with them.
type textComparer struct {
	db      *tables.DB
	answers bool
	cleaner text.Cleaner
	posts   []int64 // nil: all
}

// newTextComparer returns a comparer of posts with the tables; nil means all posts.
func (v *verifier) newTextComparer(db *tables.DB, posts []int64) *textComparer {
	return &textComparer{db: db, answers: v.embedsAnswers(), cleaner: v.newCleaner(), posts: posts}
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
		return nil
	})
	for err == nil && at < len(rows) {
		missing()
	}
	return difference, err
}
