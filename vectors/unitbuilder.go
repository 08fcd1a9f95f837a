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

// batchTexts is the number of texts that are embedded together, at most.
const batchTexts = 256

// remoteBatches is the number of a unit's batches in flight where an endpoint embeds, so
// that the endpoint need not wait for the next batch.
const remoteBatches = 4

// unitBuilder builds units, one after the other. Each worker has its own.
type unitBuilder struct {
	*run
	memberships map[threads.GraphSet]membership
	lent        bool // the worker's token is in use although it is busy

	// State of the current unit. The next unit reuses the slices.
	cleaner      *text.Cleaner
	links        []link
	points       []shard.Point
	graphSets    []threads.GraphSet // of points
	parentTexts  []shard.Parent
	known        map[contentHash]textVectors // of earlier builds
	unembedded   [3][]int                    // points that are in no batch, by the vectors that they lack: both, dense, sparse
	firsts       map[contentHash]int         // the first point of each text that an endpoint embeds
	copies       [][2]int                    // points with the text of an earlier one, and the latter
	pendingPosts int64                       // posts since the last batch
	batches      []*batch
	group        *errgroup.Group // the work of endpoints and idle workers
	summary      unitSummary
}

// membership is the meaning of a set of graphs.
type membership struct {
	graphs []int    // positions in the language table; its length is the remainder
	tags   []string // of the languages, without the whole site
}

// batch is some points of a unit and their vectors.
type batch struct {
	points  []int // positions
	vectors []textVectors
}

func newUnitBuilder(r *run) *unitBuilder {
	return &unitBuilder{run: r, memberships: map[threads.GraphSet]membership{}}
}

// build writes all files of a unit, and notes that they are committed.
func (b *unitBuilder) build(ctx context.Context, u unit) (err error) {
	b.cleaner, b.summary = b.newCleaner(), unitSummary{Counts: map[string]int64{}}
	b.points, b.graphSets, b.parentTexts = b.points[:0], b.graphSets[:0], b.parentTexts[:0]
	for lack := range b.unembedded {
		b.unembedded[lack] = b.unembedded[lack][:0]
	}
	b.pendingPosts, b.batches = 0, b.batches[:0]
	b.links, b.known = nil, nil
	b.firsts, b.copies = map[contentHash]int{}, b.copies[:0]
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	b.group, within = errgroup.WithContext(within)
	if b.remote() {
		b.group.SetLimit(remoteBatches)
	}
	defer func() { // no batch outlives its unit
		cancel()
		_ = b.group.Wait()
	}()
	if b.hasLinks {
		if b.links, err = readLinks(ctx, b.db, b.index, u); err != nil {
			return err
		}
	}
	if len(b.reusable) > 0 {
		if b.known, err = b.readReusable(ctx, u.first, u.last); err != nil {
			return err
		}
	}
	err = b.eachPost(within, u, func(p *post) error { return b.addPost(within, p) })
	if err == nil {
		for lack := range b.unembedded {
			if err == nil {
				err = b.embedPending(within, lack)
			}
		}
	}
	if cause := context.Cause(within); err != nil && cause != nil && ctx.Err() == nil {
		err = cause // a failed batch has ended the reading
	}
	if err != nil {
		return err
	}
	if err := b.group.Wait(); err != nil {
		return err
	}
	for _, batch := range b.batches {
		for i, at := range batch.points {
			batch.vectors[i].assign(&b.points[at])
		}
	}
	for _, c := range b.copies {
		to, from := &b.points[c[0]], &b.points[c[1]]
		to.Dense, to.SparseIndices, to.SparseValues = from.Dense, from.SparseIndices, from.SparseValues
	}
	counts := b.summary.Counts
	counts["texts"] += int64(len(b.points))
	for i := range b.points {
		if b.points[i].Chunk > 0 {
			counts["chunks_after_the_first"]++
		}
		if b.Dense == embed.KindBuiltin && embed.IsFirstAxis(b.points[i].Dense) { // so has a refused text, which is also counted as such
			counts["texts_without_a_known_term"]++
		}
	}
	return b.writeFiles(ctx, u)
}

// eachPost calls f for each post of the unit. Until the first one comes, the worker is idle:
// where another stage reads the same rows, those of a unit may come long after its worker.
func (b *unitBuilder) eachPost(ctx context.Context, u unit, f func(*post) error) error {
	b.setIdle()
	waits := true
	use := eachPost(f)
	err := u.rows.Each(ctx, func(row [][]byte) error {
		if waits {
			waits = false
			b.setBusy()
		}
		return use(row)
	})
	if waits {
		b.setBusy()
	}
	return err
}

// setIdle lets other workers use this one; see idleWorkers.
func (b *unitBuilder) setIdle() {
	if b.lent {
		b.lent = false
	} else {
		b.idle.add()
	}
}

// setBusy ends setIdle. Work that this worker does for another one then ends beside its own.
func (b *unitBuilder) setBusy() { b.lent = !b.idle.take() }

// remote reports whether an endpoint embeds.
func (b *unitBuilder) remote() bool {
	return b.Dense != embed.KindBuiltin || b.Sparse != embed.KindBM25
}

// addPost appends the points of a post without their vectors, and its whole text.
func (b *unitBuilder) addPost(ctx context.Context, p *post) error {
	at, ok := b.index.Find(p.id)
	if !ok {
		return nil
	}
	if p.id > shard.MaxPostID {
		b.summary.Counts["posts_of_too_large_ids_left_out"]++
		return nil
	}
	point, err := b.pointOf(p, at)
	if err != nil {
		return err
	}
	b.summary.BytesIn += int64(len(p.title) + len(p.body))
	b.summary.Counts[point.Type+"s"]++
	cleaned, ok := b.cleaned.take(p.id)
	if !ok {
		if cleaned, err = cleanPost(ctx, b.cleaner, b.windows, p); err != nil {
			return err
		}
	}
	cleaned.countDrops(b.summary.Counts)
	b.parentTexts = append(b.parentTexts, shard.Parent{PostID: p.id, Title: point.Title, Text: cleaned.text})
	point.Chunks = int32(len(cleaned.chunks))
	for i, c := range cleaned.chunks {
		point.PointID, point.Chunk = shard.PointID(p.id, i), int32(i)
		point.Start, point.End = int32(c.Start), int32(c.End)
		hash := contentHash(sha256.Sum256([]byte(c.Text)))
		point.Text, point.ContentHash = c.Text, hex.EncodeToString(hash[:])
		b.points, b.graphSets = append(b.points, point), append(b.graphSets, at.Set)
		v := b.known[hash]
		v.assign(&b.points[len(b.points)-1])
		if lack := v.lack(); lack < lackNone && !b.isCopy(hash) {
			b.unembedded[lack] = append(b.unembedded[lack], len(b.points)-1)
		}
		if b.isReused(v) {
			b.summary.Counts["texts_reused"]++
		}
	}
	b.pendingPosts++
	for lack := range b.unembedded {
		if len(b.unembedded[lack]) >= batchTexts {
			if err := b.embedPending(ctx, lack); err != nil {
				return err
			}
		}
	}
	return nil
}

// isCopy reports whether an endpoint embeds the text of the last point already, for an earlier point of the unit.
func (b *unitBuilder) isCopy(hash contentHash) bool {
	if !b.remote() {
		return false
	}
	last := len(b.points) - 1
	first, found := b.firsts[hash]
	if found {
		b.copies = append(b.copies, [2]int{last, first})
	} else {
		b.firsts[hash] = last
	}
	return found
}

// isReused reports whether vectors of a text are copied and no endpoint makes the others.
func (b *unitBuilder) isReused(v textVectors) bool {
	return (v.hasDense || v.hasSparse) && (v.hasDense || b.Dense == embed.KindBuiltin) && (v.hasSparse || b.Sparse == embed.KindBM25)
}

// pointOf returns a point with the columns that all chunks of a post share.
func (b *unitBuilder) pointOf(p *post, at threads.Post) (shard.Point, error) {
	created, err := millis(p.creationDate)
	if err != nil {
		return shard.Point{}, err
	}
	point := shard.Point{
		PostID: p.id, QuestionID: p.id, IRI: b.Site.Question(p.id), Type: "question",
		Languages: b.membership(at.Set).tags, Title: string(p.title), Tags: tagList(p.tags),
		Score: optionalInt(p.score), AnswerCount: optionalInt(p.answerCount),
		HasAcceptedAnswer: at.AcceptedAnswer != 0, AcceptedAnswerID: at.AcceptedAnswer,
		DuplicateOf: targets(b.links, p.id, schema.LinkDuplicate), LinkedTo: targets(b.links, p.id, schema.LinkLinked),
		Closed: p.closed, CreationDate: created, AuthorName: string(p.ownerName), License: p.license,
	}
	if p.owner != nil {
		point.Author = b.Site.User(tables.Int(p.owner))
	}
	if p.answer {
		point.QuestionID, point.IRI, point.Type = at.Parent, b.Site.Answer(p.id), "answer"
		point.HasAcceptedAnswer, point.AcceptedAnswerID = false, 0
	}
	return point, nil
}

func (b *unitBuilder) membership(set threads.GraphSet) membership {
	m, ok := b.memberships[set]
	if !ok {
		m.graphs = b.index.Graphs(set)
		for _, g := range m.graphs {
			if g < len(b.Languages) && b.Languages[g].Tag != schema.SiteTag {
				m.tags = append(m.tags, b.Languages[g].Tag)
			}
		}
		b.memberships[set] = m
	}
	return m
}

// embedPending embeds the points that are in no batch and lack the given vectors. Where an
// endpoint embeds, it returns while up to remoteBatches batches are in flight.
func (b *unitBuilder) embedPending(ctx context.Context, lack int) error {
	posts := b.pendingPosts
	for points := range slices.Chunk(b.unembedded[lack], batchTexts) {
		batch := &batch{points: slices.Clone(points)}
		texts := make([]string, len(points))
		for i, at := range points {
			texts[i] = b.points[at].Text
		}
		b.batches = append(b.batches, batch)
		done := posts // the first batch reports all posts
		posts = 0
		first, last := b.points[points[0]].PostID, b.points[points[len(points)-1]].PostID
		work := func() (err error) {
			if batch.vectors, err = b.embed(ctx, texts, lack); err != nil {
				return fmt.Errorf("posts %d to %d: %w", first, last, err)
			}
			b.advance(done)
			return nil
		}
		if b.remote() {
			b.group.Go(work)
		} else if err := b.idle.run(b.group, work); err != nil {
			return err
		}
	}
	b.advance(posts)
	b.unembedded[lack], b.pendingPosts = b.unembedded[lack][:0], 0
	return nil
}

// The vectors that a text lacks: the positions in unitBuilder.unembedded.
const (
	lackBoth = iota
	lackDense
	lackSparse
	lackNone
)

func (v textVectors) lack() int {
	switch {
	case v.hasDense && v.hasSparse:
		return lackNone
	case v.hasDense:
		return lackSparse
	case v.hasSparse:
		return lackDense
	}
	return lackBoth
}

// embed returns the vectors that texts lack.
func (b *unitBuilder) embed(ctx context.Context, texts []string, lack int) ([]textVectors, error) {
	var dense [][]float32
	var sparse []embed.SparseVector
	var err error
	switch lack {
	case lackBoth:
		dense, sparse, err = embed.Documents(ctx, b.dense, b.sparse, texts)
	case lackDense:
		dense, err = b.dense.Documents(ctx, texts)
	case lackSparse:
		sparse, err = b.sparse.Documents(ctx, texts)
	}
	if err != nil {
		return nil, err
	}
	needsDense, needsSparse := lack != lackSparse, lack != lackDense
	if needsDense && len(dense) != len(texts) || needsSparse && len(sparse) != len(texts) {
		return nil, fmt.Errorf("%d texts gave %d dense and %d sparse vectors", len(texts), len(dense), len(sparse))
	}
	vectors := make([]textVectors, len(texts))
	for i := range vectors {
		v := &vectors[i]
		if v.hasDense = needsDense; needsDense {
			v.dense = dense[i]
		}
		if v.hasSparse = needsSparse; needsSparse {
			v.sparse = sparse[i]
		}
	}
	return vectors, nil
}

// writeFiles writes the whole texts and the points of each language, and notes that the
// unit is complete. The files are noted in the order of the language table, the whole texts
// last.
func (b *unitBuilder) writeFiles(ctx context.Context, u unit) error {
	byGraph := make([][]int, len(b.Languages)+1) // positions in points
	for i, set := range b.graphSets {
		for _, g := range b.membership(set).graphs {
			byGraph[g] = append(byGraph[g], i)
		}
	}
	files, within := newUnitFiles(ctx, b.run, len(byGraph)+1)
	writeFile(within, files, len(byGraph), shard.ParentsName(u.number), slices.Values(b.parentTexts), len(b.parentTexts))
	for g, points := range byGraph {
		if len(points) == 0 {
			continue
		}
		language := schema.OtherLanguage()
		if g < len(b.Languages) {
			language = b.Languages[g]
		}
		b.summary.Points += int64(len(points))
		writeFile(within, files, g, shard.Name(language.Slug, u.number), b.pointsOf(points, language.Tag), len(points))
	}
	committed, err := files.wait()
	if err != nil {
		return err
	}
	b.summary.Files = len(committed)
	for _, f := range committed {
		b.summary.BytesOut += f.Size
	}
	return b.finishUnit(u, b.summary, committed)
}

// pointsOf yields the points of a language, with its tag.
func (b *unitBuilder) pointsOf(positions []int, tag string) iter.Seq[shard.Point] {
	return func(yield func(shard.Point) bool) {
		for _, i := range positions {
			p := b.points[i]
			p.Language = tag
			if !yield(p) {
				return
			}
		}
	}
}
