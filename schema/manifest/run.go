package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Run is one run of a stage.
type Run struct {
	dir        *Dir
	stage, key string
	started    time.Time
	journal    *journal

	mu       sync.Mutex
	files    []File // committed, this run's and those of the interrupted one
	resumed  int    // how many of files are the interrupted run's
	replaces bool   // the outputs of an earlier, finished run are still there
	serial   int    // for the names of temporary files
}

// Begin starts a run of a stage. Where an interrupted run of the same key left a
// journal, it goes on from there; else what the journal names is removed. The
// outputs of an earlier, finished run stay in the manifest until the first file
// is created.
func (d *Dir) Begin(stage, key string) (*Run, error) {
	j, entries, err := openJournal(journalOf(d.out, stage), key)
	if err != nil {
		return nil, fmt.Errorf("beginning %s: %w", stage, err)
	}
	finished := d.Manifest().Stages[stage]
	r := &Run{dir: d, stage: stage, key: key, started: time.Now(), journal: j, replaces: finished != nil}
	if err := d.sweep(stage); err != nil {
		return nil, errors.Join(err, j.close())
	}
	switch {
	case finished != nil && finished.Key == j.key:
		// killed between its entry in the manifest and the end of its journal: the
		// files are the finished run's
		err = j.restart(key)
	case j.key == key:
		r.files = d.present(entries)
		r.resumed = len(r.files)
	default:
		if err = d.remove(entries); err == nil {
			err = j.restart(key)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("beginning %s: %w", stage, err), j.close())
	}
	resetPeakRSS()
	return r, nil
}

// present keeps the entries whose file is there in its full size: an entry is
// written before the rename that puts its file in place. A file that was
// committed twice counts once.
func (d *Dir) present(entries []File) []File {
	seen := map[string]bool{}
	return slices.DeleteFunc(entries, func(f File) bool {
		if seen[f.Name] {
			return true
		}
		info, err := os.Stat(filepath.Join(d.out, filepath.FromSlash(f.Name)))
		ok := f.note() || err == nil && info.Size() == f.Size
		seen[f.Name] = ok
		return !ok
	})
}

func (d *Dir) remove(files []File) error {
	for _, f := range files {
		if f.note() {
			continue
		}
		err := os.Remove(filepath.Join(d.out, filepath.FromSlash(f.Name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an output of an earlier run: %w", err)
		}
	}
	return nil
}

// note reports whether the entry stands for no file; see [Run.Note].
func (f File) note() bool { return f.SHA256 == "" }

// Committed returns what an interrupted run of the same key has committed, in
// the order in which it did.
func (r *Run) Committed() []File {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.files[:r.resumed])
}

// Note records a step that is no file itself, as a table that was loaded; Committed
// gives it back after an interruption. The files that the step made, if any, are
// in the journal already.
func (r *Run) Note(name string, rows int64, at string, _ ...File) error {
	return r.Adopt(File{Name: name, Rows: rows, At: at})
}

// Adopt records a file or a note that another process has made and put into
// place; see [Share].
func (r *Run) Adopt(f File) error {
	return r.commit(f, func() error { return nil })
}

func (r *Run) commit(f File, place func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.journal.append(f); err != nil {
		return fmt.Errorf("committing %s: %w", f.Name, err)
	}
	if err := place(); err != nil {
		return fmt.Errorf("committing %s: %w", f.Name, err)
	}
	// a file that an interrupted run has committed and that was made again is one file
	if i := slices.IndexFunc(r.files[:r.resumed], func(old File) bool { return old.Name == f.Name }); i >= 0 {
		r.files[i] = f
		return nil
	}
	r.files = append(r.files, f)
	return nil
}

// sweep removes the files of an earlier run that are marked as replaced, if any,
// and then the mark.
func (d *Dir) sweep(stage string) error {
	files := d.Manifest().Replaced[stage]
	if len(files) == 0 {
		return nil
	}
	if err := d.remove(files); err != nil {
		return err
	}
	return d.Update(func(m *Manifest) { delete(m.Replaced, stage) })
}

// replace takes the outputs of an earlier run out of the manifest and removes
// them, once, before the first new file. Until they are gone the manifest has them
// as replaced, so that a kill leaves no file that nothing knows of.
func (r *Run) replace() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.replaces {
		return nil
	}
	old := r.dir.Manifest().Stages[r.stage]
	err := r.dir.Update(func(m *Manifest) {
		delete(m.Stages, r.stage)
		if m.Replaced == nil {
			m.Replaced = map[string][]File{}
		}
		m.Replaced[r.stage] = old.Files
	})
	if err != nil {
		return err
	}
	r.replaces = false
	return r.dir.sweep(r.stage)
}

// Finish writes the stage into the manifest as done and removes its journal.
// Seconds and PeakRSS are measured since Begin where the summary leaves them 0.
func (r *Run) Finish(s Summary) error {
	if err := r.replace(); err != nil {
		return fmt.Errorf("finishing %s: %w", r.stage, err)
	}
	if s.Seconds == 0 {
		s.Seconds = time.Since(r.started).Seconds()
	}
	if s.PeakRSS == 0 {
		s.PeakRSS = PeakRSS()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	files := slices.DeleteFunc(slices.Clone(r.files), File.note)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	stage := &Stage{Key: r.key, Finished: time.Now().UTC().Truncate(time.Second), Summary: s, Files: files}
	if err := r.dir.Update(func(m *Manifest) { m.Stages[r.stage] = stage }); err != nil {
		return fmt.Errorf("finishing %s: %w", r.stage, err)
	}
	return r.journal.removeFile()
}

// Close ends a run that did not finish: what it has committed stays for the
// next. It may follow Finish.
func (r *Run) Close() error {
	return r.journal.close()
}
