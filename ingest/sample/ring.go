package sample

// ringSize is how many slots ahead something can be due, and a power of two.
const ringSize = 2048

// A ring hands out things at the slot at which they are due.
type ring[T any] struct{ due [ringSize][]T }

// add puts x in for a slot, less than ringSize after the one taken last.
func (r *ring[T]) add(slot int64, x T) {
	at := &r.due[slot%ringSize]
	*at = append(*at, x)
}

// take returns what is due at a slot, in the order in which it was added; the
// slice is valid until add puts something in a whole ring later.
func (r *ring[T]) take(slot int64) []T {
	at := &r.due[slot%ringSize]
	x := *at
	*at = x[:0]
	return x
}
