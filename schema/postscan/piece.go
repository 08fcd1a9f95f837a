package postscan

import "s2g/schema/tables"

// pieceBytes is the size of a piece's values. A piece exceeds it if its only row does.
const pieceBytes = 512 << 10

// null is the length of a NULL.
const null = -1

// piece is some rows of a block. It owns their bytes, and has no pointers per row.
type piece struct {
	ids     []int64
	lengths []int32 // of each row's values, null for NULL
	values  []byte
}

func newPiece() *piece { return &piece{values: make([]byte, 0, pieceBytes)} }

// fits reports whether the piece has room for a row.
func (p *piece) fits(row [][]byte) bool {
	size := 0
	for _, v := range row {
		size += len(v)
	}
	return len(p.ids) == 0 || len(p.values)+size <= pieceBytes
}

func (p *piece) add(row [][]byte) {
	p.ids = append(p.ids, tables.Int(row[ID]))
	for _, v := range row {
		if v == nil {
			p.lengths = append(p.lengths, null)
			continue
		}
		p.lengths = append(p.lengths, int32(len(v)))
		p.values = append(p.values, v...)
	}
}

// reset empties the piece. It reports whether the piece has the size of a new one.
func (p *piece) reset() bool {
	p.ids, p.lengths, p.values = p.ids[:0], p.lengths[:0], p.values[:0]
	return cap(p.values) == pieceBytes
}

func (p *piece) last() int64 { return p.ids[len(p.ids)-1] }

func (p *piece) bytes() int64 {
	return int64(cap(p.values) + 8*cap(p.ids) + 4*cap(p.lengths))
}

// each calls use for each row with an id from lo to hi. A row is valid until use returns.
func (p *piece) each(lo, hi int64, use func(row [][]byte) error) error {
	var row [columns][]byte
	at := 0
	for i, id := range p.ids {
		for c, n := range p.lengths[i*columns : (i+1)*columns] {
			if n == null {
				row[c] = nil
				continue
			}
			row[c] = p.values[at : at+int(n) : at+int(n)]
			at += int(n)
		}
		if id < lo || id > hi {
			continue
		}
		if err := use(row[:]); err != nil {
			return err
		}
	}
	return nil
}
