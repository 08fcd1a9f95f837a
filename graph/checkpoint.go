package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema/manifest"
)

// phase is a part of the order in which the graph is written.
type phase int

const (
	phasePosts phase = iota
	phaseTags
	phaseWikis
	phaseDone
)

// checkpoint is what a committed file says of the work up to its last quad. It
// is stored as JSON.
type checkpoint struct {
	Phase phase `json:"p"`
	Unit  int64 `json:"u"` // where the unit begins
	Node  int   `json:"n"` // the next quad in the unit: see trig.Cursor
	Graph int   `json:"g,omitempty"`
	Piece int   `json:"t,omitempty"`

	Done  counts  `json:"c"` // of the units before this one
	Kinds []int64 `json:"k"` // their distinct triples of each kind
}

func (c *checkpoint) String() (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

// batchName is the name of the n-th batch file, from 1.
func batchName(n int, suffix string) string {
	return fmt.Sprintf("graph/batch-%06d.%s", n, suffix)
}

// resume reads how far an interrupted run has come: the batches that it has
// committed without a gap, and the checkpoint of the last.
func resume(committed []manifest.File, suffix string, kinds int) (files []manifest.File, last checkpoint, err error) {
	for _, f := range committed {
		if f.Name == batchName(len(files)+1, suffix) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, checkpoint{Kinds: make([]int64, kinds)}, nil
	}
	f := files[len(files)-1]
	if err := json.Unmarshal([]byte(f.At), &last); err != nil || len(last.Kinds) != kinds {
		return nil, last, fmt.Errorf("the checkpoint of %s cannot be read: %w", f.Name, err)
	}
	return files, last, nil
}

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
