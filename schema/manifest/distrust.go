package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"s2g/schema"
)

// distrustedName is the name in .s2g of the record of what a verification has found
// different.
const distrustedName = "distrusted"

// suspicion is what a verification has found different in a stage.
type suspicion struct {
	Finished time.Time `json:"finished"` // of the run that made it; another run is not meant
	Files    []string  `json:"files,omitempty"`
	Whole    bool      `json:"whole,omitempty"`
}

func distrustedPath(root string) string { return filepath.Join(root, ".s2g", distrustedName) }

// suspicions returns what verifications have recorded in a folder. A record that
// cannot be read is none.
func suspicions(root string) map[string]suspicion {
	by := map[string]suspicion{}
	text, err := schema.ReadRegular(distrustedPath(root))
	if err == nil && json.Unmarshal(text, &by) != nil {
		clear(by)
	}
	return by
}

// suspectedIn returns the suspicion of a stage, if the run that made it is meant.
func (m *Manifest) suspectedIn(stage string) suspicion {
	s, ok := suspicions(m.root)[stage]
	if !ok || !s.Finished.Equal(m.Stages[stage].Finished) {
		return suspicion{}
	}
	return s
}

// Distrust makes stages out of date whose outputs a verification has found
// different, so that the next build makes them anew. It hashes all their files first:
// where content is not that of the entry, only what the file is part of is made anew.
// Where all content is that of the entries, the stages whose value is true are made
// anew as a whole. The manifest does not change.
func (d *Dir) Distrust(ctx context.Context, stages map[string]bool) error {
	m := d.Manifest()
	by := map[string]suspicion{}
	damaged := false
	for stage := range stages {
		s := m.Stages[stage]
		if s == nil {
			continue
		}
		found := suspicion{Finished: s.Finished}
		for _, f := range s.Files {
			sum, err := hashFile(ctx, m.path(f))
			if errors.Is(err, fs.ErrNotExist) {
				damaged = true // Look finds it
				continue
			}
			if err != nil {
				return fmt.Errorf("hashing %s: %w", f.Name, err)
			}
			if sum != f.SHA256 {
				found.Files = append(found.Files, f.Name)
				damaged = true
			}
		}
		by[stage] = found
	}
	for stage, found := range by {
		found.Whole = !damaged && stages[stage]
		by[stage] = found
	}
	text, err := json.Marshal(by)
	if err == nil {
		err = replaceFile(d.Tmp(), filepath.Join(d.root, ".s2g"), distrustedName, text)
	}
	if err != nil {
		return fmt.Errorf("recording what differs: %w", err)
	}
	return nil
}
