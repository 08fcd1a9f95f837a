package graph

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema/manifest"
)

// recount reads the batches of an interrupted run back, and returns the quads in
// them by graph and kind. Checkpoints leave these numbers out: over thousands of
// files and dozens of graphs they would outgrow what they describe, and few runs
// need them.
func (b *build) recount(ctx context.Context, files []manifest.File) ([][]int64, error) {
	sums := newCensus(len(b.graphs), len(b.terms.kinds.all))
	free := make(chan [][]int64, b.Workers)
	for range b.Workers {
		free <- newCensus(len(b.graphs), len(b.terms.kinds.all))
	}
	positions := make(map[string]int, len(b.graphs))
	for i, g := range b.graphs {
		positions[g] = i
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(b.Workers)
	for _, f := range files {
		work.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			into := <-free
			defer func() { free <- into }()
			if err := b.countFile(f.Name, positions, into); err != nil {
				return fmt.Errorf("reading back %s, which an interrupted run has written: %w", f.Name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for range b.Workers {
		for g, byKind := range <-free {
			sum(sums[g], byKind)
		}
	}
	return sums, nil
}

func newCensus(graphs, kinds int) [][]int64 {
	c := make([][]int64, graphs)
	for g := range c {
		c[g] = make([]int64, kinds)
	}
	return c
}

func (b *build) countFile(name string, positions map[string]int, into [][]int64) error {
	file, err := os.Open(filepath.Join(b.out, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := compressions[b.Compress].read(file)
	if err != nil {
		return err
	}
	defer text.Close()
	r := trig.NewReader(text, formats[b.Format])
	for r.Scan() {
		q := r.Record()
		g, known := positions[string(q.Graph.Value)]
		kind, ok := b.terms.kinds.of(q)
		if !known || !ok {
			return fmt.Errorf("<%s> in <%s> is not of this build", q.Predicate.Value, q.Graph.Value)
		}
		into[g][kind]++
	}
	return r.Err()
}
