package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

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
