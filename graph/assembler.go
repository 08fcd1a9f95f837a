package graph

import (
	"context"
	"slices"

	"s2g/graph/trig"
)

// assembler deals the quads of units, which come in order, out to batches.
type assembler struct {
	writer   *writer
	shelf    *shelf
	batch    *trig.Batch
	from     []*trig.Fragment // that the batch refers to
	files    int              // handed over or committed
	perGraph [][]int64        // quads in them, by graph and kind
	done     counts           // of the units that are complete
	kinds    []int64          // their distinct triples of each kind

	phase phase
	unit  *unit
	nodes int // of the unit's fragments before this one

	start *checkpoint // where an interrupted run has come to; nil once it is reached
}

func (a *assembler) quads() (n int64) {
	for _, byKind := range a.perGraph {
		n += total(byKind)
	}
	return n
}

// begin says which unit the next fragments are of.
func (a *assembler) begin(p phase, u *unit) {
	a.phase, a.unit, a.nodes = p, u, 0
	if a.start != nil && (a.start.Phase != p || a.start.Unit != u.at) {
		a.start = nil
	}
}

// end takes the unit's counts, when it is complete.
func (a *assembler) end() {
	a.done.add(&a.unit.counts)
	sum(a.kinds, a.unit.kinds)
	a.start = nil
}

// put takes a fragment of the unit, and lets go of it.
func (a *assembler) put(ctx context.Context, f *trig.Fragment) error {
	defer a.shelf.release(f)
	at, skip := a.first(f)
	first := a.nodes
	a.nodes += f.Nodes()
	if skip {
		return nil
	}
	for {
		if a.batch == nil {
			var err error
			if a.batch, err = a.writer.empty(ctx); err != nil {
				return err
			}
		}
		a.shelf.hold(f)
		a.from = append(a.from, f)
		at = a.batch.Put(f, at)
		if !a.batch.Full() {
			return nil
		}
		place := checkpoint{Phase: a.phase, Unit: a.unit.at, Node: first + at.Node, Graph: at.Graph, Piece: at.Piece}
		if err := a.flush(ctx, place); err != nil {
			return err
		}
	}
}

// first returns where the quads of a fragment begin that are not committed yet.
func (a *assembler) first(f *trig.Fragment) (at trig.Cursor, skip bool) {
	if a.start == nil {
		return at, false
	}
	node := a.start.Node - a.nodes
	if node >= f.Nodes() {
		return at, true
	}
	at = trig.Cursor{Node: node, Graph: a.start.Graph, Piece: a.start.Piece}
	a.start = nil
	return at, false
}

// finish hands the last batch over.
func (a *assembler) finish(ctx context.Context) error {
	if a.batch == nil || a.batch.Quads() == 0 {
		return nil
	}
	return a.flush(ctx, checkpoint{Phase: phaseDone})
}

func (a *assembler) flush(ctx context.Context, place checkpoint) error {
	place.Done, place.Kinds = a.done, slices.Clone(a.kinds)
	for g := range a.perGraph {
		sum(a.perGraph[g], a.batch.Tally(g))
	}
	a.files++
	j := job{number: a.files, batch: a.batch, from: a.from, at: &place}
	a.batch, a.from = nil, nil
	return a.writer.write(ctx, j)
}
