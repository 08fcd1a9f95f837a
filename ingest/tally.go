package ingest

import (
	"maps"
	"slices"

	"s2g/ingest/dump"
)

// examples is how many rejects of a class and table are shown.
const examples = 10

// A reject is a bad row, as it stands in rejects.jsonl.
type reject struct {
	Table  string     `json:"table"`
	File   string     `json:"file"`
	Class  dump.Class `json:"class"`
	ID     string     `json:"id,omitempty"`
	Offset *int64     `json:"offset,omitempty"` // of the row in the decoded document
	Column string     `json:"column,omitempty"`
	Value  string     `json:"value,omitempty"` // its beginning
}

// A tally counts the bad rows of a piece of a table and keeps the first of each
// class. The zero value is empty.
type tally struct {
	read    int64 // rows, good and bad
	counts  map[dump.Class]int64
	rejects []reject // in the order of the dump
}

// full reports whether enough of a class has been kept.
func (t *tally) full(c dump.Class) bool { return t.counts[c] >= examples }

func (t *tally) add(r reject) {
	if t.counts == nil {
		t.counts = make(map[dump.Class]int64)
	}
	if !t.full(r.Class) {
		t.rejects = append(t.rejects, r)
	}
	t.counts[r.Class]++
}

// merge adds a later piece of the same table.
func (t *tally) merge(later *tally) {
	t.read += later.read
	if len(later.counts) == 0 {
		return
	}
	if t.counts == nil {
		t.counts = make(map[dump.Class]int64)
	}
	have := maps.Clone(t.counts)
	for _, r := range later.rejects {
		if have[r.Class] < examples {
			have[r.Class]++
			t.rejects = append(t.rejects, r)
		}
	}
	for c, n := range later.counts {
		t.counts[c] += n
	}
}

func (t *tally) reset() {
	t.read = 0
	clear(t.counts)
	t.rejects = t.rejects[:0]
}

// bad returns how many rows speak against the dump.
func (t *tally) bad() int64 {
	var n int64
	for c, k := range t.counts {
		if !excused(c) {
			n += k
		}
	}
	return n
}

// classes returns the classes met, by name.
func (t *tally) classes() []dump.Class { return slices.Sorted(maps.Keys(t.counts)) }
