package graph

import (
	"bytes"
	"context"

	"s2g/graph/trig"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

// worker renders units, one after the other, and reuses its memory.
type worker struct {
	*source
	terms        *terms
	pool         *fragmentPool
	fragmentSize int // bytes of text after which a fragment is passed on

	unit     *unit
	out      *trig.Fragment // being filled
	comments trig.Fragment  // of the post that is being rendered
	wider    []edge         // links of that post in more graphs than its own
	linked   []int64        // targets of its LinkedTo edges, ascending
	scratch  []byte
	tagged   tagGraphs         // the graphs of the tags of all rendered questions
	figures  *figureCounts     // of the unit
	licenses map[string]string // cached spellings, by ContentLicense and by IRI
}

// edge is a link of the post that is being rendered.
type edge struct {
	property property
	target   trig.Frame
	id       int64 // of the target
	graphs   threads.GraphSet
}

func newWorker(src *source, t *terms, pool *fragmentPool, fragmentSize int) *worker {
	return &worker{source: src, terms: t, pool: pool, fragmentSize: fragmentSize, tagged: tagGraphs{}, licenses: map[string]string{}}
}

// renderUnit renders a unit by a step's render function, and closes the unit's channel
// of fragments.
func (w *worker) renderUnit(ctx context.Context, render func(*worker, context.Context, *unit) error, u *unit) (err error) {
	u.kinds = make([]int64, len(w.terms.kinds.all))
	w.unit, w.figures = u, w.source.figures.counts()
	if w.out, err = w.pool.take(ctx, u); err != nil {
		return err
	}
	if err := render(w, ctx, u); err != nil {
		return err
	}
	if err := w.pass(ctx); err != nil {
		return err
	}
	w.source.figures.merge(w.figures)
	close(u.out)
	return nil
}

// spill passes a full fragment on and takes another. Renderers call it between posts,
// tags and wikis, so a fragment exceeds its size by at most one of them.
func (w *worker) spill(ctx context.Context) (err error) {
	if w.out.Size() < w.fragmentSize {
		return nil
	}
	if err := w.pass(ctx); err != nil {
		return err
	}
	w.out, err = w.pool.take(ctx, w.unit)
	return err
}

// pass counts the fragment and sends it to the assembler.
func (w *worker) pass(ctx context.Context) error {
	w.unit.counts[triplesDistinct] += int64(w.out.Triples())
	w.out.Tally(w.unit.kinds)
	w.pool.recount(w.out)
	select {
	case w.unit.out <- w.out:
		w.out = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *worker) count(c counter, n int64) { w.unit.counts[c] += n }

// The methods below write a property with a column's value, and nothing for NULL.

func (w *worker) writeText(f *trig.Fragment, p property, v []byte) {
	if v != nil {
		p.text(f, v)
	}
}

func (w *worker) writeNumber(f *trig.Fragment, p property, v []byte) {
	if v != nil {
		p.bytes(f, w.terms.integer, v)
	}
}

// writeDate writes a DATETIME(3), 2008-07-31 21:42:52.667, which is in UTC.
func (w *worker) writeDate(f *trig.Fragment, p property, v []byte) {
	if v == nil {
		return
	}
	w.scratch = append(append(w.scratch[:0], v...), 'Z')
	if i := bytes.IndexByte(w.scratch, ' '); i >= 0 {
		w.scratch[i] = 'T'
	}
	p.bytes(f, w.terms.dateTime, w.scratch)
}

func (w *worker) writeAuthor(f *trig.Fragment, user []byte) {
	switch {
	case len(user) == 0:
	case user[0] == '-':
		w.terms.author.bytes(f, w.terms.systemUser, user)
	default:
		w.terms.author.bytes(f, w.terms.user, user)
	}
}

// maxLicenses limits the entries of worker.licenses.
const maxLicenses = 64

// writeLicense writes the licence of a post or comment. It caches the spelling of each
// licence IRI, and of each ContentLicense that determines the licence without dates.
func (w *worker) writeLicense(f *trig.Fragment, content, created, edited, editor []byte) {
	if term, ok := w.licenses[string(content)]; ok {
		w.terms.license.term(f, term)
		return
	}
	iri := vocab.LicenseIRI(content, created, edited, editor)
	term, ok := w.licenses[iri]
	if !ok {
		term = w.terms.syntax.IRI(iri)
		w.licenses[iri] = term
	}
	// Dates do not matter where the earliest and the latest give the same licence.
	early, late := vocab.LicenseIRI(content, nil, nil, nil), vocab.LicenseIRI(content, []byte("9"), nil, nil)
	if early == late && len(w.licenses) < maxLicenses {
		w.licenses[string(content)] = term
	}
	w.terms.license.term(f, term)
}
