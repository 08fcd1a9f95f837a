package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"s2g/schema/memory"
)

// Run is a run of a stage in a Dir. Its methods may be called concurrently.
type Run struct {
	dir        *Dir
	stage, key string
	started    time.Time
	journal    *journal

	mu       sync.Mutex
	files    []File // committed by the interrupted run and then by this one
	resumed  int    // number of files of the interrupted run
	replaces bool   // the outputs of an earlier, finished run still exist
	aside    string // folder to which they were moved; empty: they were removed
	serial   int    // number in the name of the last temporary file
}

// Begin starts a run of a stage. It resumes an interrupted run of the same key
// from its journal, and removes the files of one with another key. The outputs of
// an earlier, finished run stay in the manifest until the first call of Create.
// Vectors that an endpoint has made are moved to a folder of [Sources], not removed.
func (d *Dir) Begin(stage, key string) (*Run, error) {
	if err := d.unlink(stage); err != nil {
		return nil, fmt.Errorf("beginning %s: %w", stage, err)
	}
	j, entries, err := openJournal(journalPath(d.root, stage), key)
	if err != nil {
		return nil, fmt.Errorf("beginning %s: %w", stage, err)
	}
	finished := d.Manifest().Stages[stage]
	r := &Run{dir: d, stage: stage, key: key, started: time.Now(), journal: j, replaces: finished != nil}
	err = d.removeReplaced(stage)
	switch {
	case err != nil:
	case finished != nil && finished.Key == j.key:
		// A kill came between the entry in the manifest and the removal of the
		// journal: the files belong to the finished run.
		err = j.restart(key)
	case j.key == key:
		r.files = d.existing(entries)
		r.resumed = len(r.files)
	default:
		if _, err = d.setAside(stage, nil, false); err == nil { // only if they are worth it
			err = d.remove(entries)
		}
		if err == nil {
			err = j.restart(key)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("beginning %s: %w", stage, err), j.close())
	}
	return r, nil
}

// existing returns the notes and the files that exist in their full size: the
// entry of a file is written before the rename that puts it in place. A file that
// was committed twice counts once.
func (d *Dir) existing(entries []File) []File {
	seen := map[string]bool{}
	return slices.DeleteFunc(entries, func(f File) bool {
		if !seen[f.Name] && (f.isNote() || f.exists(d.root)) {
			seen[f.Name] = true
			return false
		}
		return true
	})
}

// isNote reports whether the entry is no file; see [Run.Note].
func (f File) isNote() bool { return f.SHA256 == "" }

// exists reports whether OUT has the file in its full size.
func (f File) exists(out string) bool {
	info, err := os.Stat(filepath.Join(out, filepath.FromSlash(f.Name)))
	return err == nil && info.Size() == f.Size
}

// remove removes files, and the folders that are empty then.
func (d *Dir) remove(files []File) error {
	folders := map[string]bool{}
	for _, f := range files {
		if f.isNote() {
			continue
		}
		path := filepath.Join(d.root, filepath.FromSlash(f.Name))
		folders[filepath.Dir(path)] = true
		if err := removeFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return fmt.Errorf("removing an output of an earlier run: %w", err)
		}
	}
	for folder := range folders {
		if folder != d.root {
			_ = removeFile(folder) // fails where other files are left
		}
	}
	return nil
}

// removeReplaced removes the files of an earlier run that the manifest names as
// replaced, and then that entry.
func (d *Dir) removeReplaced(stage string) error {
	files := d.Manifest().Replaced[stage]
	if len(files) == 0 {
		return nil
	}
	if err := d.remove(files); err != nil {
		return err
	}
	return d.Update(func(m *Manifest) { delete(m.Replaced, stage) })
}

// replaceOutputs takes the outputs of an earlier run out of the manifest and
// removes them, once, before the first new file. Vectors of an endpoint, and with
// keepAll any, it moves aside. The manifest names the outputs as replaced until they are
// removed, so that after a kill every file has an entry.
func (r *Run) replaceOutputs(keepAll bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.replaces {
		return nil
	}
	old := r.dir.Manifest().Stages[r.stage]
	folder, err := r.dir.setAside(r.stage, old, keepAll)
	if err != nil {
		return err
	}
	err = r.dir.Update(func(m *Manifest) {
		delete(m.Stages, r.stage)
		if m.Replaced == nil {
			m.Replaced = map[string][]File{}
		}
		m.Replaced[r.stage] = old.Files
	})
	if err != nil {
		return err
	}
	r.replaces, r.aside = false, folder
	return r.dir.removeReplaced(r.stage)
}

// Create begins an output. The name is relative to OUT, with slashes. Several
// outputs may be open at once.
func (r *Run) Create(name string) (*Output, error) {
	if err := r.replaceOutputs(false); err != nil {
		return nil, fmt.Errorf("creating %s: %w", name, err)
	}
	r.mu.Lock()
	r.serial++
	tmp := filepath.Join(r.dir.Tmp(), r.stage+"-"+strconv.Itoa(r.serial))
	r.mu.Unlock()
	return newOutput(r.dir.root, name, tmp, r.commit)
}

// Note records a finished step that is no file, as the load of a table; after an
// interruption Committed returns it. The files of the step, if any, are in the
// journal already.
func (r *Run) Note(name string, rows int64, at string, _ ...File) error {
	return r.Adopt(File{Name: name, Rows: rows, At: at})
}

// Adopt records a file or note of another process, which has put it in place; see
// [Share].
func (r *Run) Adopt(f File) error {
	return r.commit(f, func() error { return nil })
}

// commit writes f into the journal and then calls place, which puts it in place.
func (r *Run) commit(f File, place func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.journal.write(f); err != nil {
		return fmt.Errorf("committing %s: %w", f.Name, err)
	}
	if err := place(); err != nil {
		return fmt.Errorf("committing %s: %w", f.Name, err)
	}
	// A file of the interrupted run that this run commits again counts once.
	if i := slices.IndexFunc(r.files[:r.resumed], func(old File) bool { return old.Name == f.Name }); i >= 0 {
		r.files[i] = f
		return nil
	}
	r.files = append(r.files, f)
	return nil
}

// Committed returns the entries of the interrupted run that this run resumes, in
// the order of their commits.
func (r *Run) Committed() []File {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.files[:r.resumed])
}

// Finish writes the stage into the manifest as finished and removes its journal.
// Where they are 0 in the summary, Seconds becomes the time since Begin and
// PeakRSS that of the process.
func (r *Run) Finish(s Summary) error {
	if err := r.replaceOutputs(false); err != nil {
		return fmt.Errorf("finishing %s: %w", r.stage, err)
	}
	if s.Seconds == 0 {
		s.Seconds = time.Since(r.started).Seconds()
	}
	if s.PeakRSS == 0 {
		s.PeakRSS = memory.Peak()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	files := slices.DeleteFunc(slices.Clone(r.files), File.isNote)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	for i := range files {
		files[i].At = ""
	}
	stage := &Stage{Key: r.key, Finished: time.Now().UTC().Truncate(time.Second), Summary: s, Files: files}
	err := r.dir.removeAside(stage)                  // all outputs are in the journal
	if err == nil && r.dir.Manifest().Report != "" { // it describes the build before
		if err = removeFile(filepath.Join(r.dir.root, reportName)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = r.dir.Update(func(m *Manifest) {
			stage.Tool, stage.Options = m.Tool, m.Options.Of(r.stage)
			m.Stages[r.stage], m.Report = stage, ""
		})
	}
	if err != nil {
		return fmt.Errorf("finishing %s: %w", r.stage, err)
	}
	return r.journal.removeFile()
}

// AdoptAll records files and notes as Adopt does, with one sync for all.
func (r *Run) AdoptAll(files []File) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.journal.writeAll(files); err != nil {
		return fmt.Errorf("entering %d files of %s: %w", len(files), r.stage, err)
	}
	r.files = append(r.files, files...)
	return nil
}

// Close ends the run. After Finish it does nothing; else the next run of the same
// key resumes it.
func (r *Run) Close() error {
	return r.journal.close()
}
