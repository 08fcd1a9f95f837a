package expect

import "sync"

// out takes the quads that a scan says: into tallies, or one by one into a
// listing. It is not for concurrent use; listings are.
type out struct {
	graphs   []Tallies
	distinct Tallies
	listing  *listing // nil: tallies
}

// listing gives what a graph holds of some terms.
type listing struct {
	graph  int
	wanted [AllTerms]bool
	mu     sync.Mutex
	yield  func(subject []byte, t Tally)
}

func newOut(graphs int, l *listing) *out { return &out{graphs: make([]Tallies, graphs), listing: l} }

// quad says that a quad of n's subject stands in some graphs.
func (o *out) quad(in []int, term Term, subject []byte, crc uint32) {
	o.add(in, term, subject, Tally{1, uint64(crc)})
}

// instead says that a quad stands where another was said to stand.
func (o *out) instead(in []int, term Term, subject []byte, crc, of uint32) {
	o.add(in, term, subject, Tally{0, uint64(crc) - uint64(of)})
}

func (o *out) add(in []int, term Term, subject []byte, t Tally) {
	if o.listing != nil {
		o.listing.add(in, term, subject, t)
		return
	}
	for _, g := range in {
		o.graphs[g][term].Merge(t)
	}
	if len(in) > 0 {
		o.distinct[term].Merge(t)
	}
}

func (l *listing) add(in []int, term Term, subject []byte, t Tally) {
	if !l.wanted[term] {
		return
	}
	for _, g := range in {
		if g == l.graph {
			l.mu.Lock()
			l.yield(subject, t)
			l.mu.Unlock()
		}
	}
}

func (o *out) merge(p *out) {
	for t := range AllTerms {
		o.distinct[t].Merge(p.distinct[t])
		for g := range o.graphs {
			o.graphs[g][t].Merge(p.graphs[g][t])
		}
	}
}
