package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph/trig"
	"s2g/schema"
)

// batchQuads is the number of quads in each batch but the last.
const batchQuads = 50_000

// cancelQuads is how many quads are read between two checks of the context.
const cancelQuads = 1 << 12

// readQuads calls use with each quad of a file, up to the first difference that use
// returns. Damage to the file is a difference; a failing disk is an error. Differences
// begin with the file's name.
func (v *verifier) readQuads(ctx context.Context, f file, use func(*trig.Quad) string) (difference string, err error) {
	stored, err := schema.OpenRegular(v.path(f))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer stored.Close()
	disk := &diskReader{r: stored}
	text, format, err := trig.OpenText(disk, path.Base(f.name))
	if err != nil {
		return disk.difference(f, err)
	}
	defer text.Close()
	r := trig.NewReader(text, format)
	for n := 1; r.Scan(); n++ {
		if n%cancelQuads == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		if d := use(r.Record()); d != "" {
			return fmt.Sprintf("%s, quad %d: %s", f.name, n, d), nil
		}
	}
	if err := r.Err(); err != nil {
		return disk.difference(f, err)
	}
	if f.kind == batchFile && r.Comments() > 0 {
		return f.name + " has a comment, which no build writes", nil
	}
	return "", nil
}

// diskReader keeps the error of a failing disk, to distinguish it from the errors of
// readers of formats, which wrap it.
type diskReader struct {
	r   io.Reader
	err error
}

func (d *diskReader) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		d.err = err
	}
	return n, err
}

// difference returns the error of a reader as a difference, or as an error where
// the disk failed.
func (d *diskReader) difference(f file, err error) (string, error) {
	if d.err != nil {
		return "", fmt.Errorf("reading %s: %w", f.name, d.err)
	}
	return fmt.Sprintf("%s: %v", f.name, err), nil
}

// checkBatches checks the names and the numbers of quads of the graph's files.
func (v *verifier) checkBatches(results []fileResult) {
	c := newCheck("batches", "quads read back")
	number, last := 0, len(v.filesOf(batchFile))
	for i, f := range v.files {
		if f.kind != batchFile {
			continue
		}
		number++
		c.Count += results[i].quads
		if results[i].difference != "" {
			c.differ("%s", results[i].difference)
		}
		if want := fmt.Sprintf("batch-%06d.", number); !strings.HasPrefix(path.Base(f.name), want) {
			c.differ("%s is in the place of %s…", f.name, want)
		}
		switch n := results[i].quads; {
		case number != last && n != batchQuads || n > batchQuads:
			c.differ("%s has %d quads: each file but the last has %d, and the last no more", f.name, n, batchQuads)
		case n == 0:
			c.differ("%s has no quads; no build writes such a file", f.name)
		}
	}
	v.batches = c
}

// compareGraphs compares the quads of the files with the tables.
func (v *verifier) compareGraphs(ctx context.Context, want *oracle.Expected) (Check, error) {
	c := newCheck("graph", "counts and checksums, by graph and term, against the tables")
	for g := range v.graphs {
		for t := range oracle.AllTerms {
			files, tables := v.quads.graphs[g][t], want.Graphs[g][t]
			if files != (oracle.Tally{}) || tables != (oracle.Tally{}) {
				c.Count++
			}
			if files == tables || !c.OK {
				continue
			}
			where := ""
			if v.batches.OK { // a damaged file is not read to its end, so that all later subjects would differ
				var err error
				where, err = findDifference(ctx, "the files", v.quadSubjects(g, t), "the tables", tableSubjects(want, g, t))
				if err != nil {
					return c, err
				}
			}
			c.differ("graph <%s>, %s: %d quads in the files, %d by the tables%s", v.graphs[g].iri, t, files.Count, tables.Count, where)
		}
	}
	return c, nil
}

// tableSubjects lists the subjects that the tables require of a graph and term.
func tableSubjects(want *oracle.Expected, graph int, t oracle.Term) lister {
	return func(ctx context.Context, yield yieldFunc) error {
		return want.Subjects(ctx, graph, t, func(subject []byte, t oracle.Tally) { yield(subject, t, "") })
	}
}

// quadSubjects lists the subjects of the files' quads of a graph and term.
func (v *verifier) quadSubjects(graph int, term oracle.Term) lister {
	return v.listQuads(func(c *quadCounter, _ *trig.Quad, t oracle.Term, crc uint32) ([]byte, uint32, bool) {
		return c.subject(), crc, c.graph == graph && t == term
	})
}

// quadPosts lists the questions, or the answers, with a so:postId in a graph of the
// files.
func (v *verifier) quadPosts(graph int, kind postKind) lister {
	return v.listQuads(func(c *quadCounter, q *trig.Quad, t oracle.Term, _ uint32) ([]byte, uint32, bool) {
		if t != postID || c.graph != graph || !strings.HasPrefix(string(c.subject()), kind.path()) {
			return nil, 0, false
		}
		crc := c.postCRC(kind, q.Object.Value)
		return c.post, crc, true
	})
}

// listQuads reads all batches again. It lists the subject and the checksum that choose
// returns for a quad, unless choose returns false.
func (v *verifier) listQuads(choose func(*quadCounter, *trig.Quad, oracle.Term, uint32) (subject []byte, crc uint32, ok bool)) lister {
	return func(ctx context.Context, yield yieldFunc) error {
		yield = locked(yield)
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(v.workers)
		for _, f := range v.filesOf(batchFile) {
			work.Go(func() error {
				c := newQuadCounter(v)
				_, err := v.readQuads(ctx, f, func(q *trig.Quad) string {
					term, crc, difference := c.parse(q)
					if difference != "" {
						return difference
					}
					if subject, crc, ok := choose(c, q, term, crc); ok {
						yield(subject, tallyOf(crc), f.name)
					}
					return ""
				})
				return err
			})
		}
		return work.Wait()
	}
}
