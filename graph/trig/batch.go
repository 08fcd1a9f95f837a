package trig

import "io"

// Cursor is a position in a fragment. The next quad is that of piece Piece of node Node
// in the graph at position Graph of the node's graphs.
type Cursor struct{ Node, Graph, Piece int }

// Batch collects up to a fixed number of quads and writes them as one file, grouped by
// graph. It refers to their fragments and copies nothing, so the fragments must not
// change until the batch is reset. A reset batch reuses its memory.
type Batch struct {
	syntax *Syntax
	graphs []string // spelled
	size   int
	quads  int
	blocks []block
	text   []byte // the end of the file that is not yet written
}

// block holds the quads of one graph.
type block struct {
	runs  []run
	quads int
	tally []int64 // counters, up to the last one that occurs
}

// run refers to the pieces from (inclusive) to end (exclusive) of a node.
type run struct {
	fragment        *Fragment
	node, from, end int32
}

// NewBatch returns a batch of at most size quads. The graphs are IRIs, in the order of
// the file; fragments name them by their positions.
func NewBatch(s *Syntax, graphs []string, size int) *Batch {
	b := &Batch{syntax: s, size: size, blocks: make([]block, len(graphs))}
	for _, g := range graphs {
		b.graphs = append(b.graphs, string(AppendIRI(nil, g)))
	}
	return b
}

// Reset empties the batch. Afterwards it refers to no fragment.
func (b *Batch) Reset() {
	b.quads = 0
	for i := range b.blocks {
		bl := &b.blocks[i]
		clear(bl.runs)
		*bl = block{runs: bl.runs[:0], tally: bl.tally[:0]}
	}
}

// Quads returns the number of quads.
func (b *Batch) Quads() int { return b.quads }

// Full reports whether no more quads fit.
func (b *Batch) Full() bool { return b.quads == b.size }

// Tally returns the counters of the quads in the graph at a position, up to the last
// counter that occurs. It is valid until the next Put or Reset.
func (b *Batch) Tally(graph int) []int64 { return b.blocks[graph].tally }

// Put takes the quads of f from a position on until the fragment ends or the batch is
// full, and returns the position after the last quad that it took. Quads are ordered by
// node, then by graph, then by piece. A cut inside a node repeats the subject in the
// next file.
func (b *Batch) Put(f *Fragment, at Cursor) Cursor {
	for ; at.Node < len(f.nodes); at = (Cursor{Node: at.Node + 1}) {
		n, pieces := f.nodes[at.Node], f.pieces(at.Node)
		for ; at.Graph < len(n.graphs); at.Graph, at.Piece = at.Graph+1, 0 {
			take := min(pieces-at.Piece, b.size-b.quads)
			if take > 0 {
				b.put(n.graphs[at.Graph], f, at.Node, at.Piece, at.Piece+take)
				at.Piece += take
			}
			if at.Piece < pieces {
				return at
			}
		}
	}
	return at
}

// put takes pieces from (inclusive) to end (exclusive) of a node into a graph.
func (b *Batch) put(graph int, f *Fragment, node, from, end int) {
	bl := &b.blocks[graph]
	bl.quads += end - from
	b.quads += end - from
	first := f.nodes[node].first
	bl.count(f.tallies[first+from : first+end])
	bl.runs = append(bl.runs, run{f, int32(node), int32(from), int32(end)})
}

func (bl *block) count(tallies []uint8) {
	for _, t := range tallies {
		for int(t) >= len(bl.tally) {
			bl.tally = append(bl.tally, 0)
		}
		bl.tally[t]++
	}
}

// writeSize is the number of bytes that WriteTo collects for a Write.
const writeSize = 128 << 10

// WriteTo writes the file: in TriG the prefixes, then a block for each graph that has
// quads; in N-Quads their lines. Each Write but the last has about 128 KiB, more where
// a subject is longer.
func (b *Batch) WriteTo(w io.Writer) (written int64, err error) {
	flush := func() {
		if err == nil {
			var n int
			n, err = w.Write(b.text)
			written += int64(n)
		}
		b.text = b.text[:0]
	}
	b.text = b.syntax.appendHeader(b.text[:0])
	for i := range b.blocks {
		if b.blocks[i].quads == 0 {
			continue
		}
		if b.syntax.format == TriG {
			b.text = append(append(b.text, b.graphs[i]...), " {\n"...)
		}
		for _, r := range b.blocks[i].runs {
			b.text = b.appendRun(b.text, i, r)
			if len(b.text) >= writeSize {
				flush()
			}
		}
		if b.syntax.format == TriG {
			b.text = append(b.text, "}\n"...)
		}
	}
	flush()
	if cap(b.text) > 4*writeSize { // grown by a huge subject
		b.text = nil
	}
	return written, err
}

// appendRun appends a run to the text of a graph's block.
func (b *Batch) appendRun(dst []byte, graph int, r run) []byte {
	n := r.fragment.nodes[r.node]
	if b.syntax.format == NQuads {
		return b.appendLines(dst, b.graphs[graph], r.fragment, n, int(r.from), int(r.end))
	}
	start, _ := r.fragment.piece(n, int(r.from))
	_, stop := r.fragment.piece(n, int(r.end)-1)
	if r.from == 0 {
		start = n.start // the subject precedes its first piece
	} else { // repeat a subject that was cut
		dst = append(append(dst, r.fragment.text[n.start:n.end]...), ' ')
	}
	return append(append(dst, r.fragment.text[start:stop]...), " .\n"...)
}

func (b *Batch) appendLines(dst []byte, graph string, f *Fragment, n node, from, end int) []byte {
	for k := from; k < end; k++ {
		start, stop := f.piece(n, k)
		dst = append(dst, f.text[n.start:n.end]...)
		dst = append(dst, ' ')
		dst = append(dst, f.text[start:stop]...)
		dst = append(dst, ' ')
		dst = append(dst, graph...)
		dst = append(dst, " .\n"...)
	}
	return dst
}
