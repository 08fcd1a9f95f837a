package graph

import (
	"context"
	"slices"

	"s2g/graph/trig"
)

// assembler receives units in order, distributes their quads to batches, and hands
// full batches to the writer.
type assembler struct {
	writer    *writer
	pool      *fragmentPool
	batch     *trig.Batch      // being filled; nil: none
	fragments []*trig.Fragment // that the batch refers to
	files     int              // batches handed over or committed
	perGraph  [][]int64        // quads in them, by graph and kind
	done      counts           // of the complete units
	kinds     []int64          // distinct triples of the complete units, by kind

	phase phase
	unit  *unit
	nodes int // of the unit's earlier fragments

	start *checkpoint // the position to resume at; nil after it
}

// quads returns the number of quads in all batches.
func (a *assembler) quads() (n int64) {
	for _, byKind := range a.perGraph {
		n += total(byKind)
	}
	return n
}

// begin starts a unit. The next fragments belong to it.
func (a *assembler) begin(p phase, u *unit) {
	a.phase, a.unit, a.nodes = p, u, 0
	if a.start != nil && (a.start.Phase != p || a.start.Unit != u.at) {
		a.start = nil
	}
}

// end adds the counts of the complete unit.
func (a *assembler) end() {
	addEach(a.done[:], a.unit.counts[:])
	addEach(a.kinds, a.unit.kinds)
	a.start = nil
}

// put adds the unit's next fragment to the batches and releases it. It skips quads
// that an interrupted run has committed.
func (a *assembler) put(ctx context.Context, f *trig.Fragment) error {
	defer a.pool.release(f)
	first := a.nodes
	a.nodes += f.Nodes()
	var at trig.Cursor
	if a.start != nil {
		node := a.start.Node - first
		if node >= f.Nodes() {
			return nil
		}
		at = trig.Cursor{Node: node, Graph: a.start.Graph, Piece: a.start.Piece}
		a.start = nil
	}
	for {
		if a.batch == nil {
			var err error
			if a.batch, err = a.writer.emptyBatch(ctx); err != nil {
				return err
			}
		}
		a.pool.hold(f)
		a.fragments = append(a.fragments, f)
		at = a.batch.Put(f, at)
		if !a.batch.Full() {
			return nil
		}
		after := checkpoint{Phase: a.phase, Unit: a.unit.at, Node: first + at.Node, Graph: at.Graph, Piece: at.Piece}
		if err := a.flush(ctx, after); err != nil {
			return err
		}
	}
}

// finish hands over the last batch.
func (a *assembler) finish(ctx context.Context) error {
	if a.batch == nil || a.batch.Quads() == 0 {
		return nil
	}
	return a.flush(ctx, checkpoint{Phase: phaseDone})
}

// flush hands the batch over with the checkpoint after it.
func (a *assembler) flush(ctx context.Context, after checkpoint) error {
	after.Done, after.Kinds = a.done, slices.Clone(a.kinds)
	for g := range a.perGraph {
		addEach(a.perGraph[g], a.batch.Tally(g))
	}
	a.files++
	j := job{number: a.files, batch: a.batch, fragments: a.fragments, after: after}
	a.batch, a.fragments = nil, nil
	return a.writer.write(ctx, j)
}
