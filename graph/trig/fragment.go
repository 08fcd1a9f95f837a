package trig

import (
	"slices"
	"strconv"
)

// between separates two triples of one subject.
const between = " ;\n\t"

// Fragment holds spelled triples in the order in which they were added: a sequence of
// subjects, each with the graphs of its triples and its pieces, `predicate object`.
//
// The text has the form of the file: subject, space, pieces joined by `;`. So
// consecutive pieces of a subject are consecutive bytes, and one copy writes a subject
// into a graph.
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

// Triples returns the number of triples. A triple in several graphs counts once.
func (f *Fragment) Triples() int { return len(f.ends) }

// Tally adds the triples to their counters in counts. A triple in several graphs counts
// once.
func (f *Fragment) Tally(counts []int64) {
	for _, t := range f.tallies {
		counts[t]++
	}
}

// Size returns the length of the text in bytes.
func (f *Fragment) Size() int { return len(f.text) }

// Cap returns the capacity for text in bytes.
func (f *Fragment) Cap() int { return cap(f.text) }

// Begin starts a subject, a number in a frame. The next triples are the subject's. They
// belong to graphs, which are positions in the batch's list; the slice must not change
// until the fragment is reset.
func (f *Fragment) Begin(graphs []int, subject Frame, id int64) {
	start := len(f.text)
	f.text = append(f.text, subject.Open...)
	f.text = strconv.AppendInt(f.text, id, 10)
	f.text = append(f.text, subject.Close...)
	f.endSubject(graphs, start)
}

// BeginTerm starts a spelled subject.
func (f *Fragment) BeginTerm(graphs []int, subject string) {
	start := len(f.text)
	f.text = append(f.text, subject...)
	f.endSubject(graphs, start)
}

// endSubject adds the node of a subject that begins at start and ends the text.
func (f *Fragment) endSubject(graphs []int, start int) {
	f.nodes = append(f.nodes, node{start: start, end: len(f.text), first: len(f.ends), graphs: graphs})
}

// beginPiece appends a piece up to its object.
func (f *Fragment) beginPiece(p Predicate) {
	if f.nodes[len(f.nodes)-1].first == len(f.ends) {
		f.text = append(f.text, ' ')
	} else {
		f.text = append(f.text, between...)
	}
	f.text = append(f.text, p.Spelled...)
	f.text = append(f.text, ' ')
	f.tallies = append(f.tallies, p.Tally)
}

func (f *Fragment) endPiece() { f.ends = append(f.ends, len(f.text)) }

// Term adds a triple with a spelled object.
func (f *Fragment) Term(predicate Predicate, object string) {
	f.beginPiece(predicate)
	f.text = append(f.text, object...)
	f.endPiece()
}

// Int adds a triple whose object is a number in a frame.
func (f *Fragment) Int(predicate Predicate, object Frame, v int64) {
	f.beginPiece(predicate)
	f.text = append(f.text, object.Open...)
	f.text = strconv.AppendInt(f.text, v, 10)
	f.text = append(f.text, object.Close...)
	f.endPiece()
}

// Bytes adds a triple whose object is v in a frame. v must need no escapes.
func (f *Fragment) Bytes(predicate Predicate, object Frame, v []byte) {
	f.beginPiece(predicate)
	f.text = append(f.text, object.Open...)
	f.text = append(f.text, v...)
	f.text = append(f.text, object.Close...)
	f.endPiece()
}

// Text adds a triple whose object is a string, which it escapes as [AppendString] does.
func (f *Fragment) Text(predicate Predicate, v []byte) {
	f.beginPiece(predicate)
	f.text = AppendString(f.text, v)
	f.endPiece()
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
