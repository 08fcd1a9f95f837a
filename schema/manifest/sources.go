package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Source is a folder with shards of an earlier or unfinished run of the vectors.
type Source struct {
	Root     string    // looks like an OUT folder
	Manifest *Manifest // its stage Vectors has the files of complete units that are there in full size, and the embedders
}

// Sources returns the shards in OUT from which a run of the vectors can copy
// vectors: those in service, those of unfinished runs, and those that a run has moved
// aside. A run that resumes its own journal has its shards already, so the caller
// names the root to which it writes, and that is left out.
func Sources(out, root string) ([]Source, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("listing the vectors of %s: %w", out, err)
	}
	aside, _ := filepath.Glob(filepath.Join(asideFolder(abs), "*"))
	var sources []Source
	for _, folder := range append([]string{abs, NextFolder(abs)}, aside...) {
		if folder == root {
			continue
		}
		if isLink(filepath.Join(folder, "vectors")) {
			continue // those in service
		}
		m, err := unitsOf(folder)
		if err != nil {
			return nil, fmt.Errorf("listing the vectors of %s: %w", folder, err)
		}
		if m == nil {
			continue
		}
		stage := *m.Stages[Vectors]
		stage.Files = slices.DeleteFunc(slices.Clone(stage.Files), func(f File) bool { return !f.exists(folder) })
		if m.Stages[Vectors] = &stage; len(stage.Files) > 0 {
			sources = append(sources, Source{folder, m})
		}
	}
	return sources, nil
}

// unitsOf returns a manifest with the vectors of a folder, finished or in the journal;
// nil where there are none.
func unitsOf(folder string) (*Manifest, error) {
	m, err := load(folder)
	if err != nil {
		m = newManifest(folder) // a run that was moved aside has a journal alone
	}
	if m.Stages[Vectors] != nil {
		return m, nil
	}
	_, entries, err := readJournal(journalPath(folder, Vectors))
	if err != nil {
		return nil, err
	}
	stage := unitsIn(entries)
	if stage == nil {
		return nil, nil
	}
	m.Stages = map[string]*Stage{Vectors: stage}
	return m, nil
}

// unitsIn returns the complete units of a journal: those with a note. The note of a
// unit is named vectors/part-NNNNN and holds the embedders.
func unitsIn(entries []File) *Stage {
	s := &Stage{}
	complete := map[string]bool{}
	for _, e := range entries {
		var note struct{ Embedders *Embedders }
		if e.isNote() && json.Unmarshal([]byte(e.At), &note) == nil && note.Embedders != nil {
			complete[path.Base(e.Name)], s.Embedders = true, note.Embedders
		}
	}
	for _, e := range entries {
		if base := path.Base(e.Name); !e.isNote() && (!strings.HasSuffix(base, ".parquet") || complete[strings.TrimSuffix(base, ".parquet")]) {
			s.Files = append(s.Files, e)
		}
	}
	if s.Embedders == nil {
		return nil
	}
	return s
}

// local reports whether no endpoint has made the vectors, so that they cost little to
// make again.
func (e *Embedders) local() bool {
	return strings.HasPrefix(e.Dense, "builtin/") && strings.HasPrefix(e.Sparse, "qdrant/bm25")
}

// asideFolder holds the shards that runs have moved aside, each in a folder that
// looks like OUT.
func asideFolder(base string) string { return filepath.Join(base, ".s2g", "aside") }

// setAside moves the shards of the root to a folder of Sources if an endpoint has
// made them, or with always: those of a finished stage, else those in the journal. Other
// stages have nothing to move; the folder is empty then.
func (d *Dir) setAside(stage string, finished *Stage, always bool) (folder string, err error) {
	if stage != Vectors {
		return "", nil
	}
	made := finished
	if made == nil {
		_, entries, err := readJournal(journalPath(d.root, stage))
		if err != nil {
			return "", err
		}
		made = unitsIn(entries)
	}
	if made == nil || made.Embedders == nil || made.Embedders.local() && !always {
		return "", nil
	}
	m := newManifest("")
	m.Options, m.Dump, m.Stages[Vectors] = d.Manifest().Options, d.Manifest().Dump, made
	folder, err = d.newAside(m)
	for _, name := range entities[Vectors] {
		if err == nil {
			err = renameFile(filepath.Join(d.root, name), filepath.Join(folder, name))
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
	}
	if err != nil {
		return "", fmt.Errorf("moving vectors aside: %w", err)
	}
	return folder, nil
}

// MoveAside moves the vectors of the root to a folder of Sources if an endpoint has
// made them and a run of the key is about to replace them: those of a finished stage,
// and those of an interrupted run of another key.
func (d *Dir) MoveAside(key string) error {
	s := d.Manifest().Stages[Vectors]
	_, err := d.moveAside(key, s == nil || s.Embedders != nil && !s.Embedders.local())
	return err
}

// PutAside moves the finished vectors of the root to a folder of Sources, and returns the
// manifest of that: a run of the key is about to adopt some of them.
func (d *Dir) PutAside(key string) (*Manifest, error) {
	folder, err := d.moveAside(key, true)
	if err != nil {
		return nil, err
	}
	return load(folder)
}

func (d *Dir) moveAside(key string, finished bool) (folder string, err error) {
	r, err := d.Begin(Vectors, key)
	if err != nil {
		return "", err
	}
	if finished {
		err = r.replaceOutputs(true)
	}
	return r.aside, errors.Join(err, r.Close())
}

// newAside creates a folder with the manifest, or returns that of a move that a kill
// has interrupted. The list of shards is written before they are moved: without it
// they would be lost.
func (d *Dir) newAside(m *Manifest) (folder string, err error) {
	edition, err := m.Edition(Vectors)
	if err != nil {
		return "", err
	}
	if err = os.MkdirAll(asideFolder(d.base), 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		folder = filepath.Join(asideFolder(d.base), strconv.Itoa(n))
		if err = os.Mkdir(folder, 0o700); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		earlier, err := parse(filepath.Join(folder, fileName))
		if err != nil {
			break // a kill came before the list
		}
		if have, err := earlier.Edition(Vectors); err == nil && have == edition {
			return folder, nil
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	return folder, replaceFile(d.Tmp(), folder, fileName, text)
}

// removeAside removes the shards of the same models, and those of no endpoint, that runs
// have moved aside, after a run of the stage has copied what it could use.
func (d *Dir) removeAside(stage *Stage) error {
	if stage.Embedders == nil {
		return nil
	}
	folders, _ := filepath.Glob(filepath.Join(asideFolder(d.base), "*"))
	for _, folder := range folders {
		m, err := parse(filepath.Join(folder, fileName))
		if err == nil && m.Stages[Vectors] != nil {
			by := m.Stages[Vectors].Embedders
			if by == nil || !by.local() && (by.Dense != stage.Embedders.Dense || by.Sparse != stage.Embedders.Sparse) {
				continue
			}
		}
		gone := filepath.Join(d.Tmp(), "aside-"+filepath.Base(folder))
		if err := errors.Join(renameFile(folder, gone), removeAll(gone)); err != nil { // a source is whole
			return fmt.Errorf("removing the vectors of earlier runs: %w", err)
		}
	}
	_ = removeFile(asideFolder(d.base)) // fails where others are left
	return nil
}

// RemoveAside removes all shards that runs have moved aside.
func (d *Dir) RemoveAside() error {
	if err := removeAll(asideFolder(d.base)); err != nil {
		return fmt.Errorf("removing the vectors of earlier runs: %w", err)
	}
	return nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
