package sample

import "fmt"

// window is how many blocks are shuffled together.
const window = 8

// shuffled calls row for each post once, out of order: it takes blocks that lie
// an eighth of the site apart, and goes through their slots in a random order.
// So neighbouring rows are mostly far from each other, and memory is a window.
func (d *dump) shuffled(row func(b *block, i int) error) error {
	blocks := d.site.blockCount()
	apart := (blocks + window - 1) / window
	room := make([]block, window)
	var order []int
	var done int64
	for start := range apart {
		if err := d.ctx.Err(); err != nil {
			return fmt.Errorf("writing Posts.xml: %w", err)
		}
		order = order[:0]
		for k := range window {
			n := start + int64(k)*apart
			if n >= blocks {
				break
			}
			room[k].fill(d.o.Seed, n, len(d.site.corpus.tags))
			for i := range d.site.slots(&room[k]) {
				order = append(order, k*blockSize+i)
			}
		}
		r := newRNG(d.o.Seed, streamShuffle, start)
		for i := len(order) - 1; i > 0; i-- {
			j := r.below(i + 1)
			order[i], order[j] = order[j], order[i]
		}
		for _, x := range order {
			if err := row(&room[x/blockSize], x%blockSize); err != nil {
				return err
			}
		}
		done += int64(len(order))
		d.report("Posts", done)
	}
	return nil
}
