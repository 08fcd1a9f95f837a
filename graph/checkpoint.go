package graph

import (
	"encoding/json"
	"fmt"

	"s2g/schema/manifest"
)

// phase is a part of the order in which the graph is written.
type phase int

const (
	phasePosts phase = iota
	phaseTags
	phaseWikis
	phaseDone
)

// checkpoint is what a committed file says of the work up to its last quad. It
// is stored as JSON.
type checkpoint struct {
	Phase phase `json:"p"`
	Unit  int64 `json:"u"` // where the unit begins
	Node  int   `json:"n"` // the next quad in the unit: see trig.Cursor
	Graph int   `json:"g,omitempty"`
	Piece int   `json:"t,omitempty"`

	Done  counts  `json:"c"` // of the units before this one
	Kinds []int64 `json:"k"` // their distinct triples of each kind
}

func (c *checkpoint) String() (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

// batchName is the name of the n-th batch file, from 1.
func batchName(n int, suffix string) string {
	return fmt.Sprintf("graph/batch-%06d.%s", n, suffix)
}

// resume reads how far an interrupted run has come: the batches that it has
// committed without a gap, and the checkpoint of the last.
func resume(committed []manifest.File, suffix string, kinds int) (files []manifest.File, last checkpoint, err error) {
	for _, f := range committed {
		if f.Name == batchName(len(files)+1, suffix) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, checkpoint{Kinds: make([]int64, kinds)}, nil
	}
	f := files[len(files)-1]
	if err := json.Unmarshal([]byte(f.At), &last); err != nil || len(last.Kinds) != kinds {
		return nil, last, fmt.Errorf("the checkpoint of %s cannot be read: %w", f.Name, err)
	}
	return files, last, nil
}
