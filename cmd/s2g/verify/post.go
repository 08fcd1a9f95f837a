package verify

import (
	"context"
	"slices"
	"strconv"

	"s2g/cmd/s2g/expect"
	"s2g/schema/manifest"
)

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
			return view.Texts(ctx, g, term, func(subject []byte, t expect.Tally) { yield(subject, t, "") })
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
					yield([]byte(path+id), one(postCRC(path, id)), f.name)
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
