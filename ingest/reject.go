package ingest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"s2g/ingest/dump"
	"s2g/schema"
)

// RejectsFile is the name in OUT of the file of the first bad rows of each class.
const RejectsFile = "rejects.jsonl"

// examples is how many bad rows of a class and table are listed.
const examples = 10

// A Reject is a bad row as a line of rejects.jsonl.
type Reject struct {
	Table  string     `json:"table"`
	File   string     `json:"file"`
	Class  dump.Class `json:"class"`
	ID     string     `json:"id,omitempty"`
	Offset *int64     `json:"offset,omitempty"` // of the row in the decoded document
	Column string     `json:"column,omitempty"`
	Value  string     `json:"value,omitempty"` // its first bytes
	Kept   bool       `json:"kept,omitempty"`  // the row is in the table, without the value or with it repaired
}

// location describes which row a Reject is, and the bad value.
func (r Reject) location() string {
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

// A rejectSummary counts the bad rows of a table, or of a piece of it, and keeps
// the first of each class. The zero value is empty.
type rejectSummary struct {
	Read    int64                `json:"read"` // rows, good and bad
	Bad     int64                `json:"bad"`  // rows of a class that valid dumps do not have
	Counts  map[dump.Class]int64 `json:"counts,omitempty"`
	Rejects []Reject             `json:"rejects,omitempty"` // in the order of the dump
}

// full reports whether enough examples of a class are kept.
func (s *rejectSummary) full(c dump.Class) bool { return s.Counts[c] >= examples }

// count counts a bad row and keeps it if it is among the first of its class.
func (s *rejectSummary) count(r Reject) {
	if s.Counts == nil {
		s.Counts = make(map[dump.Class]int64)
	}
	if !s.full(r.Class) {
		s.Rejects = append(s.Rejects, r)
	}
	s.Counts[r.Class]++
}

// merge adds the summary of a later piece of the same table.
func (s *rejectSummary) merge(later *rejectSummary) {
	s.Read += later.Read
	s.Bad += later.Bad
	counts := maps.Clone(later.Counts)
	for _, r := range later.Rejects {
		s.count(r)
		counts[r.Class]--
	}
	for c, n := range counts { // the rows that later does not list
		s.Counts[c] += n
	}
}

func (s *rejectSummary) reset() {
	s.Read, s.Bad = 0, 0
	clear(s.Counts)
	s.Rejects = s.Rejects[:0]
}

// classes returns the classes that were counted, in the order of their names.
func (s *rejectSummary) classes() []dump.Class { return slices.Sorted(maps.Keys(s.Counts)) }

// String lists the classes with their counts and the first row of each.
func (s *rejectSummary) String() string {
	var parts []string
	for _, c := range s.classes() {
		part := fmt.Sprintf("%d %s", s.Counts[c], c)
		if i := slices.IndexFunc(s.Rejects, func(r Reject) bool { return r.Class == c }); i >= 0 {
			part += " (first: " + s.Rejects[i].location() + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// checkRejects returns a fault of the input if a table has more bad rows than the
// options allow. file names the table in it.
func (o Options) checkRejects(file string, s *rejectSummary) error {
	limit := *o.MaxRejects * float64(s.Read)
	switch {
	case o.Strict && len(s.classes()) > 0:
		return schema.Faultf(schema.FaultInput, "repair the rows, or build without option strict", "%s: %s", file, s)
	case float64(s.Bad) > limit:
		return schema.Faultf(schema.FaultInput, "look at the rows; if the other rows are worth having, raise option max-rejects",
			"%s: %d of %d rows are bad, more than %.4g: %s", file, s.Bad, s.Read, limit, s)
	}
	return nil
}

// writeRejects commits rejects.jsonl, unless the interrupted run did: the same
// dump has the same bad rows.
func (in *ingestRun) writeRejects() error {
	for _, f := range in.journal.Committed() {
		if f.Name == RejectsFile {
			return nil
		}
	}
	out, err := in.journal.Create(RejectsFile)
	if err != nil {
		return err
	}
	defer out.Abort()
	var rows int64
	lines := json.NewEncoder(out)
	for _, t := range schema.Tables() {
		l := in.loaded[t.Name]
		if l == nil {
			continue
		}
		for _, r := range l.Rejects.Rejects {
			if err := lines.Encode(r); err != nil {
				return fmt.Errorf("write %s: %w", RejectsFile, err)
			}
			rows++
		}
	}
	_, err = out.Commit(rows, "")
	return err
}

// ReadRejects reads the rejects.jsonl of folder OUT. A build without the file has no
// bad rows.
func ReadRejects(out string) ([]Reject, error) {
	f, err := schema.OpenRegular(filepath.Join(out, RejectsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the bad rows: %w", err)
	}
	defer f.Close()
	var all []Reject
	for lines := json.NewDecoder(bufio.NewReader(f)); lines.More(); {
		var r Reject
		if err := lines.Decode(&r); err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		all = append(all, r)
	}
	return all, nil
}
