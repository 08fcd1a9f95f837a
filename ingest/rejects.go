package ingest

import (
	"encoding/json"
	"fmt"
	"strings"

	"s2g/schema"
)

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
