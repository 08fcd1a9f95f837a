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
func (w *worker) unit(ctx context.Context, s stage, u *unit) error {
	w.unitOf, w.out = u, w.fragment()
	u.kinds = make([]int64, len(w.terms.kinds.all))
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
func (w *worker) spill(ctx context.Context) error {
	if w.out.Size() < fragmentSize {
		return nil
	}
	err := w.pass(ctx)
	w.out = w.fragment()
	return err
}

func (w *worker) pass(ctx context.Context) error {
	w.unitOf.counts[triplesDistinct] += int64(w.out.Triples())
	w.out.Tally(w.unitOf.kinds)
	select {
	case w.unitOf.out <- w.out:
		w.out = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *worker) count(c counter, n int64) { w.unitOf.counts[c] += n }

// fragment returns an empty fragment, a used one where there is one.
func (b *build) fragment() *trig.Fragment {
	if f, ok := b.fragments.Get().(*trig.Fragment); ok {
		return f
	}
	return new(trig.Fragment)
}

func (b *build) recycle(f *trig.Fragment) {
	if f.Cap() <= keepFragment {
		f.Reset()
		b.fragments.Put(f)
	}
}
