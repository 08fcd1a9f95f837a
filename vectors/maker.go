package vectors

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/vectors/text"
)

// batchTexts is how many texts are embedded together, at most.
const batchTexts = 256

// maker makes units, one after the other. Each worker has its own.
type maker struct {
	*stage
	graphs map[threads.Set]membership

	// of the unit that is being made
	cleaner text.Cleaner
	links   []link
	points  []Point
	in      []threads.Set // of points: the graphs they belong to
	wholes  []Parent
	texts   []string // of the last points, which have no vectors yet
	pending int64    // posts that these are of
	made    made
}

// membership is what a set of graphs means.
type membership struct {
	graphs []int    // positions in the language table; its length is the remainder
	tags   []string // of the languages
}

func newMaker(s *stage) *maker {
	return &maker{stage: s, graphs: map[threads.Set]membership{}}
}

// make makes all files of a unit and notes that they are there.
func (m *maker) make(ctx context.Context, u unit) (err error) {
	m.cleaner, m.points, m.in, m.wholes, m.texts, m.pending = text.Cleaner{}, m.points[:0], m.in[:0], m.wholes[:0], m.texts[:0], 0
	m.made = made{Counts: map[string]int64{}}
	m.links = nil
	if m.linked {
		if m.links, err = readLinks(ctx, m.db, m.index, u); err != nil {
			return err
		}
	}
	where := fmt.Sprintf("p.Id BETWEEN %d AND %d", u.first, u.last)
	err = eachPost(ctx, m.db, postQuery(m.answers(), where), func(p *post) error { return m.add(ctx, p) })
	if err != nil {
		return err
	}
	if err := m.embed(ctx); err != nil {
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
	if p.id > maxPostID {
		m.made.Counts["posts_over_2_47_left_out"]++
		return nil
	}
	head, err := m.point(p, at)
	if err != nil {
		return err
	}
	m.made.BytesIn += int64(len(p.title) + len(p.body))
	m.made.Counts[head.Type+"s"]++
	whole := Parent{PostID: p.id, Title: head.Title, Text: m.cleaner.Clean(string(p.body))}
	chunks := text.Chunks(whole.Title, whole.Text, m.Window, m.Overlap)
	if only := chunks[0].Text; len(chunks) == 1 {
		whole.Text = only[len(only)-len(whole.Text):] // the same text: keep one of the two in memory
	}
	m.wholes = append(m.wholes, whole)
	head.Chunks = int32(len(chunks))
	for i, c := range chunks {
		head.PointID, head.Chunk = PointID(p.id, i), int32(i)
		head.Start, head.End = int32(c.Start), int32(c.End)
		head.Text, head.ContentHash = c.Text, contentHash(c.Text)
		m.points, m.in, m.texts = append(m.points, head), append(m.in, at.Set), append(m.texts, c.Text)
	}
	if m.pending++; len(m.texts) >= batchTexts {
		return m.embed(ctx)
	}
	return nil
}

// point is what all chunks of a post have in common.
func (m *maker) point(p *post, at threads.Post) (Point, error) {
	created, err := millis(p.creationDate)
	if err != nil {
		return Point{}, err
	}
	head := Point{
		PostID: p.id, QuestionID: p.id, IRI: m.Site.Question(p.id), Type: "question",
		Languages: m.membership(at.Set).tags, Title: string(p.title), Tags: tagList(p.tags),
		Score: number(p.score), AnswerCount: number(p.answerCount),
		HasAcceptedAnswer: at.Accepted != 0, AcceptedAnswerID: at.Accepted,
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

func (m *maker) membership(set threads.Set) membership {
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

// embed makes the vectors of the points that have none.
func (m *maker) embed(ctx context.Context) error {
	points := m.points[len(m.points)-len(m.texts):]
	for texts := range slices.Chunk(m.texts, batchTexts) {
		if err := m.embedPoints(ctx, points[:len(texts)], texts); err != nil {
			return err
		}
		points = points[len(texts):]
	}
	m.advance(m.pending)
	m.texts, m.pending = m.texts[:0], 0
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
		if firstAxis(m.points[i].Dense) {
			c["texts_without_a_known_term"]++
		}
	}
	for rule, n := range m.cleaner.Counts() {
		c["dropped_"+strings.ReplaceAll(rule, "-", "_")] += n
	}
}

// write writes the unit's files, those of the languages in the table's order.
func (m *maker) write(ctx context.Context, u unit) error {
	byGraph := make([][]int, len(m.Languages)+1)
	for i, set := range m.in {
		for _, g := range m.membership(set).graphs {
			byGraph[g] = append(byGraph[g], i)
		}
	}
	for g, which := range byGraph {
		if len(which) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		language := schema.Language{Slug: schema.OtherSlug}
		if g < len(m.Languages) {
			language = m.Languages[g]
		}
		if err := file(m, u.shard(language.Slug), m.inLanguage(which, language.Tag), len(which)); err != nil {
			return err
		}
		m.made.Points += int64(len(which))
	}
	return file(m, u.parents(), slices.Values(m.wholes), len(m.wholes))
}

// inLanguage yields the points of a language, with its tag.
func (m *maker) inLanguage(which []int, tag string) iter.Seq[Point] {
	return func(yield func(Point) bool) {
		for _, i := range which {
			p := m.points[i]
			p.Language = tag
			if !yield(p) {
				return
			}
		}
	}
}

// file commits a file of n rows. One that an interrupted run has committed already
// stays: it has the same bytes.
func file[T any](m *maker, name string, rows iter.Seq[T], n int) error {
	committed, ok := m.files[name]
	if !ok {
		out, err := m.run.Create(name)
		if err != nil {
			return err
		}
		defer out.Abort()
		if err := writeParquet(out, rows, m.writing); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if committed, err = out.Commit(int64(n), ""); err != nil {
			return err
		}
	}
	m.made.Files++
	m.made.BytesOut += committed.Size
	return nil
}
