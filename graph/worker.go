package graph

import (
	"context"

	"s2g/graph/trig"
)

// worker renders units. What it holds is reused from unit to unit.
type worker struct {
	*build
	unitOf   *unit
	out      *trig.Fragment // being filled
	under    trig.Fragment  // the comments of the post that is being rendered
	pending  []edge         // links of that post that stand in more graphs than it does
	linked   []int64        // the posts that it has LinkedTo edges to, ascending
	scratch  []byte
	tagged   tagGraphs         // in which graphs the tags are that were seen so far
	licenses map[string]string // by ContentLicense and by IRI, spelled
}

func newWorker(b *build) *worker {
	return &worker{build: b, tagged: tagGraphs{}, licenses: map[string]string{}}
}

// unit renders one unit.
func (w *worker) unit(ctx context.Context, s stage, u *unit) (err error) {
	u.kinds = make([]int64, len(w.terms.kinds.all))
	w.unitOf = u
	if w.out, err = w.shelf.take(ctx, u); err != nil {
		return err
	}
	if err := s.render(w, ctx, u); err != nil {
		return err
	}
	if err := w.pass(ctx); err != nil {
		return err
	}
	close(u.out)
	return nil
}

// spill passes the fragment on if it is large enough. It is called between nodes.
func (w *worker) spill(ctx context.Context) (err error) {
	if w.out.Size() < w.fragment {
		return nil
	}
	if err := w.pass(ctx); err != nil {
		return err
	}
	w.out, err = w.shelf.take(ctx, w.unitOf)
	return err
}

func (w *worker) pass(ctx context.Context) error {
	w.unitOf.counts[triplesDistinct] += int64(w.out.Triples())
	w.out.Tally(w.unitOf.kinds)
	w.shelf.filled(w.out)
	select {
	case w.unitOf.out <- w.out:
		w.out = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *worker) count(c counter, n int64) { w.unitOf.counts[c] += n }
