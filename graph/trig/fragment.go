package trig

import (
	"slices"
	"strconv"
)

// between separates two triples of one subject.
const between = " ;\n\t"

// Fragment holds spelled triples in the order in which they were added: subjects, each
// with the graphs of its triples and its pieces `predicate object`. A reset fragment
// reuses its memory.
//
// The text is that of the file: subject, space, pieces joined by `;`. So any
// consecutive pieces of a subject are consecutive bytes, and a subject goes into a
// graph by one copy.
type Fragment struct {
	text    []byte
	ends    []int   // where each piece ends in text
	tallies []uint8 // the counter of each piece
	nodes   []node
}

// node is a subject; its pieces are ends[first:] up to the next node's.
type node struct {
	start, end int   // the subject in text; the first piece begins at end+1
	first      int   // index into ends
	graphs     []int // positions in the batch's list of graphs
}

// Reset empties the fragment and keeps its memory.
func (f *Fragment) Reset() {
	f.text, f.ends, f.tallies, f.nodes = f.text[:0], f.ends[:0], f.tallies[:0], f.nodes[:0]
}

// Grow allocates room for n more bytes of text.
func (f *Fragment) Grow(n int) { f.text = slices.Grow(f.text, n) }

// Nodes returns the number of subjects.
func (f *Fragment) Nodes() int { return len(f.nodes) }

// Triples returns the number of triples. It counts each once, in however many graphs
// it is.
func (f *Fragment) Triples() int { return len(f.ends) }

// Tally adds the triples to their counters in counts. It counts each once, in however
// many graphs it is.
func (f *Fragment) Tally(counts []int64) {
	for _, t := range f.tallies {
		counts[t]++
	}
}

// Size returns the length of the text in bytes.
func (f *Fragment) Size() int { return len(f.text) }

// Cap returns the length of text, in bytes, up to which the fragment does not grow.
func (f *Fragment) Cap() int { return cap(f.text) }

// Begin starts a subject, a number in a frame. The next triples are the subject's, and
// belong to graphs: positions in the batch's list, which must not change until the
// fragment is reset.
func (f *Fragment) Begin(graphs []int, subject Frame, id int64) {
	start := len(f.text)
	f.text = append(f.text, subject.Open...)
	f.text = strconv.AppendInt(f.text, id, 10)
	f.text = append(f.text, subject.Close...)
	f.begun(graphs, start)
}

// BeginTerm starts a spelled subject.
func (f *Fragment) BeginTerm(graphs []int, subject string) {
	start := len(f.text)
	f.text = append(f.text, subject...)
	f.begun(graphs, start)
}

func (f *Fragment) begun(graphs []int, start int) {
	f.nodes = append(f.nodes, node{start: start, end: len(f.text), first: len(f.ends), graphs: graphs})
}

// predicate starts a piece.
func (f *Fragment) predicate(p Predicate) {
	if f.nodes[len(f.nodes)-1].first == len(f.ends) {
		f.text = append(f.text, ' ')
	} else {
		f.text = append(f.text, between...)
	}
	f.text = append(f.text, p.Spelled...)
	f.text = append(f.text, ' ')
	f.tallies = append(f.tallies, p.Tally)
}

func (f *Fragment) done() { f.ends = append(f.ends, len(f.text)) }

// Term adds a triple with a spelled object.
func (f *Fragment) Term(predicate Predicate, object string) {
	f.predicate(predicate)
	f.text = append(f.text, object...)
	f.done()
}

// Int adds a triple whose object is a number in a frame.
func (f *Fragment) Int(predicate Predicate, object Frame, v int64) {
	f.predicate(predicate)
	f.text = append(f.text, object.Open...)
	f.text = strconv.AppendInt(f.text, v, 10)
	f.text = append(f.text, object.Close...)
	f.done()
}

// Bytes adds a triple whose object is v in a frame. v must need no escapes there.
func (f *Fragment) Bytes(predicate Predicate, object Frame, v []byte) {
	f.predicate(predicate)
	f.text = append(f.text, object.Open...)
	f.text = append(f.text, v...)
	f.text = append(f.text, object.Close...)
	f.done()
}

// Text adds a triple whose object is a string, which it escapes as [AppendString] does.
func (f *Fragment) Text(predicate Predicate, v []byte) {
	f.predicate(predicate)
	f.text = AppendString(f.text, v)
	f.done()
}

// Append adds all triples of g.
func (f *Fragment) Append(g *Fragment) {
	text, pieces := len(f.text), len(f.ends)
	f.text = append(f.text, g.text...)
	f.tallies = append(f.tallies, g.tallies...)
	for _, e := range g.ends {
		f.ends = append(f.ends, text+e)
	}
	for _, n := range g.nodes {
		n.start, n.end, n.first = n.start+text, n.end+text, n.first+pieces
		f.nodes = append(f.nodes, n)
	}
}

// pieces returns the number of triples of node i.
func (f *Fragment) pieces(i int) int {
	if i+1 < len(f.nodes) {
		return f.nodes[i+1].first - f.nodes[i].first
	}
	return len(f.ends) - f.nodes[i].first
}

// piece returns the position of piece k of a node in text.
func (f *Fragment) piece(n node, k int) (start, end int) {
	if k == 0 {
		return n.end + 1, f.ends[n.first]
	}
	return f.ends[n.first+k-1] + len(between), f.ends[n.first+k]
}
