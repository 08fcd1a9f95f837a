package verify

import (
	"context"
	"slices"
	"strings"

	"s2g/cmd/s2g/internal/oracle"
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
