package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
	"s2g/vectors/text"
)

// batchTexts is how many texts are embedded together, at most.
const batchTexts = 256

// remoteBatches is how many batches of a unit are under way where an endpoint makes
// vectors: it is to have the next ones while it works on one.
const remoteBatches = 4

// maker makes units, one after the other. Each worker has its own.
type maker struct {
	*stage
	graphs map[threads.GraphSet]membership

	// of the unit that is being made
	cleaner  *text.PostCleaner
	links    []link
	points   []shard.Point
	in       []threads.GraphSet // of points: the graphs they belong to
	wholes   []shard.Parent
	known    map[hash]vectors // of texts that an earlier build has
	todo     []int            // points that have no vectors yet
	pending  int64            // posts that were added since the last batch
	batches  []*batch         // of points whose vectors are made
	endpoint bool             // makes vectors
	group    *errgroup.Group  // of what an endpoint or a spare worker does
	made     made
}

// membership is what a set of graphs means.
type membership struct {
	graphs []int    // positions in the language table; its length is the remainder
	tags   []string // of the languages
}

func newMaker(s *stage) *maker {
	return &maker{stage: s, graphs: map[threads.GraphSet]membership{}}
}

// make makes all files of a unit and notes that they are there.
func (m *maker) make(ctx context.Context, u unit) (err error) {
	m.cleaner, m.points, m.in, m.wholes, m.todo, m.pending = m.newCleaner(), m.points[:0], m.in[:0], m.wholes[:0], m.todo[:0], 0
	m.made = made{Counts: map[string]int64{}}
	m.links, m.batches = nil, m.batches[:0]
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	m.group, within = errgroup.WithContext(within)
	if m.endpoint = m.Dense != Builtin || m.Sparse != BM25; m.endpoint {
		m.group.SetLimit(remoteBatches)
	}
	defer func() { // no batch outlives its unit
		cancel()
		_ = m.group.Wait()
	}()
	if m.linked {
		if m.links, err = readLinks(ctx, m.db, m.index, u); err != nil {
			return err
		}
	}
	if m.earlier != nil {
		if m.known, err = m.earlier.between(ctx, u.first, u.last); err != nil {
			return err
		}
	}
	where := fmt.Sprintf("p.Id BETWEEN %d AND %d", u.first, u.last)
	err = eachPost(within, m.db, postQuery(m.answers(), where), func(p *post) error { return m.add(within, p) })
	if err == nil {
		err = m.embed(within)
	}
	if cause := context.Cause(within); err != nil && cause != nil && ctx.Err() == nil {
		err = cause // a batch has failed, and ended the reading
	}
	if err != nil {
		return err
	}
	if err := m.settle(); err != nil {
		return err
	}
	m.count()
	if err := m.write(ctx, u); err != nil {
		return err
	}
	return m.finish(u, m.made)
}

// add makes the points of a post, but for their vectors.
func (m *maker) add(ctx context.Context, p *post) error {
	at, ok := m.index.Find(p.id)
	if !ok {
		return nil
	}
	if p.id > shard.MaxPostID {
		m.made.Counts["posts_of_too_large_ids_left_out"]++
		return nil
	}
	head, err := m.point(p, at)
	if err != nil {
		return err
	}
	m.made.BytesIn += int64(len(p.title) + len(p.body))
	m.made.Counts[head.Type+"s"]++
	ready, ok := m.kept.take(p.id)
	if !ok {
		if ready, err = prepare(ctx, m.cleaner, m.windows, p); err != nil {
			return err
		}
	}
	ready.count(m.made.Counts)
	m.wholes = append(m.wholes, shard.Parent{PostID: p.id, Title: head.Title, Text: ready.text})
	head.Chunks = int32(len(ready.chunks))
	for i, c := range ready.chunks {
		head.PointID, head.Chunk = shard.PointID(p.id, i), int32(i)
		head.Start, head.End = int32(c.Start), int32(c.End)
		sum := hash(sha256.Sum256([]byte(c.Text)))
		head.Text, head.ContentHash = c.Text, hex.EncodeToString(sum[:])
		m.points, m.in = append(m.points, head), append(m.in, at.Set)
		if v, ok := m.known[sum]; ok {
			v.into(&m.points[len(m.points)-1])
			m.made.Counts["texts_reused"]++
		} else {
			m.todo = append(m.todo, len(m.points)-1)
		}
	}
	if m.pending++; len(m.todo) >= batchTexts {
		return m.embed(ctx)
	}
	return nil
}

// point is what all chunks of a post have in common.
func (m *maker) point(p *post, at threads.Post) (shard.Point, error) {
	created, err := millis(p.creationDate)
	if err != nil {
		return shard.Point{}, err
	}
	head := shard.Point{
		PostID: p.id, QuestionID: p.id, IRI: m.Site.Question(p.id), Type: "question",
		Languages: m.membership(at.Set).tags, Title: string(p.title), Tags: tagList(p.tags),
		Score: number(p.score), AnswerCount: number(p.answerCount),
		HasAcceptedAnswer: at.AcceptedAnswer != 0, AcceptedAnswerID: at.AcceptedAnswer,
		DuplicateOf: targets(m.links, p.id, schema.LinkDuplicate), LinkedTo: targets(m.links, p.id, schema.LinkLinked),
		Closed: p.closed, CreationDate: created, AuthorName: string(p.ownerName), License: p.licence,
	}
	if p.owner != nil {
		head.Author = m.Site.User(tables.Int(p.owner))
	}
	if p.answer {
		head.QuestionID, head.IRI, head.Type = at.Parent, m.Site.Answer(p.id), "answer"
		head.HasAcceptedAnswer, head.AcceptedAnswerID = false, 0
	}
	return head, nil
}

func (m *maker) membership(set threads.GraphSet) membership {
	known, ok := m.graphs[set]
	if !ok {
		known.graphs = m.index.Graphs(set)
		for _, g := range known.graphs {
			if g < len(m.Languages) {
				known.tags = append(known.tags, m.Languages[g].Tag)
			}
		}
		m.graphs[set] = known
	}
	return known
}

// batch is some points and the vectors that are made for them.
type batch struct {
	which   []int // positions in points
	vectors []vectors
}

// embed has the vectors made of the points that have none. Where an endpoint makes
// them it does not wait, but while remoteBatches are under way.
func (m *maker) embed(ctx context.Context) error {
	posts := m.pending
	for some := range slices.Chunk(m.todo, batchTexts) {
		b := &batch{which: slices.Clone(some)}
		texts := make([]string, len(some))
		for i, at := range some {
			texts[i] = m.points[at].Text
		}
		m.batches = append(m.batches, b)
		done := posts // the first batch tells of all
		posts = 0
		work := func() (err error) {
			if b.vectors, err = m.vectorsOf(ctx, texts); err == nil {
				m.advance(done)
			}
			return err
		}
		if m.endpoint {
			m.group.Go(work)
		} else if err := m.spare.run(m.group, work); err != nil {
			return err
		}
	}
	m.advance(posts)
	m.todo, m.pending = m.todo[:0], 0
	return nil
}

// settle waits for the vectors that are under way, and gives them to their points.
func (m *maker) settle() error {
	if err := m.group.Wait(); err != nil {
		return err
	}
	for _, b := range m.batches {
		for i, at := range b.which {
			b.vectors[i].into(&m.points[at])
		}
	}
	return nil
}

// count adds up what the unit's summary says of its texts.
func (m *maker) count() {
	c := m.made.Counts
	c["texts"] += int64(len(m.points))
	for i := range m.points {
		if p := &m.points[i]; p.Chunk > 0 {
			c["chunks_after_the_first"]++
		}
		if m.Dense == Builtin && embed.IsFirstAxis(m.points[i].Dense) { // a refused text has the same, and its own count
			c["texts_without_a_known_term"]++
		}
	}
}

// write writes the unit's files: the whole texts, and the points of each language in the table's order.
func (m *maker) write(ctx context.Context, u unit) error {
	byGraph := make([][]int, len(m.Languages)+1)
	for i, set := range m.in {
		for _, g := range m.membership(set).graphs {
			byGraph[g] = append(byGraph[g], i)
		}
	}
	files := m.newFiles(ctx, len(byGraph)+1)
	begin(files, len(byGraph), shard.ParentsName(u.number), slices.Values(m.wholes), len(m.wholes))
	for g, which := range byGraph {
		if len(which) == 0 {
			continue
		}
		language := schema.Language{Slug: schema.OtherSlug}
		if g < len(m.Languages) {
			language = m.Languages[g]
		}
		m.made.Points += int64(len(which))
		begin(files, g, shard.Name(language.Slug, u.number), m.inLanguage(which, language.Tag), len(which))
	}
	var err error
	m.made.files, err = files.wait()
	for _, f := range m.made.files {
		m.made.Files++
		m.made.BytesOut += f.Size
	}
	return err
}

// inLanguage yields the points of a language, with its tag.
func (m *maker) inLanguage(which []int, tag string) iter.Seq[shard.Point] {
	return func(yield func(shard.Point) bool) {
		for _, i := range which {
			p := m.points[i]
			p.Language = tag
			if !yield(p) {
				return
			}
		}
	}
}
