package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"s2g/cmd/s2g/expect"
	"s2g/schema/manifest"
)

// row is what is read of a point. Columns are found by name.
type row struct {
	PointID       uint64    `parquet:"point_id"`
	PostID        int64     `parquet:"post_id"`
	QuestionID    int64     `parquet:"question_id"`
	IRI           string    `parquet:"iri"`
	Type          string    `parquet:"type"`
	Language      string    `parquet:"language"`
	Languages     []string  `parquet:"languages,list"`
	Chunk         int32     `parquet:"chunk"`
	Chunks        int32     `parquet:"chunks"`
	Title         string    `parquet:"title"`
	Text          string    `parquet:"text"`
	ContentHash   string    `parquet:"content_hash"`
	Dense         []float32 `parquet:"dense,list"`
	SparseIndices []uint32  `parquet:"sparse_indices,list"`
	SparseValues  []float32 `parquet:"sparse_values,list"`
}

// unitTolerance is how far the square of a dense vector's length may be from 1.
const unitTolerance = 1e-3

// shard is what one file of points holds.
type shard struct {
	graph       int
	points      int64
	dimensions  int
	first, last int64 // posts
	tally       shardTally
}

// shardTally counts posts: by type, with the checksum of the text that the
// graph gives their type by, and each embedded post once over all languages.
type shardTally struct {
	questions, answers, once expect.Tally
}

func (t *shardTally) merge(u shardTally) {
	t.questions.Merge(u.questions)
	t.answers.Merge(u.answers)
	t.once.Merge(u.once)
}

// shardSet is all shards.
type shardSet struct {
	check  Check
	graphs []shardTally
}

// graphOfShard finds the graph of vectors/SLUG/part-00000.parquet.
func (b *build) graphOfShard(name string) (int, bool) {
	parts := strings.Split(name, "/")
	i := slices.IndexFunc(b.graphs, func(g graph) bool { return len(parts) == 3 && g.slug == parts[1] })
	return i, i >= 0
}

func (b *build) readShard(ctx context.Context, f file) (s shard, bad string, err error) {
	g, ok := b.graphOfShard(f.name)
	if !ok {
		return s, f.name + " is in the folder of no language", nil
	}
	s.graph = g
	r := pointReader{build: b, graph: b.graphs[g], shard: &s}
	bad, err = rows(ctx, b, f, r.check)
	if bad == "" && err == nil {
		bad = r.end()
	}
	if bad != "" {
		bad = f.name + ": " + bad
	}
	return s, bad, err
}

// rows gives each row of a Parquet file to use, up to the first that use finds
// fault with. Damage to the file is a difference.
func rows[T any](ctx context.Context, b *build, f file, use func(*T) string) (bad string, err error) {
	stored, err := os.Open(b.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer stored.Close()
	in, err := parquet.OpenFile(stored, f.size)
	if err != nil {
		return err.Error(), nil
	}
	columns := in.Schema()
	for _, c := range parquet.SchemaOf(new(T)).Columns() {
		if _, ok := columns.Lookup(c...); !ok {
			return fmt.Sprintf("it has no column %s", strings.Join(c, ".")), nil
		}
	}
	r := parquet.NewGenericReader[T](in)
	defer r.Close()
	buffer := make([]T, 64)
	for {
		n, err := r.Read(buffer)
		for i := range n {
			if bad := use(&buffer[i]); bad != "" {
				return bad, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return err.Error(), nil
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
}

// pointReader checks points in the order of a shard.
type pointReader struct {
	build *build
	graph graph
	shard *shard

	id         uint64 // of the point before
	post       int64
	next, have int32 // the chunk that must follow, and how many the post has
	digits     []byte
}

func (r *pointReader) check(p *row) (bad string) {
	if bad := r.checkIDs(p); bad != "" {
		return bad
	}
	if bad := r.checkText(p); bad != "" {
		return fmt.Sprintf("point %d of post %d: %s", p.PointID, p.PostID, bad)
	}
	if bad := r.checkVectors(p); bad != "" {
		return fmt.Sprintf("point %d of post %d: %s", p.PointID, p.PostID, bad)
	}
	r.shard.points++
	return ""
}

func (r *pointReader) checkIDs(p *row) string {
	if p.PostID < 0 || p.Chunk < 0 || p.Chunk >= 1<<16 || p.PointID != uint64(p.PostID)<<16|uint64(p.Chunk) {
		return fmt.Sprintf("point id %d is not that of chunk %d of post %d", p.PointID, p.Chunk, p.PostID)
	}
	if r.shard.points > 0 && p.PointID <= r.id {
		return fmt.Sprintf("point %d of post %d stands after point %d", p.PointID, p.PostID, r.id)
	}
	r.id = p.PointID
	if r.next == r.have {
		return r.begin(p)
	}
	if p.PostID != r.post || p.Chunk != r.next || p.Chunks != r.have {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", r.next, r.have, r.post)
	}
	r.next++
	return ""
}

// begin takes a post's first point.
func (r *pointReader) begin(p *row) string {
	if p.Chunk != 0 || p.Chunks < 1 {
		return fmt.Sprintf("post %d begins with chunk %d of %d", p.PostID, p.Chunk, p.Chunks)
	}
	if r.shard.points == 0 {
		r.shard.first = p.PostID
	}
	r.post, r.next, r.have = p.PostID, 1, p.Chunks
	r.shard.last = p.PostID
	r.digits = strconv.AppendInt(r.digits[:0], p.PostID, 10)
	t := &r.shard.tally
	iri := ""
	switch p.Type {
	case "question":
		iri = r.build.site.Question(p.PostID)
		t.questions.Add(postCRC(questionPath, r.digits))
		if p.QuestionID != p.PostID {
			return fmt.Sprintf("question %d has the question_id %d", p.PostID, p.QuestionID)
		}
	case "answer":
		iri = r.build.site.Answer(p.PostID)
		t.answers.Add(postCRC(answerPath, r.digits))
	default:
		return fmt.Sprintf("post %d has the type %q", p.PostID, p.Type)
	}
	if p.IRI != iri {
		return fmt.Sprintf("post %d has the IRI %s, in the graph it is %s", p.PostID, p.IRI, iri)
	}
	if p.once() {
		t.once.Add(parentCRC(r.digits))
	}
	return ""
}

// once reports whether the row stands for its post: it is in the shards of the
// first of its languages.
func (p *row) once() bool { return len(p.Languages) == 0 || p.Languages[0] == p.Language }

func (r *pointReader) checkText(p *row) string {
	switch {
	case p.Language != r.graph.tag:
		return fmt.Sprintf("it has the language %q", p.Language)
	case p.Language != "" && !slices.Contains(p.Languages, p.Language):
		return fmt.Sprintf("its languages %q lack its own, %q", p.Languages, p.Language)
	case !strings.HasPrefix(p.Text, p.Title):
		return "its text does not begin with its title"
	}
	if sum := sha256.Sum256([]byte(p.Text)); p.ContentHash != hex.EncodeToString(sum[:]) {
		return "content_hash is not that of its text"
	}
	return ""
}

func (r *pointReader) checkVectors(p *row) string {
	length := 0.0
	for _, x := range p.Dense {
		length += float64(x) * float64(x)
	}
	if math.IsNaN(length) || math.Abs(length-1) > unitTolerance { // an infinite one is no unit either
		return fmt.Sprintf("its dense vector has the length %.4g", math.Sqrt(length))
	}
	if r.shard.dimensions == 0 {
		r.shard.dimensions = len(p.Dense)
	}
	if len(p.Dense) != r.shard.dimensions {
		return fmt.Sprintf("its dense vector has %d dimensions, others have %d", len(p.Dense), r.shard.dimensions)
	}
	if len(p.SparseIndices) != len(p.SparseValues) {
		return fmt.Sprintf("it has %d sparse indices and %d values", len(p.SparseIndices), len(p.SparseValues))
	}
	for i, v := range p.SparseValues {
		if i > 0 && p.SparseIndices[i] <= p.SparseIndices[i-1] {
			return "its sparse indices do not ascend"
		}
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("its sparse value of %d is not a number", p.SparseIndices[i])
		}
	}
	return ""
}

// end checks that the last post is whole.
func (r *pointReader) end() string {
	if r.next != r.have {
		return fmt.Sprintf("chunk %d of the %d of post %d is missing", r.next, r.have, r.post)
	}
	return ""
}

// judgeShards checks the shards of a language against each other: the parts
// follow each other, and vectors are comparable.
func (b *build) judgeShards(found []finding) {
	c := newCheck("shards", "points read back")
	dimensions := 0
	last := make([]int64, len(b.graphs))
	for i := range last {
		last[i] = -1
	}
	for i, f := range b.files {
		if f.kind != aShard {
			continue
		}
		s := found[i].shard
		c.Count += s.points
		if found[i].bad != "" {
			c.differ("%s", found[i].bad)
			continue
		}
		if s.points == 0 {
			continue
		}
		if s.first <= last[s.graph] {
			c.differ("%s: post %d stands after post %d of an earlier part", f.name, s.first, last[s.graph])
		}
		last[s.graph] = s.last
		if dimensions == 0 {
			dimensions = s.dimensions
		}
		if s.dimensions != dimensions {
			c.differ("%s: dense vectors of %d dimensions, others have %d", f.name, s.dimensions, dimensions)
		}
		b.shards.graphs[s.graph].merge(s.tally)
	}
	b.shards.check = c
}

// compareShards holds the posts of each language's shards against those of its
// graph, as the files say and as the tables say.
func (b *build) compareShards(ctx context.Context, view *expect.View) (Check, error) {
	c := newCheck("questions", "posts of shards, by language, against the graph")
	answers := slices.ContainsFunc(b.shards.graphs, func(t shardTally) bool { return t.answers.Count > 0 })
	for g := range b.graphs {
		if err := b.comparePosts(ctx, &c, view, g, "question"); err != nil {
			return c, err
		}
		if answers {
			if err := b.comparePosts(ctx, &c, view, g, "answer"); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

func (b *build) comparePosts(ctx context.Context, c *Check, view *expect.View, g int, kind string) error {
	shards, files, path, class := b.shards.graphs[g].questions, b.census.questions[g], questionPath, "Question"
	if kind == "answer" {
		shards, files, path, class = b.shards.graphs[g].answers, b.census.answers[g], answerPath, "Answer"
	}
	c.Count += shards.Count
	other, name, list := files, "the graph's files", b.filesHavePosts(g, path)
	if !b.has(manifest.Graph) {
		other = shards
	}
	if view != nil && other == shards {
		term, _ := expect.Named(class)
		other, name = view.Graphs[g][term], "the tables"
		list = func(ctx context.Context, yield yield) error {
			return view.Texts(ctx, g, term, func(subject string, crc uint32) { yield([]byte(subject), crc, "") })
		}
	}
	if shards == other || !c.OK {
		return nil
	}
	where := ""
	if b.shards.check.OK && b.batches.OK {
		var err error
		if where, err = search(ctx, "the shards", b.shardsHavePosts(g, kind, path), name, list); err != nil {
			return err
		}
	}
	c.differ("%s: %d %ss in the shards, %d in %s%s", b.graphs[g].iri, shards.Count, kind, other.Count, name, where)
	return nil
}

// pointKey is what is read of a point to tell its post.
type pointKey struct {
	PostID int64  `parquet:"post_id"`
	Type   string `parquet:"type"`
	Chunk  int32  `parquet:"chunk"`
}

// shardsHavePosts lists the questions, or the answers, of a language's shards.
func (b *build) shardsHavePosts(graph int, kind, path string) lister {
	return func(ctx context.Context, yield yield) error {
		for _, f := range b.files {
			if g, ok := b.graphOfShard(f.name); f.kind != aShard || !ok || g != graph {
				continue
			}
			_, err := rows(ctx, b, f, func(p *pointKey) string {
				if p.Chunk == 0 && p.Type == kind {
					id := strconv.FormatInt(p.PostID, 10)
					yield([]byte(path+id), postCRC(path, id), f.name)
				}
				return ""
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
