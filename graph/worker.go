package graph

import (
	"bytes"
	"context"

	"s2g/graph/trig"
	"s2g/schema/vocab"
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

func (w *worker) text(f *trig.Fragment, p property, v []byte) {
	if v != nil {
		p.text(f, v)
	}
}

func (w *worker) number(f *trig.Fragment, p property, v []byte) {
	if v != nil {
		p.bytes(f, w.terms.integer, v)
	}
}

// date renders a DATETIME(3), 2008-07-31 21:42:52.667, which is in UTC.
func (w *worker) date(f *trig.Fragment, p property, v []byte) {
	if v == nil {
		return
	}
	w.scratch = append(append(w.scratch[:0], v...), 'Z')
	if i := bytes.IndexByte(w.scratch, ' '); i >= 0 {
		w.scratch[i] = 'T'
	}
	p.bytes(f, w.terms.dateTime, w.scratch)
}

func (w *worker) author(f *trig.Fragment, user []byte) {
	switch {
	case len(user) == 0:
	case user[0] == '-':
		w.terms.author.bytes(f, w.terms.systemUser, user)
	default:
		w.terms.author.bytes(f, w.terms.user, user)
	}
}

// keepLicenses bounds the licences whose spelling is remembered.
const keepLicenses = 64

// license spells the licence of a post or comment. What a ContentLicense that
// names a version leads to is remembered, and how each licence is spelled.
func (w *worker) license(content, created, edited []byte, bySite bool) string {
	if term, ok := w.licenses[string(content)]; ok {
		return term
	}
	iri := vocab.LicenseIRI(content, created, edited, bySite)
	term, ok := w.licenses[iri]
	if !ok {
		term = w.terms.syntax.IRI(iri)
		w.licenses[iri] = term
	}
	// It names a version if no date makes a difference.
	early, late := vocab.LicenseIRI(content, nil, nil, false), vocab.LicenseIRI(content, []byte("9"), nil, false)
	if early == late && len(w.licenses) < keepLicenses {
		w.licenses[string(content)] = term
	}
	return term
}
