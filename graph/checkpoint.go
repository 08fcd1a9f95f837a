package graph

import (
	"encoding/json"
	"fmt"
	"strings"

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

	Quads []int64 `json:"q"` // this file's quads in each graph
	Done  counts  `json:"c"` // of the units before this one
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
// committed without a gap, and what they add up to.
func resume(committed []manifest.File, suffix string, graphs int) (files int, size int64, last checkpoint, quads []int64, err error) {
	quads = make([]int64, graphs)
	for _, f := range committed {
		if !strings.HasPrefix(f.Name, "graph/batch-") || f.Name != batchName(files+1, suffix) {
			continue
		}
		last = checkpoint{}
		if err := json.Unmarshal([]byte(f.At), &last); err != nil || len(last.Quads) != graphs {
			return 0, 0, last, nil, fmt.Errorf("the checkpoint of %s cannot be read: %w", f.Name, err)
		}
		for g, n := range last.Quads {
			quads[g] += n
		}
		files++
		size += f.Size
	}
	return files, size, last, quads, nil
}
