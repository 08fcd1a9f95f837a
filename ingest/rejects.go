package ingest

import (
	"encoding/json"
	"fmt"
	"strings"

	"s2g/schema"
	"s2g/schema/manifest"
)

// judge decides whether a table has too many bad rows.
func (o Options) judge(file string, t *tally) error {
	bad := t.bad()
	all := int64(0)
	for _, n := range t.counts {
		all += n
	}
	limit := max(0, o.MaxRejects) * float64(t.read)
	switch {
	case o.Strict && all > 0:
		return schema.Faultf(schema.FaultInput, "repair them, or build without --strict", "%s: %s", file, t)
	case float64(bad) > limit:
		return schema.Faultf(schema.FaultInput, "look at the rows; if the rest is worth having, raise --max-rejects",
			"%s: %d of %d rows are bad, more than %.4g: %s", file, bad, t.read, limit, t)
	}
	return nil
}

// String lists the classes with their counts, and the first row of each.
func (t *tally) String() string {
	var parts []string
	for _, c := range t.classes() {
		part := fmt.Sprintf("%d %s", t.counts[c], c)
		for _, r := range t.rejects {
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

// writeRejects commits the first bad rows of each table and class.
func (in *ingest) writeRejects(run *manifest.Run) error {
	out, err := run.Create(RejectsFile)
	if err != nil {
		return err
	}
	defer out.Abort()
	var text []byte
	var n int64
	for _, name := range in.tablesDone() {
		for _, r := range in.done[name].tally.rejects {
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
