package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// NextFolder returns the folder in OUT in which a build makes the outputs that
// replace those in service. It looks like an OUT folder as a whole: a new stage's
// folders are real; the folder of a stage that does not change is a relative
// symbolic link to the one in service. Without an unfinished build there is none.
func NextFolder(out string) string { return filepath.Join(out, ".s2g", "next") }

// entities are the names at the top of OUT that a stage owns.
var entities = map[string][]string{
	Ingest:  {"rejects.jsonl"},
	Graph:   {"graph"},
	Vectors: {"vectors", "parents", "model.bin"},
}

// ReadLatest reads the manifest of the build that the tables belong to: the
// unfinished one in [NextFolder] if that has read another dump, else the one in
// service, as [Read] does.
func ReadLatest(out string) (*Manifest, error) {
	m, err := Read(out)
	if err != nil {
		return nil, err
	}
	if next := newerIn(out, m); next != nil {
		return next, nil
	}
	return m, nil
}

// newerIn returns the manifest of the unfinished build in OUT if it has read another
// dump than the build in service.
func newerIn(out string, service *Manifest) *Manifest {
	next, err := load(NextFolder(out))
	if err != nil {
		return nil
	}
	read, served := next.Stages[Ingest], service.Stages[Ingest]
	if read == nil || served != nil && read.Key == served.Key {
		return nil
	}
	return next
}

// ReadsNext reports whether a run reads a dump for the next build in OUT, or was
// interrupted in that: the tables may be those of either build.
func ReadsNext(out string) bool { return exists(journalPath(NextFolder(out), Ingest)) }

// Service returns the manifest of the build in service. [Dir.Manifest] is that of the
// root.
func (d *Dir) Service() *Manifest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.service
}

// Beside reports whether the root is NextFolder.
func (d *Dir) Beside() bool { return d.root != d.base }

// EnterNewer makes NextFolder the root if an interrupted build has read another dump
// there than the one in service.
func (d *Dir) EnterNewer() {
	if next := newerIn(d.base, d.Service()); next != nil && !d.Beside() {
		d.setRoot(NextFolder(d.base), next)
	}
}

func (d *Dir) setRoot(root string, m *Manifest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.root, d.manifest = root, m
}

// EnterNext makes NextFolder the root. keys are the keys that the stages are to
// have; ingest reports whether the tables are about to be read. Of an unfinished build
// it keeps the stages with these keys, finished or not, and the marks of ranks. Links
// to the stages in service take the place of the others, unless these are of other
// tables.
func (d *Dir) EnterNext(keys map[string]string, ingest bool) error {
	if d.Beside() {
		return nil
	}
	if err := d.enterNext(keys, ingest); err != nil {
		return fmt.Errorf("preparing the folder of the next build: %w", err)
	}
	return nil
}

func (d *Dir) enterNext(keys map[string]string, ingest bool) error {
	next, service := NextFolder(d.base), d.Service()
	if err := os.MkdirAll(filepath.Join(next, ".s2g"), 0o700); err != nil {
		return err
	}
	m, err := load(next)
	if err != nil { // none, or beyond repair: the stages with a journal are kept
		m = newManifest(next)
	}
	m = m.clone()
	for _, stage := range []string{Graph, Vectors} {
		if !isAnyIn(next, entities[stage]) { // a kill came between the entry and the links
			delete(m.Stages, stage)
		}
	}
	sameTables := service.Stages[Ingest] != nil && service.Stages[Ingest].Key == keys[Ingest]
	if ingest || !sameTables {
		delete(m.Stages, Ingest)
	} else {
		m.Stages[Ingest], m.Dump = service.Stages[Ingest], service.Dump
	}
	d.setRoot(next, m)
	var linked []string
	if sameTables && !ingest {
		if err := d.drop(Ingest); err != nil {
			return err
		}
		linked = append(linked, Ingest)
	}
	for _, stage := range []string{Graph, Vectors} {
		if d.keeps(stage, keys[stage]) {
			if d.HasMarks(stage) {
				delete(m.Stages, stage)
			}
			continue
		}
		if err := d.drop(stage); err != nil {
			return err
		}
		delete(m.Stages, stage)
		if finished := service.Stages[stage]; finished != nil && sameTables {
			m.Stages[stage] = finished
			linked = append(linked, stage)
		}
	}
	// The entry comes before the link, because unlink looks at links alone.
	if err := d.Update(func(written *Manifest) { written.Stages, written.Dump = maps.Clone(m.Stages), m.Dump }); err != nil {
		return err
	}
	for _, stage := range linked {
		if err := d.link(stage); err != nil {
			return err
		}
	}
	return nil
}

// isAnyIn reports whether a folder has one of the names, be it a link.
func isAnyIn(folder string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Lstat(filepath.Join(folder, name))
		return err == nil
	})
}

// keeps reports whether the root holds outputs of a stage with the key, finished or
// not, of its own.
func (d *Dir) keeps(stage, key string) bool {
	if d.IsLinked(stage) {
		return false
	}
	if d.HasMarks(stage) {
		return true
	}
	if finished := d.Manifest().Stages[stage]; finished != nil {
		return finished.Key == key
	}
	journaled, _, err := readJournal(journalPath(d.root, stage))
	return err == nil && journaled == key
}

// IsLinked reports whether the outputs of a stage in the root are links to those in
// service.
func (d *Dir) IsLinked(stage string) bool {
	for _, name := range entities[stage] {
		if d.Beside() && isLink(filepath.Join(d.root, name)) {
			return true
		}
	}
	return false
}

// link links the outputs of a stage in service into the root.
func (d *Dir) link(stage string) error {
	for _, name := range entities[stage] {
		if _, err := os.Lstat(filepath.Join(d.base, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err := beforeChange()
		if err == nil {
			err = os.Symlink(filepath.Join("..", "..", name), filepath.Join(d.root, name))
		}
		if err != nil && !(errors.Is(err, fs.ErrExist) && isLink(filepath.Join(d.root, name))) {
			return err
		}
	}
	return nil
}

// unlink removes the links of a stage from the root, and its entry.
func (d *Dir) unlink(stage string) error {
	if !d.IsLinked(stage) {
		return nil
	}
	if err := d.Update(func(m *Manifest) { delete(m.Stages, stage) }); err != nil {
		return err
	}
	for _, name := range entities[stage] {
		if path := filepath.Join(d.root, name); isLink(path) {
			if err := removeFile(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop removes the outputs of a stage from NextFolder, the root, but moves vectors
// aside that an endpoint has made.
func (d *Dir) drop(stage string) error {
	if err := d.unlink(stage); err != nil {
		return err
	}
	if _, err := d.setAside(stage, d.Manifest().Stages[stage], false); err != nil {
		return err
	}
	names := append([]string{filepath.Join(".s2g", stage+".journal")}, entities[stage]...)
	for _, name := range names {
		if err := removeAll(filepath.Join(d.root, name)); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes NextFolder, but moves vectors aside that an endpoint has made. The
// root becomes OUT.
func (d *Dir) Discard() error {
	next := NextFolder(d.base)
	if _, err := os.Lstat(next); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	m, err := load(next)
	if err != nil {
		m = newManifest(next)
	}
	d.setRoot(next, m)
	err = nil
	if !d.IsLinked(Vectors) {
		_, err = d.setAside(Vectors, m.Stages[Vectors], false)
	}
	d.setRoot(d.base, d.Service())
	if err == nil {
		err = removeAll(next)
	}
	if err != nil {
		return fmt.Errorf("removing the unfinished build: %w", err)
	}
	return nil
}

// Unknown returns the name of a file among the outputs of a stage in the folder out of the
// build that neither the manifest nor a journal nor marks can name, because none has the
// stage. It is empty where there is none.
func (m *Manifest) Unknown(out, stage string) (name string, err error) {
	if m.Stages[stage] != nil || len(m.Replaced[stage]) > 0 || stage == Ingest || exists(marksFolder(out, stage)) {
		return "", nil
	}
	if key, _, err := readJournal(journalPath(out, stage)); err != nil || key != "" {
		return "", err
	}
	for _, entity := range entities[stage] {
		err := filepath.WalkDir(filepath.Join(out, entity), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			if name, err = filepath.Rel(out, path); err != nil {
				return err
			}
			return fs.SkipAll
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) || name != "" {
			return name, err
		}
	}
	return "", nil
}

// RemoveOutputs removes all in OUT that has the names of a stage's outputs.
func (d *Dir) RemoveOutputs(stage string) error {
	for _, entity := range entities[stage] {
		if err := removeAll(filepath.Join(d.base, entity)); err != nil {
			return fmt.Errorf("removing the outputs of %s: %w", stage, err)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
