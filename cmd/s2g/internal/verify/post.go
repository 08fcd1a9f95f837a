package verify

import (
	"context"
	"fmt"
	"slices"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
)

// compareShards holds the posts of each language's shards against those of its
// graph, as the files say and as the tables say.
func (b *build) compareShards(ctx context.Context, view *oracle.View) (Check, error) {
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

func (b *build) comparePosts(ctx context.Context, c *Check, view *oracle.View, g int, kind string) error {
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
		term, _ := oracle.Named(class)
		other, name = view.Graphs[g][term], "the tables"
		list = func(ctx context.Context, yield yield) error {
			return view.Texts(ctx, g, term, func(subject []byte, t oracle.Tally) { yield(subject, t, "") })
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
