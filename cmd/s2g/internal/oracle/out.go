package oracle

import (
	"slices"
	"sync"
)

// out takes the quads that a scan says: into tallies, or one by one into a
// listing. It is not for concurrent use; listings are.
type out struct {
	graphs   []Tallies
	distinct Tallies
	fields   [2][]FieldTallies // of questions and of answers, by graph
	to       sink              // nil: tallies
}

// sink takes quads and fields one by one, from several scans at once. A tally may
// take back what another says.
type sink interface {
	quad(in []int, term Term, subject []byte, t Tally)
	field(in []int, answer bool, f Field, subject []byte, t Tally)
}

// listing gives what a graph holds of some terms.
type listing struct {
	graph  int
	wanted [AllTerms]bool
	// or the fields of posts
	isField bool
	ofField Field
	answers bool

	mu    sync.Mutex
	yield func(subject []byte, t Tally)
}

func newOut(graphs int, to sink) *out {
	return &out{graphs: make([]Tallies, graphs), fields: [2][]FieldTallies{make([]FieldTallies, graphs), make([]FieldTallies, graphs)}, to: to}
}

// quad says that a quad of n's subject stands in some graphs.
func (o *out) quad(in []int, term Term, subject []byte, crc uint32) {
	o.add(in, term, subject, Tally{1, uint64(crc)})
}

// instead says that a quad stands where another was said to stand.
func (o *out) instead(in []int, term Term, subject []byte, crc, of uint32) {
	o.add(in, term, subject, Tally{0, uint64(crc) - uint64(of)})
}

func (o *out) add(in []int, term Term, subject []byte, t Tally) {
	if o.to != nil {
		o.to.quad(in, term, subject, t)
		return
	}
	for _, g := range in {
		o.graphs[g][term].Merge(t)
	}
	if len(in) > 0 {
		o.distinct[term].Merge(t)
	}
}

func (l *listing) quad(in []int, term Term, subject []byte, t Tally) {
	if l.wanted[term] && slices.Contains(in, l.graph) {
		l.tell(subject, t)
	}
}

func (l *listing) field(in []int, answer bool, f Field, subject []byte, t Tally) {
	if l.isField && f == l.ofField && answer == l.answers && slices.Contains(in, l.graph) {
		l.tell(subject, t)
	}
}

func (l *listing) tell(subject []byte, t Tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.yield(subject, t)
}

// field says a field of a post in the shards of some graphs.
func (o *out) field(in []int, answer bool, f Field, subject []byte, crc uint32) {
	o.addField(in, answer, f, subject, Tally{1, uint64(crc)})
}

// fieldInstead says that a field is other than was said.
func (o *out) fieldInstead(in []int, answer bool, f Field, subject []byte, crc, of uint32) {
	o.addField(in, answer, f, subject, Tally{0, uint64(crc) - uint64(of)})
}

func (o *out) addField(in []int, answer bool, f Field, subject []byte, t Tally) {
	if o.to != nil {
		o.to.field(in, answer, f, subject, t)
		return
	}
	kind := 0
	if answer {
		kind = 1
	}
	for _, g := range in {
		o.fields[kind][g][f].Merge(t)
	}
}

func (o *out) merge(p *out) {
	for kind := range o.fields {
		for g := range o.graphs {
			o.fields[kind][g].Merge(&p.fields[kind][g])
		}
	}
	for t := range AllTerms {
		o.distinct[t].Merge(p.distinct[t])
		for g := range o.graphs {
			o.graphs[g][t].Merge(p.graphs[g][t])
		}
	}
}
