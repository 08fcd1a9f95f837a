package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"s2g/schema"
	"s2g/schema/manifest"
)

// A loadedTable is the result of loading one table. As JSON it is the table's
// checkpoint in the run's journal, written once the table is loaded and indexed.
type loadedTable struct {
	Member  string        `json:"member"` // name of the document in messages
	File    string        `json:"file"`   // file of the dump that holds it
	Size    int64         `json:"size"`
	Time    time.Time     `json:"time"`
	Bytes   int64         `json:"bytes"`   // of decoded XML
	SHA256  string        `json:"sha_256"` // of the decoded XML
	Rows    int64         `json:"rows"`    // in the table
	Last    int64         `json:"last"`    // the largest Id
	Sent    int64         `json:"sent"`    // bytes of TSV
	Newest  string        `json:"newest"`  // the latest CreationDate, as DATETIME(3)
	Rejects rejectSummary `json:"tally"`
}

// record writes the table's checkpoint.
func (l *loadedTable) record(journal *manifest.Run, t schema.Table) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("record that %s is loaded: %w", t.Name, err)
	}
	return journal.Note(t.Name, l.Rows, string(text))
}

// resume restores the state of an interrupted run that has the same key: its
// staging tables, or its tables in service where the manifest does not name them
// yet. A checkpoint reaches the disk at once, while MariaDB, if it was killed too,
// may have lost what it had not written; so each table is checked.
func (in *ingestRun) resume(ctx context.Context) error {
	checkpoints := make(map[string]*loadedTable)
	for _, f := range in.journal.Committed() {
		l := &loadedTable{}
		if _, ok := schema.TableByName(f.Name); ok && json.Unmarshal([]byte(f.At), l) == nil {
			checkpoints[f.Name] = l
		}
	}
	if len(checkpoints) == 0 {
		return nil
	}
	key, err := in.db.DumpKey(ctx)
	if err != nil {
		return err
	}
	in.inService = key == in.plan.Key
	for _, m := range in.plan.Dump.Tables() {
		in.inService = in.inService && checkpoints[m.Table] != nil
	}
	for _, t := range schema.Tables() {
		l := checkpoints[t.Name]
		if l == nil {
			continue
		}
		intact, err := in.db.TableIntact(ctx, t, in.inService, l.Rows, l.Last)
		if err != nil {
			return err
		}
		if !intact {
			in.o.Log.Warn("a table of the interrupted run is incomplete; loading it again", "table", t.Name)
			if in.inService { // the other tables are no staging tables any more
				in.inService = false
				clear(in.loaded)
				return nil
			}
			continue
		}
		if err := in.o.checkRejects(l.Member, &l.Rejects); err != nil { // the limits may have changed
			return err
		}
		in.o.Log.Info("loaded by the interrupted run", "table", t.Name, "rows", l.Rows)
		in.loaded[t.Name] = l
	}
	return nil
}
