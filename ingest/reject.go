package ingest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"s2g/ingest/dump"
	"s2g/schema"
)

// The classes of bad rows, beside those of package dump. What becomes of a row:
//
//	malformed, long_row, no_id, duplicate_id, fabricated_post   left out
//	missing_attribute                                           left out
//	bad_number, bad_date, bad_bool, out_of_range                left out where the column is required, as the
//	                                                            PostId of a comment; else kept, the value NULL
//	unknown_type, illegal_reference, invalid_utf8               kept, the characters of the latter two repaired
//
// A post is worth more than the date of its last edit: what is optional in a
// table does not cost the row.
const (
	NoID             dump.Class = "no_id"
	MissingAttribute dump.Class = "missing_attribute" // one that every row must have
	BadNumber        dump.Class = "bad_number"
	BadDate          dump.Class = "bad_date"
	BadBool          dump.Class = "bad_bool"
	OutOfRange       dump.Class = "out_of_range"    // a number or text that its column cannot hold
	DuplicateID      dump.Class = "duplicate_id"    // the first row of an Id is kept
	UnknownType      dump.Class = "unknown_type"    // a post, vote or link of a type that no dump was seen to hold
	FabricatedPost   dump.Class = "fabricated_post" // one of schema.FabricatedPosts
)

// harmless reports whether a value of the class is loaded as it is, or repaired.
func harmless(c dump.Class) bool {
	return c == UnknownType || c == dump.IllegalReference || c == dump.InvalidUTF8
}

// excused reports whether rows of the class do not speak against the dump:
// those that lose nothing, and those that its publisher is known to have put in.
func excused(c dump.Class) bool { return harmless(c) || c == FabricatedPost }

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

// RejectsFile is the name in OUT of the first bad rows of each class.
const RejectsFile = "rejects.jsonl"

// judge decides whether a table has too many bad rows.
func (o Options) judge(file string, t *tally) error {
	bad := t.Bad
	all := int64(0)
	for _, n := range t.Counts {
		all += n
	}
	limit := max(0, o.MaxRejects) * float64(t.Read)
	switch {
	case o.Strict && all > 0:
		return schema.Faultf(schema.FaultInput, "repair them, or build without --strict", "%s: %s", file, t)
	case float64(bad) > limit:
		return schema.Faultf(schema.FaultInput, "look at the rows; if the rest is worth having, raise --max-rejects",
			"%s: %d of %d rows are bad, more than %.4g: %s", file, bad, t.Read, limit, t)
	}
	return nil
}

// String lists the classes with their counts, and the first row of each.
func (t *tally) String() string {
	var parts []string
	for _, c := range t.classes() {
		part := fmt.Sprintf("%d %s", t.Counts[c], c)
		for _, r := range t.Rejects {
			if r.Class == c {
				part += " (first: " + r.where() + ")"
				break
			}
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// where says which row a reject is, and what is bad in it.
func (r reject) where() string {
	var parts []string
	if r.ID != "" {
		parts = append(parts, "Id "+r.ID)
	}
	if r.Offset != nil {
		parts = append(parts, fmt.Sprintf("at byte %d", *r.Offset))
	}
	if r.Column != "" {
		parts = append(parts, fmt.Sprintf("%s=%q", r.Column, r.Value))
	}
	return strings.Join(parts, ", ")
}

// writeRejects commits the first bad rows of each table and class, unless the
// interrupted run has.
func (in *ingest) writeRejects() error {
	for _, f := range in.run.Committed() {
		if f.Name == RejectsFile {
			return nil // the same dump has the same bad rows
		}
	}
	out, err := in.run.Create(RejectsFile)
	if err != nil {
		return err
	}
	defer out.Abort()
	var text []byte
	var n int64
	for _, t := range schema.Tables() {
		l := in.done[t.Name]
		if l == nil {
			continue
		}
		for _, r := range l.Tally.Rejects {
			line, err := json.Marshal(r)
			if err != nil {
				return fmt.Errorf("write %s: %w", RejectsFile, err)
			}
			text = append(append(text, line...), '\n')
			n++
		}
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	_, err = out.Commit(n, "")
	return err
}
