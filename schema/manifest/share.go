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
	"strings"
	"sync"
	"syscall"

	"s2g/schema"
)

// Share is the part of a stage that one of several processes computes. The
// processes may run on several machines with the same OUT. Each finished step is
// marked by a file of its own, OUT/.s2g/STAGE.marks/STEP.json, so that shares need
// not communicate. [Dir.Marks] reads the marks of all shares, and a run of the
// stage enters them into the manifest. Where OUT has the stage already, files and marks
// are in [NextFolder], as those of a Dir.
//
// Shares hold the lock of OUT together, which excludes a Dir.
type Share struct {
	out, stage, key string // out is OUT or NextFolder
	lock            *os.File
	tmp             string

	mu     sync.Mutex
	serial int
}

// mark is the content of a step's file.
type mark struct {
	Key   string `json:"key"`   // of the stage: the tables, the options and the models
	Step  File   `json:"step"`  // see [Run.Note]
	Files []File `json:"files"` // that the step committed
}

func marksFolder(out, stage string) string { return filepath.Join(out, ".s2g", stage+".marks") }

// shareTmp is the pattern of the names of shares' folders of temporary files.
const shareTmp = "share-*"

// OpenShare begins or resumes a share of a stage of the given key. An unfinished run of
// that stage without shares is a usage fault; a build whose lock a Dir holds is a
// service fault.
func OpenShare(out, stage, key string) (*Share, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	if _, err := Read(out); err != nil {
		return nil, err
	}
	s := &Share{out: abs, stage: stage, key: key}
	if s.lock, err = lockFolder(abs, syscall.LOCK_SH); err != nil {
		return nil, err
	}
	if err := s.open(abs); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open chooses the root, and creates the folders of the share. Other shares may do so
// at the same time.
func (s *Share) open(base string) error {
	m, err := Read(base) // under the lock
	if err != nil {
		return err
	}
	if isInterrupted(base) {
		return schema.Faultf(schema.FaultService, "run s2g build, or s2g "+s.stage+" without ranks, which completes it", "the swap of two builds in %s has not ended", base)
	}
	if m.Stages[s.stage] != nil || newerIn(base, m) != nil {
		s.out = NextFolder(base)
		marks := marksFolder(s.out, s.stage)
		if _, err := os.Stat(marks); err != nil { // no other share has begun
			next, err := load(s.out)
			if err == nil && next.Stages[s.stage] != nil && !isLink(filepath.Join(s.out, entities[s.stage][0])) {
				return schema.Faultf(schema.FaultUsage, "run s2g build, which puts it in service", "%s has a build with %s that is not in service yet", base, s.stage)
			}
		}
		if err := os.MkdirAll(marks, 0o700); err != nil {
			return fmt.Errorf("opening %s: %w", base, err)
		}
		for _, name := range entities[s.stage] { // Unlink refuses a folder that another share has created meanwhile
			if path := filepath.Join(s.out, name); isLink(path) {
				if err := syscall.Unlink(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.EISDIR) {
					return fmt.Errorf("opening %s: %w", base, err)
				}
			}
		}
	}
	if _, err := os.Stat(journalPath(s.out, s.stage)); err == nil {
		return schema.Faultf(schema.FaultUsage, "run s2g "+s.stage+" without ranks to its end, or share the work in another folder as option out",
			"%s has a run of %s that is not finished", base, s.stage)
	}
	if err = os.MkdirAll(marksFolder(s.out, s.stage), 0o700); err == nil {
		s.tmp, err = os.MkdirTemp(filepath.Join(base, ".s2g"), shareTmp)
	}
	if err != nil {
		return fmt.Errorf("opening %s: %w", base, err)
	}
	return nil
}

// Out returns the absolute path of the folder that the share writes to.
func (s *Share) Out() string { return s.out }

// Create begins an output; see [Run.Create]. The output counts once Note has
// recorded its step.
func (s *Share) Create(name string) (*Output, error) {
	s.mu.Lock()
	s.serial++
	tmp := filepath.Join(s.tmp, fmt.Sprint(s.serial))
	s.mu.Unlock()
	return newOutput(s.out, name, tmp, func(_ File, place func() error) error { return place() })
}

// Note marks a step as finished, with its files. Shares that compute the same step
// write the same mark.
func (s *Share) Note(name string, rows int64, at string, files ...File) error {
	text, err := json.Marshal(mark{Key: s.key, Step: File{Name: name, Rows: rows, At: at}, Files: files})
	if err != nil {
		return fmt.Errorf("marking %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := replaceFile(s.tmp, marksFolder(s.out, s.stage), path.Base(name)+".json", append(text, '\n')); err != nil {
		return fmt.Errorf("marking %s: %w", name, err)
	}
	return nil
}

// Committed returns the files and notes of all shares of the same key so far.
// Without readable marks it returns none, and the steps are computed again.
func (s *Share) Committed() []File {
	files, _, err := readMarks(s.out, s.stage, s.key)
	if err != nil {
		return nil
	}
	return files
}

// Close releases the lock.
func (s *Share) Close() error {
	var err error
	if s.tmp != "" {
		err = removeAll(s.tmp)
	}
	return errors.Join(err, unlockFolder(s.lock))
}

// Marks returns the files and notes of all shares of a stage, as [Run.Committed].
// Marks of another key are a usage fault.
func (d *Dir) Marks(stage, key string) ([]File, error) {
	files, others, err := readMarks(d.root, stage, key)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		return nil, schema.Faultf(schema.FaultUsage, "run that share again with the options of the others, or give this command its options",
			"%d steps are of another dump, other options or another model, the first is %s", len(others), others[0])
	}
	return files, nil
}

// HasMarks reports whether shares of the stage have left marks.
func (d *Dir) HasMarks(stage string) bool {
	names, _ := filepath.Glob(filepath.Join(marksFolder(d.root, stage), "*.json"))
	return len(names) > 0
}

// RemoveMarks removes the marks of a stage and the temporary files of killed
// shares. A run calls it after it has entered the marks into the manifest.
func (d *Dir) RemoveMarks(stage string) error {
	folders, err := filepath.Glob(filepath.Join(d.Private(), shareTmp))
	for _, folder := range append(folders, marksFolder(d.root, stage)) {
		err = errors.Join(err, removeAll(folder))
	}
	if err != nil {
		return fmt.Errorf("removing the marks of %s: %w", stage, err)
	}
	return nil
}

// readMarks reads all marks of a stage in the order of their names: the files and
// notes of the key, and the steps of other keys. A mark whose files are missing or
// cut is left out.
func readMarks(out, stage, key string) (files []File, others []string, err error) {
	folder := marksFolder(out, stage)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the marks of %s: %w", stage, err)
	}
	for _, e := range entries {
		text, err := schema.ReadRegular(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, nil, fmt.Errorf("reading the marks of %s: %w", stage, err)
		}
		var m mark
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, nil, fmt.Errorf("reading the mark %s: %w", e.Name(), err)
		}
		if m.Key != key {
			others = append(others, strings.TrimSuffix(e.Name(), ".json"))
		} else if !slices.ContainsFunc(m.Files, func(f File) bool { return !f.exists(out) }) {
			files = append(append(files, m.Files...), m.Step)
		}
	}
	return files, others, nil
}
