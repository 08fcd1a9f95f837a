package ingest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
)

// loaded is what became of a table. As JSON it is the note that the run's
// journal holds of a table once it is loaded and indexed, from which a run that
// was killed goes on.
type loaded struct {
	Member string    `json:"member"` // what messages call the document
	File   string    `json:"file"`   // of the dump that holds it
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
	Bytes  int64     `json:"bytes"`   // of XML
	SHA256 string    `json:"sha_256"` // of those
	Rows   int64     `json:"rows"`    // in the table
	Last   int64     `json:"last"`    // the largest Id
	Sent   int64     `json:"sent"`    // bytes of TSV
	Newest string    `json:"newest"`  // CreationDate, as in the table
	Tally  tally     `json:"tally"`
}

// of names the file that the table came from.
func (l *loaded) of(f dump.File) { l.File, l.Size, l.Time = f.Name, f.Size, f.ModTime.UTC() }

// note enters the table in the run's journal.
func (l *loaded) note(run *manifest.Run, t schema.Table) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("noting that %s is loaded: %w", t.Name, err)
	}
	return run.Note(t.Name, l.Rows, string(text))
}

// noted reads the notes that an interrupted run has left, by table.
func noted(run *manifest.Run) map[string]*loaded {
	notes := make(map[string]*loaded)
	for _, f := range run.Committed() {
		l := &loaded{}
		if _, ok := schema.TableByName(f.Name); ok && json.Unmarshal([]byte(f.At), l) == nil {
			notes[f.Name] = l
		}
	}
	return notes
}

// describe is the dump as the manifest names it.
func (in *ingest) describe() manifest.Dump {
	d := manifest.Dump{Name: filepath.Base(in.o.Dump), Site: in.plan.Dump.Site, Form: in.plan.form, Tables: make(map[string]manifest.DumpTable)}
	for name, l := range in.done {
		d.Tables[name] = manifest.DumpTable{
			File: l.File, Size: l.Size, Time: l.Time, Bytes: l.Bytes, SHA256: l.SHA256, Rows: l.Rows,
		}
		if name == "Posts" && len(l.Newest) == dateLength {
			d.Newest = l.Newest[:10] + "T" + l.Newest[11:] + "Z"
		}
	}
	return d
}

// summary is the run as the manifest tells of it.
func (in *ingest) summary() manifest.Summary {
	s := manifest.Summary{Counts: make(map[string]int64), Errors: make(map[string]int64)}
	for name, l := range in.done {
		s.Rows += l.Rows
		s.BytesIn += l.Bytes
		s.BytesOut += l.Sent
		s.Counts[name] = l.Rows
		for c, n := range l.Tally.Counts {
			s.Errors[string(c)] += n
		}
	}
	return s
}
