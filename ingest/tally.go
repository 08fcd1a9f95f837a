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
	Kept   bool       `json:"kept,omitempty"`  // the row is in the table, without the value or with it repaired
}

// A tally counts the bad rows of a piece of a table and keeps the first of each
// class. The zero value is empty. Its fields are those of a note; see loaded.
type tally struct {
	Read    int64                `json:"read"` // rows, good and bad
	Bad     int64                `json:"bad"`  // rows that speak against the dump
	Counts  map[dump.Class]int64 `json:"counts,omitempty"`
	Rejects []reject             `json:"rejects,omitempty"` // in the order of the dump
}

// full reports whether enough of a class has been kept.
func (t *tally) full(c dump.Class) bool { return t.Counts[c] >= examples }

func (t *tally) add(r reject) {
	if t.Counts == nil {
		t.Counts = make(map[dump.Class]int64)
	}
	if !t.full(r.Class) {
		t.Rejects = append(t.Rejects, r)
	}
	t.Counts[r.Class]++
}

// merge adds a later piece of the same table.
func (t *tally) merge(later *tally) {
	t.Read += later.Read
	t.Bad += later.Bad
	if len(later.Counts) == 0 {
		return
	}
	if t.Counts == nil {
		t.Counts = make(map[dump.Class]int64)
	}
	have := maps.Clone(t.Counts)
	for _, r := range later.Rejects {
		if have[r.Class] < examples {
			have[r.Class]++
			t.Rejects = append(t.Rejects, r)
		}
	}
	for c, n := range later.Counts {
		t.Counts[c] += n
	}
}

func (t *tally) reset() {
	t.Read, t.Bad = 0, 0
	clear(t.Counts)
	t.Rejects = t.Rejects[:0]
}

// classes returns the classes met, by name.
func (t *tally) classes() []dump.Class { return slices.Sorted(maps.Keys(t.Counts)) }
