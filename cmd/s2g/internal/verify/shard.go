package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
)

// postKind is the kind of a post in shards and graphs.
type postKind uint8

const (
	question postKind = iota
	answer
)

var postKinds = [2]postKind{question, answer}

// String returns the kind's value of the column type.
func (k postKind) String() string { return [2]string{"question", "answer"}[k] }

// path returns what the IRIs of such posts begin with, without the site.
func (k postKind) path() string { return [2]string{"/questions/", "/a/"}[k] }

// class returns the class of such posts.
func (k postKind) class() oracle.Term {
	t, _ := oracle.LookupTerm([2]string{"Question", "Answer"}[k])
	return t
}

// shardContents is what one shard holds.
type shardContents struct {
	graph       int
	points      int64
	dimensions  int   // of the dense vectors
	first, last int64 // posts
	tally       shardTally
}

// shardTally counts the posts of shards.
type shardTally struct {
	points int64
	posts  [2]oracle.Tally        // by kind, with the checksum of the quads that give them their type
	fields [2]oracle.FieldTallies // by kind, what the shards repeat of posts

	// over the posts whose first language is the shard's, so that each counts once over all shards
	texts, laterChunks, unknownTexts int64        // chunks; those after the first; those without a term of the builtin embedder
	postsOnce                        [2]int64     // by kind
	once                             oracle.Tally // the posts
}

func (t *shardTally) merge(u *shardTally) {
	t.points += u.points
	for kind := range t.posts {
		t.posts[kind].Merge(u.posts[kind])
		t.fields[kind].Merge(&u.fields[kind])
	}
	t.texts += u.texts
	t.laterChunks += u.laterChunks
	t.unknownTexts += u.unknownTexts
	for kind := range t.postsOnce {
		t.postsOnce[kind] += u.postsOnce[kind]
	}
	t.once.Merge(u.once)
}

// graphOfShard returns the position of the graph of vectors/SLUG/part-00000.parquet.
func (v *verifier) graphOfShard(name string) (int, bool) {
	parts := strings.Split(name, "/")
	i := slices.IndexFunc(v.graphs, func(g namedGraph) bool { return len(parts) == 3 && g.slug == parts[1] })
	return i, i >= 0
}

// shardsOf returns the shards of a graph in the order of their points.
func (v *verifier) shardsOf(g int) []file {
	var list []file
	for _, f := range v.filesOf(shardFile) {
		if graph, ok := v.graphOfShard(f.name); ok && graph == g {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y file) int { // part-100000 follows part-99999
		return cmp.Or(cmp.Compare(len(x.name), len(y.name)), cmp.Compare(x.name, y.name))
	})
	return list
}

// readShard reads a shard and checks its points against the texts of its part's
// parents, nil where there are none. onPost, unless nil, receives each post.
func (v *verifier) readShard(ctx context.Context, f file, parents *parentTexts, onPost postFunc) (s *shardContents, difference string, err error) {
	s = &shardContents{}
	g, ok := v.graphOfShard(f.name)
	if !ok {
		return s, f.name + " is in the folder of no language", nil
	}
	s.graph = g
	p := pointChecker{verifier: v, graph: v.graphs[g], shard: s, chunks: chunkChecker{parents: parents}, onPost: onPost}
	difference, err = v.readRows(ctx, f, p.bind)
	return s, difference, err
}

// checkShards compares the shards with each other: the parts of a language ascend,
// and all dense vectors have the same dimensions.
func (v *verifier) checkShards(results []fileResult) {
	c := newCheck("shards", "points read back")
	dimensions := 0
	last := make([]int64, len(v.graphs))
	for i := range last {
		last[i] = -1
	}
	for i, f := range v.files {
		if f.kind != shardFile {
			continue
		}
		s := results[i].shard
		c.Count += s.points
		if results[i].difference != "" {
			c.differ("%s", results[i].difference)
			continue
		}
		if s.points == 0 {
			continue
		}
		if s.first <= last[s.graph] {
			c.differ("%s: post %d comes after post %d of an earlier part", f.name, s.first, last[s.graph])
		}
		last[s.graph] = s.last
		if dimensions == 0 {
			dimensions = s.dimensions
		}
		if s.dimensions != dimensions {
			c.differ("%s: dense vectors of %d dimensions, others have %d", f.name, s.dimensions, dimensions)
		}
		s.tally.points = s.points
		v.shardTallies[s.graph].merge(&s.tally)
	}
	v.shards = c
}

// comparePosts compares the posts of each language's shards with those of the graph's
// files and, where these are the same, with those of the tables.
func (v *verifier) comparePosts(ctx context.Context, want *oracle.Expected) (Check, error) {
	c := newCheck("questions", "posts of shards, by language, against the graph")
	kinds := postKinds[:1]
	if v.embedsAnswers() || slices.ContainsFunc(v.shardTallies, func(t shardTally) bool { return t.posts[answer].Count > 0 }) {
		kinds = postKinds[:]
	}
	for g := range v.graphs {
		for _, kind := range kinds {
			shards := v.shardTallies[g].posts[kind]
			c.Count += shards.Count
			other, name, list := v.quads.posts[kind][g], "the graph's files", v.quadPosts(g, kind)
			if !v.has(manifest.Graph) {
				other = shards
			}
			if want != nil && other == shards {
				other, name, list = want.Graphs[g][kind.class()], "the tables", tableSubjects(want, g, kind.class())
			}
			if shards == other || !c.OK {
				continue
			}
			where := ""
			if v.shards.OK && v.batches.OK {
				var err error
				if where, err = findDifference(ctx, "the shards", v.shardPosts(g, kind), name, list); err != nil {
					return c, err
				}
			}
			c.differ("%s: %d %ss in the shards, %d in %s%s", v.graphs[g].iri, shards.Count, kind, other.Count, name, where)
		}
	}
	return c, nil
}

// shardPosts lists the questions, or the answers, of a language's shards.
func (v *verifier) shardPosts(graph int, kind postKind) lister {
	return v.listShardPosts(v.shardsOf(graph), func(*rowReader) postCRCFunc {
		return func(id []byte, of string) ([]byte, uint32, bool) {
			post := fmt.Appendf(nil, "%s%s", kind.path(), id)
			return post, typeCRC(post), of == kind.String()
		}
	})
}

// postCRCFunc returns the subject and the checksum that a lister yields for the post of
// a row. It returns false for a post that the lister leaves out. kind is the value of
// the column type.
type postCRCFunc func(id []byte, kind string) (subject []byte, crc uint32, ok bool)

// listShardPosts lists the posts of shards by the first chunk of each. bind chooses the
// columns that the function that it returns uses.
func (v *verifier) listShardPosts(shards []file, bind func(*rowReader) postCRCFunc) lister {
	return func(ctx context.Context, yield yieldFunc) error {
		for _, f := range shards {
			_, err := v.readRows(ctx, f, func(r *rowReader) func() string {
				id, kind, chunk := r.int64s("post_id"), r.texts("type"), r.int32s("chunk")
				post := bind(r)
				return func() string {
					if chunk.integer() == 0 {
						if subject, crc, ok := post(strconv.AppendInt(nil, id.integer(), 10), string(kind.bytes())); ok {
							yield(subject, tallyOf(crc), f.name)
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
