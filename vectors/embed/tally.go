package embed

import "slices"

// tally counts the distinct stems of one text. The zero value works, and is made to be reused.
type tally struct {
	words []*word
	slots []count // open addressing by id; a count of zero is an empty slot
	used  []int32 // slots taken
	keys  []uint64
	list  []count
}

// count is a stem and how often it stands in a text.
type count struct {
	w *word
	n int32
}

// of returns the stems of text by ascending id, equal ids by ascending stem, and how many words there are in
// all. The list is valid until the next call.
func (t *tally) of(l *lexicon, text string) (list []count, words int) {
	t.words = l.append(t.words[:0], text)
	t.grow(len(t.words))
	for _, w := range t.words {
		t.add(w)
	}
	t.keys = t.keys[:0]
	for _, i := range t.used {
		t.keys = append(t.keys, uint64(t.slots[i].w.id)<<32|uint64(i))
	}
	t.used = t.used[:0]
	slices.Sort(t.keys) // of numbers: twice as fast as of counts with a function
	t.list = t.list[:0]
	for _, key := range t.keys {
		slot := &t.slots[uint32(key)]
		t.list = append(t.list, *slot)
		*slot = count{}
		for k := len(t.list) - 1; k > 0 && t.list[k-1].w.id == t.list[k].w.id && t.list[k-1].w.stem > t.list[k].w.stem; k-- {
			t.list[k-1], t.list[k] = t.list[k], t.list[k-1]
		}
	}
	return t.list, len(t.words)
}

// grow makes room for n distinct stems at a load of one half at most.
func (t *tally) grow(n int) {
	size := max(256, len(t.slots))
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots = make([]count, size)
	}
}

func (t *tally) add(w *word) {
	mask := len(t.slots) - 1
	for i := int(w.id) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.n == 0 {
			*s = count{w, 1}
			t.used = append(t.used, int32(i))
			return
		}
		if s.w == w || s.w.id == w.id && s.w.stem == w.stem {
			s.n++
			return
		}
	}
}

// keepable says whether a tally is small enough to be kept for the next text.
func (t *tally) keepable() bool { return len(t.slots) <= 1<<16 }
