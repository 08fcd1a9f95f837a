package trig

import "io"

// Cursor is a place in a fragment: the next quad to take is that of piece
// Piece of node Node in the graph at position Graph of the node's graphs.
type Cursor struct{ Node, Graph, Piece int }

// Batch collects a fixed number of quads and writes them as one file, grouped
// by graph. It is made to be reset and used again.
type Batch struct {
	syntax *Syntax
	graphs []string // spelled
	size   int
	quads  int
	blocks []block
}

// block is what one graph holds.
type block struct {
	text  []byte
	quads int
	tally []int64 // by what they are counted under; as long as was needed
}

// NewBatch returns a batch of at most size quads. The graphs are IRIs; a file
// holds them in this order, and fragments name them by their position in it.
func NewBatch(s *Syntax, graphs []string, size int) *Batch {
	b := &Batch{syntax: s, size: size, blocks: make([]block, len(graphs))}
	for _, g := range graphs {
		b.graphs = append(b.graphs, string(AppendIRI(nil, g)))
	}
	return b
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.quads = 0
	for i := range b.blocks {
		b.blocks[i] = block{text: b.blocks[i].text[:0], tally: b.blocks[i].tally[:0]}
	}
}

// Quads returns how many quads the batch holds.
func (b *Batch) Quads() int { return b.quads }

// Full reports whether no more quads fit.
func (b *Batch) Full() bool { return b.quads == b.size }

// Count returns how many of the quads are in the graph at a position.
func (b *Batch) Count(graph int) int { return b.blocks[graph].quads }

// Tally returns how many of the quads in the graph at a position are counted
// under each number, up to the last number that occurs. It is valid until the
// next Put or Reset.
func (b *Batch) Tally(graph int) []int64 { return b.blocks[graph].tally }

// Cap returns the bytes of memory that the batch keeps.
func (b *Batch) Cap() (n int) {
	for i := range b.blocks {
		n += cap(b.blocks[i].text)
	}
	return n
}

// Put takes the quads of f from a place on until the fragment ends or the
// batch is full, and returns the place after the last one that it took. The
// order of quads is: nodes, for each its graphs, for each its pieces. A
// subject that does not fit is cut, and begun again by the Put that goes on.
func (b *Batch) Put(f *Fragment, at Cursor) Cursor {
	for ; at.Node < len(f.nodes); at = (Cursor{Node: at.Node + 1}) {
		n, pieces := f.nodes[at.Node], f.pieces(at.Node)
		for ; at.Graph < len(n.graphs); at.Graph, at.Piece = at.Graph+1, 0 {
			take := min(pieces-at.Piece, b.size-b.quads)
			if take > 0 {
				b.put(n.graphs[at.Graph], f, n, at.Piece, at.Piece+take)
				at.Piece += take
			}
			if at.Piece < pieces {
				return at
			}
		}
	}
	return at
}

// put copies the pieces from to end (not included) of a node into a graph.
func (b *Batch) put(graph int, f *Fragment, n node, from, end int) {
	bl := &b.blocks[graph]
	bl.quads += end - from
	b.quads += end - from
	bl.count(f.tallies[n.first+from : n.first+end])
	if b.syntax.format == NQuads {
		bl.text = b.appendLines(bl.text, b.graphs[graph], f, n, from, end)
		return
	}
	start, _ := f.piece(n, from)
	_, stop := f.piece(n, end-1)
	if from == 0 {
		start = n.start // the subject stands right before its first piece
	} else {
		bl.text = append(bl.text, f.text[n.start:n.end]...)
		bl.text = append(bl.text, ' ')
	}
	bl.text = append(bl.text, f.text[start:stop]...)
	bl.text = append(bl.text, " .\n"...)
}

func (bl *block) count(tallies []uint8) {
	for _, t := range tallies {
		for int(t) >= len(bl.tally) {
			bl.tally = append(bl.tally, 0)
		}
		bl.tally[t]++
	}
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

// WriteTo writes the file: in TriG the prefixes, then a block for each graph
// that has quads; in N-Quads their lines.
func (b *Batch) WriteTo(w io.Writer) (int64, error) {
	c := counter{w: w}
	c.write(b.syntax.appendHeader(nil))
	for i := range b.blocks {
		if b.blocks[i].quads == 0 {
			continue
		}
		if b.syntax.format == TriG {
			c.write([]byte(b.graphs[i] + " {\n"))
		}
		c.write(b.blocks[i].text)
		if b.syntax.format == TriG {
			c.write([]byte("}\n"))
		}
	}
	return c.n, c.err
}

// counter counts what it writes and stops at the first error.
type counter struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counter) write(p []byte) {
	if c.err != nil || len(p) == 0 {
		return
	}
	n, err := c.w.Write(p)
	c.n, c.err = c.n+int64(n), err
}
