package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
)

// batchQuads is how many quads each file but the last must hold.
const batchQuads = 50_000

// cancelEvery is how many quads are read between two looks at the context.
const cancelEvery = 1 << 12

// readBatch counts a file of the graph into c. What is wrong with the file
// itself is the difference.
func (b *build) readBatch(ctx context.Context, f file, c *census) (quads int64, bad string, err error) {
	bad, err = b.quads(ctx, f, func(q *trig.Quad) string {
		quads++
		return c.add(q)
	})
	return quads, bad, err
}

// quads gives each quad of a file to use, up to the first that use finds fault
// with. Damage to the file is a difference, what keeps it from being read is an
// error.
func (b *build) quads(ctx context.Context, f file, use func(*trig.Quad) string) (bad string, err error) {
	stored, err := os.Open(b.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer stored.Close()
	source := &source{r: stored}
	text, format, err := trig.OpenText(source, path.Base(f.name))
	if err != nil {
		return source.judge(f, err)
	}
	defer text.Close()
	r := trig.NewReader(text, format)
	for n := 1; r.Scan(); n++ {
		if n%cancelEvery == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		if bad := use(r.Record()); bad != "" {
			return fmt.Sprintf("%s, quad %d: %s", f.name, n, bad), nil
		}
	}
	if err := r.Err(); err != nil {
		return source.judge(f, err)
	}
	return "", nil
}

// source remembers whether it was the disk that failed.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// judge tells damage, a difference, from a disk that fails, an error.
func (s *source) judge(f file, err error) (string, error) {
	if s.err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, s.err)
	}
	return fmt.Sprintf("%s: %v", f.name, err), nil
}

// judgeBatches checks names and sizes of the graph's files.
func (b *build) judgeBatches(found []finding) {
	c := newCheck("batches", "quads read back")
	last := -1
	for i, f := range b.files {
		if f.kind == aBatch {
			last = i
		}
	}
	number := 0
	for i, f := range b.files {
		if f.kind != aBatch {
			continue
		}
		number++
		c.Count += found[i].quads
		if found[i].bad != "" {
			c.differ("%s", found[i].bad)
		}
		if want := fmt.Sprintf("batch-%06d.", number); !strings.HasPrefix(path.Base(f.name), want) {
			c.differ("%s is there where %s… is next", f.name, want)
		}
		if n := found[i].quads; i != last && n != batchQuads || n > batchQuads {
			c.differ("%s has %d quads: each file but the last has %d, and the last no more", f.name, n, batchQuads)
		}
	}
	b.batches = c
}

// compareGraphs holds the census of the files against the tables'.
func (b *build) compareGraphs(ctx context.Context, view *oracle.Expected) (Check, error) {
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
					return view.Subjects(ctx, g, t, func(subject []byte, t oracle.Tally) { yield(subject, t, "") })
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
