package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"s2g/schema"
)

// Share is what one of several processes does of a stage. They may be on several
// machines that see the same OUT. Each step that a share has finished is marked by
// a file of its own, OUT/.s2g/STAGE.marks/STEP.json, so that shares know nothing of
// each other; [Dir.Marks] reads what all have done, and a run of the stage takes it
// into the manifest.
//
// Shares hold the lock of OUT together: no process that needs it alone can begin.
type Share struct {
	out, stage, key string
	lock            *os.File
	tmp             string

	mu     sync.Mutex
	serial int
}

// mark is what the file of a step holds.
type mark struct {
	Key   string `json:"key"`   // of the stage: the tables, the options and the models
	Step  File   `json:"step"`  // as of [Run.Note]
	Files []File `json:"files"` // that the step made
}

func marksFolder(out, stage string) string { return filepath.Join(out, ".s2g", stage+".marks") }

// OpenShare begins or resumes a share of a stage of the given key. A build in
// which that stage has been run otherwise is a usage fault, one that another
// process works in alone a service fault.
func OpenShare(out, stage, key string) (*Share, error) {
	m, err := Read(out)
	if err != nil {
		return nil, err
	}
	const remedy = "share the work in a build without %s: run s2g ingest into another --out"
	if m.Stages[stage] != nil {
		return nil, schema.Faultf(schema.FaultUsage, fmt.Sprintf(remedy, stage), "%s has %s already", out, stage)
	}
	abs, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	s := &Share{out: abs, stage: stage, key: key}
	if s.lock, err = lockTogether(abs); err != nil {
		return nil, err
	}
	if _, err := os.Stat(journalOf(abs, stage)); err == nil {
		return nil, errors.Join(schema.Faultf(schema.FaultUsage, fmt.Sprintf(remedy, stage), "%s has a run of %s that is not finished", out, stage), s.Close())
	}
	if err = os.MkdirAll(marksFolder(abs, stage), 0o700); err == nil {
		s.tmp, err = os.MkdirTemp(filepath.Join(abs, ".s2g"), shareTmp)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", out, err), s.Close())
	}
	return s, nil
}

// shareTmp is how the folders of temporary files of shares are called.
const shareTmp = "share-*"

func lockTogether(out string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(out, ".s2g", "lock"), os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("taking the lock of %s: %w", out, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, schema.Faultf(schema.FaultService, "try again when it has ended", "another s2g is at work in %s, alone", out)
		}
		return nil, fmt.Errorf("taking the lock of %s: %w", out, err)
	}
	return f, nil
}

// Out is the folder's absolute path.
func (s *Share) Out() string { return s.out }

// Create begins an output; see [Run.Create]. It counts once a step is noted that
// it belongs to.
func (s *Share) Create(name string) (*Output, error) {
	s.mu.Lock()
	s.serial++
	tmp := filepath.Join(s.tmp, fmt.Sprint(s.serial))
	s.mu.Unlock()
	return newOutput(s.out, name, tmp, func(_ File, place func() error) error { return place() })
}

// Note marks a step as done, with the files that it made. Shares that do the same
// step write the same mark.
func (s *Share) Note(name string, rows int64, at string, files ...File) error {
	text, err := json.Marshal(mark{Key: s.key, Step: File{Name: name, Rows: rows, At: at}, Files: files})
	if err != nil {
		return fmt.Errorf("marking %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, file := marksFolder(s.out, s.stage), path.Base(name)+".json"
	if err := replaceFile(s.tmp, folder, file, append(text, '\n')); err != nil {
		return fmt.Errorf("marking %s: %w", name, err)
	}
	return nil
}

// Committed returns what all shares of the same key have done so far; marks of
// another key are left out.
func (s *Share) Committed() []File {
	files, _, err := readMarks(s.out, s.stage, s.key)
	if err != nil {
		return nil // it is made again
	}
	return files
}

// Close gives the lock back.
func (s *Share) Close() error {
	var err error
	if s.tmp != "" {
		err = os.RemoveAll(s.tmp)
	}
	return errors.Join(err, s.lock.Close())
}

// Marks returns what shares of a stage have done for a key: files and notes, as of
// [Run.Committed]. Marks of another key are a usage fault.
func (d *Dir) Marks(stage, key string) ([]File, error) {
	files, others, err := readMarks(d.out, stage, key)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		return nil, schema.Faultf(schema.FaultUsage, "run that share again with the options of the others, or give this command theirs",
			"%d steps were made for another dump, other options or another model, the first is %s", len(others), others[0])
	}
	return files, nil
}

// HasMarks reports whether shares of the stage have left marks.
func (d *Dir) HasMarks(stage string) bool {
	names, _ := filepath.Glob(filepath.Join(marksFolder(d.out, stage), "*.json"))
	return len(names) > 0
}

// RemoveMarks removes the marks of a stage and what killed shares have left. It is
// for the end of the run that took them into the manifest.
func (d *Dir) RemoveMarks(stage string) error {
	left, err := filepath.Glob(filepath.Join(d.Private(), shareTmp))
	for _, folder := range append(left, marksFolder(d.out, stage)) {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if err != nil {
		return fmt.Errorf("removing the marks of %s: %w", stage, err)
	}
	return nil
}

// readMarks reads all marks of a stage; others are the steps of another key.
func readMarks(out, stage, key string) (files []File, others []string, err error) {
	folder := marksFolder(out, stage)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the marks of %s: %w", stage, err)
	}
	for _, e := range entries { // ordered by name
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, nil, fmt.Errorf("reading the marks of %s: %w", stage, err)
		}
		var m mark
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, nil, fmt.Errorf("reading the mark %s: %w", e.Name(), err)
		}
		if m.Key != key {
			others = append(others, strings.TrimSuffix(e.Name(), ".json"))
			continue
		}
		if whole(out, m.Files) {
			files = append(append(files, m.Files...), m.Step)
		}
	}
	return files, others, nil
}

// whole reports whether all files are there in their full size.
func whole(out string, files []File) bool {
	for _, f := range files {
		info, err := os.Stat(filepath.Join(out, filepath.FromSlash(f.Name)))
		if err != nil || info.Size() != f.Size {
			return false
		}
	}
	return true
}
