package verify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
)

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
	questions, answers, once oracle.Tally
	points                   int64
	// what the shards say of posts
	questionFields, answerFields oracle.FieldTallies
}

func (t *shardTally) merge(u *shardTally) {
	t.questionFields.Merge(&u.questionFields)
	t.answerFields.Merge(&u.answerFields)
	t.questions.Merge(u.questions)
	t.answers.Merge(u.answers)
	t.once.Merge(u.once)
	t.points += u.points
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

func (b *build) readShard(ctx context.Context, f file, w *wholes, pick picker) (s *shard, bad string, err error) {
	s = &shard{}
	g, ok := b.graphOfShard(f.name)
	if !ok {
		return s, f.name + " is in the folder of no language", nil
	}
	s.graph = g
	r := pointReader{build: b, graph: b.graphs[g], shard: s, pieces: pieceReader{wholes: w}, pick: pick}
	bad, err = b.eachRow(ctx, f, r.bind)
	if bad == "" && err == nil {
		bad = r.finish()
	}
	if bad != "" {
		bad = f.name + ": " + bad
	}
	return s, bad, err
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
		s.tally.points = s.points
		b.shards.graphs[s.graph].merge(&s.tally)
	}
	b.shards.check = c
}

// compareShards holds the posts of each language's shards against those of its
// graph, as the files say and as the tables say.
func (b *build) compareShards(ctx context.Context, view *oracle.Expected) (Check, error) {
	c := newCheck("questions", "posts of shards, by language, against the graph")
	answers := b.embedsAnswers() || slices.ContainsFunc(b.shards.graphs, func(t shardTally) bool { return t.answers.Count > 0 })
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

func (b *build) comparePosts(ctx context.Context, c *Check, view *oracle.Expected, g int, kind string) error {
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
		term, _ := oracle.LookupTerm(class)
		other, name = view.Graphs[g][term], "the tables"
		list = func(ctx context.Context, yield yield) error {
			return view.Subjects(ctx, g, term, func(subject []byte, t oracle.Tally) { yield(subject, t, "") })
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

// shardsHavePosts lists the questions, or the answers, of a language's shards.
func (b *build) shardsHavePosts(graph int, kind, path string) lister {
	return b.eachPost(graph, func(*table) func(id, is []byte) ([]byte, uint32, bool) {
		return func(id, is []byte) ([]byte, uint32, bool) {
			post := fmt.Appendf(nil, "%s%s", path, id)
			return post, typeCRC(post), string(is) == kind
		}
	})
}

// eachPost lists something of each post that a language's shards embed: of its
// first chunk.
func (b *build) eachPost(g int, bind func(*table) func(id, kind []byte) (post []byte, crc uint32, ok bool)) lister {
	return func(ctx context.Context, yield yield) error {
		for _, f := range b.files {
			if graph, ok := b.graphOfShard(f.name); f.kind != aShard || !ok || g >= 0 && graph != g {
				continue
			}
			_, err := b.eachRow(ctx, f, func(t *table) func() string {
				id, kind, chunk := t.int64("post_id"), t.text("type"), t.int32("chunk")
				say := bind(t)
				return func() string {
					if chunk.int() == 0 {
						if post, crc, ok := say(strconv.AppendInt(nil, id.int(), 10), kind.bytes()); ok {
							yield(post, one(crc), f.name)
						}
					}
					return ""
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
