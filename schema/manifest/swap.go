package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"s2g/schema"
)

// The names in OUT/.s2g of the journal of a swap, and of the folder of the outputs
// that a swap has taken out of service.
const (
	swapJournal = "swap.journal"
	oldFolder   = "old"
)

// rename is a step of a swap. Names are relative to OUT. Done again after an
// interruption, it changes nothing: a name is retired if the old folder has it, and
// installed if NextFolder no longer has it.
type rename struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Retires bool   `json:"retires,omitempty"` // out of service; else into service, over what has the name
}

// Swap puts the build in NextFolder in service: its outputs take the names of those
// before, the manifest last, and these are removed. The build must be complete. Swap
// waits for the readers of the build in service, and calls waiting once if it must.
// After an interruption at any point the next Open, or reader, completes the swap.
// The root is OUT afterwards.
func (d *Dir) Swap(ctx context.Context, waiting func()) error {
	if !d.Beside() {
		return nil
	}
	steps, err := d.renames()
	if err == nil {
		err = syncTree(d.root)
	}
	if err != nil {
		return fmt.Errorf("preparing the swap: %w", err)
	}
	lock, err := lockGeneration(ctx, d.base, waiting)
	if err != nil {
		return fmt.Errorf("waiting for the readers of the build in service: %w", err)
	}
	defer unlockFolder(lock)
	text, err := json.Marshal(steps)
	if err == nil {
		err = removeAll(filepath.Join(d.Private(), oldFolder)) // the journal's steps mean a new one
	}
	if err == nil {
		err = replaceFile(d.Tmp(), d.Private(), swapJournal, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing the journal of the swap: %w", err)
	}
	if err := swap(d.base, steps); err != nil {
		return err
	}
	m := d.Manifest().clone()
	m.root = d.base
	d.mu.Lock()
	d.root, d.manifest, d.service = d.base, m, m
	d.mu.Unlock()
	return errors.Join(unlockFolder(lock), removeOld(d.base))
}

// renames returns the steps of a swap.
func (d *Dir) renames() (steps []rename, err error) {
	service, next := d.Service(), d.Manifest()
	retire := func(name string) {
		if _, err := os.Lstat(filepath.Join(d.base, filepath.FromSlash(name))); err == nil {
			steps = append(steps, rename{From: name, To: filepath.Join(".s2g", oldFolder, name), Retires: true})
		}
	}
	install := func(name string) {
		if _, err := os.Lstat(filepath.Join(d.root, name)); err == nil {
			steps = append(steps, rename{From: filepath.Join(".s2g", "next", name), To: name})
		}
	}
	carried := map[string][]File{} // files that an interrupted removal has left, of stages that do not change
	for stage, files := range service.Replaced {
		carried[stage] = files
	}
	for _, stage := range []string{Graph, Vectors, Ingest} {
		if next.Stages[stage] == nil || d.IsLinked(stage) {
			continue
		}
		if len(next.Stages[stage].Files) > 0 && !isAnyIn(d.root, entities[stage]) {
			return nil, fmt.Errorf("%s names outputs of %s and has none; those in service stay", d.root, stage)
		}
		delete(carried, stage)
		retire(filepath.Join(".s2g", stage+".journal")) // of a run in place, whose files go
		if stage == Vectors {
			retire(filepath.Join(".s2g", stage+".marks"))
		}
		for _, name := range entities[stage] {
			retire(name)
			install(name)
		}
	}
	if len(carried) > 0 {
		if err := d.Update(func(m *Manifest) { m.Replaced = carried }); err != nil {
			return nil, err
		}
	}
	for _, f := range next.Published {
		install(f.Name)
	}
	for _, f := range service.Published {
		if !slices.ContainsFunc(next.Published, func(g File) bool { return g.Name == f.Name }) {
			retire(f.Name)
		}
	}
	if _, err := os.Lstat(filepath.Join(d.root, reportName)); err == nil {
		install(reportName)
	} else {
		retire(reportName) // it describes the build before
	}
	for _, name := range []string{verifiedName, distrustedName} {
		retire(filepath.Join(".s2g", name))
	}
	for _, name := range []string{filepath.Join(".s2g", verifiedName), filepath.Join(".s2g", fileName), fileName} {
		install(name)
	}
	return steps, nil
}

// swap makes the renames of a journal that are not done yet, and removes the journal.
// The caller holds the lock and the generation alone.
func swap(base string, steps []rename) error {
	for _, s := range steps {
		from, to := filepath.Join(base, s.From), filepath.Join(base, s.To)
		done := from
		if s.Retires {
			done = to
		}
		_, err := os.Lstat(done)
		if !s.Retires && errors.Is(err, fs.ErrNotExist) || s.Retires && err == nil {
			continue
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
				err = renameFile(from, to)
			}
		}
		if err != nil {
			return fmt.Errorf("swapping the builds in %s: %w", base, err)
		}
	}
	private := filepath.Join(base, ".s2g")
	err := syncFolder(base)
	for _, folder := range []string{filepath.Join(private, "next"), filepath.Join(private, oldFolder), private} {
		if e := syncFolder(folder); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	// Of NextFolder only links are left.
	old := filepath.Join(private, oldFolder)
	err = errors.Join(err, os.MkdirAll(old, 0o700))
	if err == nil {
		if err = renameFile(filepath.Join(private, "next"), filepath.Join(old, "next")); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = removeFile(filepath.Join(private, swapJournal))
	}
	if err == nil {
		err = syncFolder(private)
	}
	if err != nil {
		return fmt.Errorf("ending the swap of the builds in %s: %w", base, err)
	}
	return nil
}

// removeOld removes what a swap has taken out of service.
func removeOld(base string) error {
	if err := removeAll(filepath.Join(base, ".s2g", oldFolder)); err != nil {
		return fmt.Errorf("removing the build before: %w", err)
	}
	return nil
}

func isInterrupted(base string) bool {
	_, err := os.Lstat(filepath.Join(base, ".s2g", swapJournal))
	return err == nil
}

// completeSwap completes an interrupted swap, and removes what one has left. The
// caller holds the lock alone.
func completeSwap(base string) error {
	if !isInterrupted(base) {
		return removeOld(base)
	}
	lock, err := lockGeneration(context.Background(), base, nil)
	if err != nil {
		return err
	}
	defer unlockFolder(lock)
	path := filepath.Join(base, ".s2g", swapJournal)
	text, err := schema.ReadRegular(path)
	var steps []rename
	if err == nil {
		err = json.Unmarshal(text, &steps)
	}
	if err != nil {
		return fmt.Errorf("reading the journal of a swap, %s: %w", path, err)
	}
	if err := swap(base, steps); err != nil {
		return err
	}
	return removeOld(base)
}

// tryComplete completes an interrupted swap unless another process holds the lock.
func tryComplete(base string) (done bool, err error) {
	lock, err := lockFolder(base, syscall.LOCK_EX)
	if err != nil {
		return false, nil // the other process completes it, or this user may not
	}
	return true, errors.Join(completeSwap(base), unlockFolder(lock))
}

// syncTree syncs all folders below a root, whose files are synced already, but not
// those behind links.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return syncFolder(path)
	})
}
