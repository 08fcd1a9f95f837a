package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
)

// phase is a part of the graph. The phases are written in this order.
type phase int

const (
	phasePosts phase = iota
	phaseTags
	phaseWikis
	phaseDone
)

// checkpoint is the position after a committed file's last quad, and the counts up
// to there. The manifest and the journal store it as JSON.
type checkpoint struct {
	Phase phase `json:"p"`
	Unit  int64 `json:"u"` // unit.at
	Node  int   `json:"n"` // the next quad in the unit: see trig.Cursor
	Graph int   `json:"g,omitempty"`
	Piece int   `json:"t,omitempty"`

	Done  counts  `json:"c"` // of the units before this one
	Kinds []int64 `json:"k"` // their distinct triples of each kind
}

// batchName returns the name of the n-th batch file, from 1.
func batchName(n int, suffix string) string {
	return fmt.Sprintf("graph/batch-%06d.%s", n, suffix)
}

// resume returns the batches, from the first one on without a gap, that an interrupted
// run has committed, and the checkpoint of the last one. Without any batch the
// checkpoint is the start of the graph.
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

// countCommitted reads the batches of an interrupted run in OUT, and returns the
// numbers of their quads by graph and kind. Checkpoints do not hold these numbers: with
// thousands of files and dozens of graphs they would outgrow the rest of the manifest,
// and few runs need them.
func countCommitted(ctx context.Context, out string, files []manifest.File, graphs []string, kinds *kinds, workers int) ([][]int64, error) {
	sums := newKindCounts(len(graphs), len(kinds.all))
	free := make(chan [][]int64, workers)
	for range workers {
		free <- newKindCounts(len(graphs), len(kinds.all))
	}
	positions := make(map[string]int, len(graphs))
	for i, g := range graphs {
		positions[g] = i
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(workers)
	for _, f := range files {
		work.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			counts := <-free
			defer func() { free <- counts }()
			if err := countFile(filepath.Join(out, filepath.FromSlash(f.Name)), positions, kinds, counts); err != nil {
				return fmt.Errorf("reading %s of an interrupted run: %w", f.Name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for range workers {
		for g, byKind := range <-free {
			addEach(sums[g], byKind)
		}
	}
	return sums, nil
}

// countFile adds the quads of a batch file to counts.
func countFile(path string, positions map[string]int, kinds *kinds, counts [][]int64) error {
	file, err := schema.OpenRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	text, format, err := trig.OpenText(file, path)
	if err != nil {
		return err
	}
	defer text.Close()
	r := trig.NewReader(text, format)
	for r.Scan() {
		q := r.Record()
		graph, known := positions[string(q.Graph.Value)]
		kind, ok := kinds.find(q)
		if !known || !ok {
			return fmt.Errorf("<%s> in <%s> is not of this build", q.Predicate.Value, q.Graph.Value)
		}
		counts[graph][kind]++
	}
	return r.Err()
}
