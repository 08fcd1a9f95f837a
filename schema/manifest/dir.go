package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"s2g/schema"
	"s2g/schema/private"
)

// Dir is an OUT folder whose lock this process holds alone. Its root is the folder
// that stages write to: OUT, or [NextFolder] after EnterNext.
type Dir struct {
	base string // OUT
	root string
	lock *os.File

	overwrites *os.File // the generation, which Overwrite holds alone

	mu       sync.Mutex
	manifest *Manifest // of root
	service  *Manifest // of base
}

// Open creates OUT and OUT/.s2g where they are missing, takes the lock, completes
// an interrupted swap, reads the manifest and empties OUT/.s2g/tmp. It returns a
// service fault where another process holds the lock.
func Open(out string) (*Dir, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	d := &Dir{base: abs, root: abs}
	if err = os.MkdirAll(abs, 0o755); err == nil {
		if err = os.MkdirAll(d.Private(), 0o700); err == nil || errors.Is(err, fs.ErrExist) { // a link to nothing exists
			err = private.CheckFolder(d.Private())
		}
	}
	if errors.Is(err, fs.ErrNotExist) { // as under /proc
		err = schema.Faultf(schema.FaultUsage, "choose another folder with option out", "%w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	if d.lock, err = lockFolder(abs, syscall.LOCK_EX); err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(overwritePath(abs)), os.RemoveAll(d.Tmp()), os.Mkdir(d.Tmp(), 0o700)); err != nil {
		return nil, errors.Join(fmt.Errorf("emptying %s: %w", d.Tmp(), err), d.Close())
	}
	if err := completeSwap(abs); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.service, err = load(abs)
	if errors.Is(err, fs.ErrNotExist) {
		d.service, err = newManifest(abs), nil
	}
	d.manifest = d.service
	if err == nil && d.service.Restored {
		err = d.Update(func(*Manifest) {})
	} else if err == nil {
		err = d.renewCopy()
	}
	if err == nil {
		err = d.removeFinishedJournals()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func newManifest(root string) *Manifest {
	return &Manifest{Format: Format, Stages: map[string]*Stage{}, root: root}
}

// unlockFolder releases a lock and closes its file. Closing alone is not enough: a
// child process that is between fork and exec has a copy of the file, and with it
// the lock.
func unlockFolder(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// lockFolder takes the lock of OUT: how is syscall.LOCK_EX for a Dir, LOCK_SH for
// a Share. The kernel frees it when the process ends. The file holds the process
// id of its last exclusive holder, for people. A lock that is held is a service
// fault.
func lockFolder(out string, how int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(out, ".s2g", "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("taking the lock of %s: %w", out, err)
	}
	for range 10 { // a reader that looks for a holder has the lock for a moment
		if err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		time.Sleep(lockPoll / 5)
	}
	if err == nil && how == syscall.LOCK_EX {
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		}
	}
	if err == nil {
		return f, nil
	}
	defer unlockFolder(f)
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("taking the lock of %s: %w", out, err)
	}
	holders := "processes share"
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		id, _ := schema.ReadRegular(f.Name())
		holders = "process " + strings.TrimSpace(string(id)) + " holds"
	}
	return nil, schema.Faultf(schema.FaultService, "try again when it has ended", "another s2g is at work in %s: %s its lock", out, holders)
}

// Out returns the absolute path of the root, to which stages write.
func (d *Dir) Out() string { return d.root }

// Private returns the path of OUT/.s2g, the folder of unpublished files.
func (d *Dir) Private() string { return filepath.Join(d.base, ".s2g") }

// Tmp returns the path of OUT/.s2g/tmp, which Open empties. It is on the file
// system of the outputs.
func (d *Dir) Tmp() string { return filepath.Join(d.Private(), "tmp") }

// Manifest returns the manifest as last written. Callers must not modify it; see
// Update.
func (d *Dir) Manifest() *Manifest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.manifest
}

// Update applies change to a copy of the manifest and writes it.
func (d *Dir) Update(change func(*Manifest)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.manifest.clone()
	change(m)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", fileName, err)
	}
	text = append(text, '\n')
	if err := d.writeCopy(text); err != nil { // first, so that it is never older
		return err
	}
	if err := d.Replace(fileName, text); err != nil {
		return err
	}
	if d.manifest = m; d.root == d.base {
		d.service = m
	}
	return nil
}

// writeCopy writes the copy of the manifest, from which a later start restores a
// lost one. It is not synced: a copy that a crash has cut is no copy.
func (d *Dir) writeCopy(text []byte) error {
	tmp := filepath.Join(d.Tmp(), "copy.json")
	err := os.WriteFile(tmp, text, 0o600)
	if err == nil {
		err = renameFile(tmp, copyPath(d.root))
	}
	if err != nil {
		return fmt.Errorf("writing the copy of %s: %w", fileName, err)
	}
	return nil
}

// renewCopy writes the copy of the manifest again if it is missing, or if a kill between
// two writes has left another one.
func (d *Dir) renewCopy() error {
	text, err := schema.ReadRegular(filepath.Join(d.root, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	saved, failed := schema.ReadRegular(copyPath(d.root))
	if err != nil || failed != nil && !errors.Is(failed, fs.ErrNotExist) || failed == nil && bytes.Equal(text, saved) {
		return err
	}
	return d.writeCopy(text)
}

// Replace writes a small file of the root atomically: after a crash it has either
// the old content or the new. The manifest does not name it; see [Dir.Publish].
func (d *Dir) Replace(name string, content []byte) error {
	if err := replaceFile(d.Tmp(), d.root, name, content); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// replaceFile writes a file in tmp, syncs it, renames it into folder and syncs
// that.
func replaceFile(tmp, folder, name string, content []byte) error {
	f, err := os.Create(filepath.Join(tmp, name))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := renameFile(f.Name(), filepath.Join(folder, name)); err != nil {
		return err
	}
	return syncFolder(folder)
}

func syncFolder(folder string) error {
	entry, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(entry.Sync(), entry.Close())
}

// Close releases the locks.
func (d *Dir) Close() error {
	return errors.Join(d.EndOverwrite(), unlockFolder(d.lock))
}
