package verify

import (
	"context"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
)

// compareGraphs holds the census of the files against the tables'.
func (b *build) compareGraphs(ctx context.Context, view *oracle.View) (Check, error) {
	c := newCheck("graph", "counts and checksums, by graph and term, against the tables")
	for g := range b.graphs {
		for t := range oracle.AllTerms {
			files, tables := b.census.graphs[g][t], view.Graphs[g][t]
			if files != (oracle.Tally{}) || tables != (oracle.Tally{}) {
				c.Count++
			}
			if files == tables || !c.OK {
				continue
			}
			where := ""
			if b.batches.OK { // a file that is not read to its end makes any subject differ
				var err error
				where, err = search(ctx, "the files", b.filesSay(g, t), "the tables", func(ctx context.Context, yield yield) error {
					return view.Texts(ctx, g, t, func(subject []byte, t oracle.Tally) { yield(subject, t, "") })
				})
				if err != nil {
					return c, err
				}
			}
			c.differ("graph <%s>, %s: %d quads in the files, %d by the tables%s", b.graphs[g].iri, t, files.Count, tables.Count, where)
		}
	}
	return c, nil
}

// filesSay lists subject and checksum of a graph's quads of one term.
func (b *build) filesSay(graph int, term oracle.Term) lister {
	return b.eachQuad(func(c *census, _ *trig.Quad, t oracle.Term, crc uint32) ([]byte, uint32, bool) {
		return c.text[:c.node], crc, c.graph == graph && t == term
	})
}

// filesHavePosts lists the questions, or the answers, that have a so:postId in a
// graph.
func (b *build) filesHavePosts(graph int, path string) lister {
	return b.eachQuad(func(c *census, q *trig.Quad, t oracle.Term, _ uint32) ([]byte, uint32, bool) {
		if t != postID || c.graph != graph || string(c.text[:min(len(path), c.node)]) != path {
			return nil, 0, false
		}
		crc := c.postCRC(path, q.Object.Value)
		return c.post, crc, true
	})
}

// eachQuad reads all batches again and gives what pick chooses.
func (b *build) eachQuad(pick func(*census, *trig.Quad, oracle.Term, uint32) (subject []byte, crc uint32, ok bool)) lister {
	return func(ctx context.Context, yield yield) error {
		yield = locked(yield)
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(b.workers)
		for _, f := range b.files {
			if f.kind != aBatch {
				continue
			}
			work.Go(func() error {
				c := newCensus(b)
				_, err := b.quads(ctx, f, func(q *trig.Quad) string {
					term, crc, bad := c.read(q)
					if bad != "" {
						return bad
					}
					if subject, crc, ok := pick(c, q, term, crc); ok {
						yield(subject, one(crc), f.name)
					}
					return ""
				})
				return err
			})
		}
		return work.Wait()
	}
}
