package manifest

import (
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

	"s2g/schema"
)

// Dir is an OUT folder that this process holds the lock of.
type Dir struct {
	out  string
	lock *os.File

	mu       sync.Mutex
	manifest *Manifest
}

// Open creates OUT and OUT/.s2g where they are missing, takes the lock, reads
// the manifest and empties OUT/.s2g/tmp. Where another process holds the lock
// the error is a service fault that names it.
func Open(out string) (*Dir, error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	d := &Dir{out: abs}
	if err := errors.Join(os.MkdirAll(abs, 0o755), os.MkdirAll(d.Private(), 0o700)); err != nil {
		return nil, fmt.Errorf("opening %s: %w", out, err)
	}
	if err := d.takeLock(); err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Dir) takeLock() error {
	f, err := os.OpenFile(filepath.Join(d.Private(), "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("taking the lock of %s: %w", d.out, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(f.Name())
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return schema.Faultf(schema.FaultService, "try again when it has ended", "another s2g (process %s) is at work in %s", strings.TrimSpace(string(holder)), d.out)
		}
		return fmt.Errorf("taking the lock of %s: %w", d.out, err)
	}
	// the process id is for people; the lock itself is the kernel's
	if err := errors.Join(f.Truncate(0), writeAt(f, strconv.Itoa(os.Getpid())+"\n")); err != nil {
		f.Close()
		return fmt.Errorf("writing the lock of %s: %w", d.out, err)
	}
	d.lock = f
	return nil
}

func writeAt(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

func (d *Dir) prepare() error {
	if err := os.RemoveAll(d.Tmp()); err != nil {
		return fmt.Errorf("emptying %s: %w", d.Tmp(), err)
	}
	if err := os.Mkdir(d.Tmp(), 0o700); err != nil {
		return fmt.Errorf("making %s: %w", d.Tmp(), err)
	}
	m, err := load(d.out)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = &Manifest{Format: Format, Stages: map[string]*Stage{}}, nil
	}
	d.manifest = m
	return err
}

// Out is the folder's absolute path.
func (d *Dir) Out() string { return d.out }

// Private is OUT/.s2g, which holds what is not published.
func (d *Dir) Private() string { return filepath.Join(d.out, ".s2g") }

// Tmp is OUT/.s2g/tmp, empty when the folder is opened. It is on the same file
// system as the outputs.
func (d *Dir) Tmp() string { return filepath.Join(d.Private(), "tmp") }

// Manifest returns the manifest as it was last written. It is not to be changed;
// see Update.
func (d *Dir) Manifest() *Manifest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.manifest
}

// Update writes the manifest anew with what change does to a copy of it.
func (d *Dir) Update(change func(*Manifest)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.manifest.clone()
	change(m)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", fileName, err)
	}
	if err := d.replace(fileName, append(text, '\n')); err != nil {
		return fmt.Errorf("writing %s: %w", fileName, err)
	}
	d.manifest = m
	return nil
}

// Replace writes a small file of OUT, by its name, so that after a crash it is
// either the old or the new one. No manifest names it; see [Dir.Publish].
func (d *Dir) Replace(name string, content []byte) error {
	if err := d.replace(name, content); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// replace writes a small file so that after a crash it is either the old or the
// new one.
func (d *Dir) replace(name string, content []byte) error {
	return replaceFile(d.Tmp(), d.out, name, content)
}

func replaceFile(tmpFolder, folder, name string, content []byte) error {
	tmp := filepath.Join(tmpFolder, name)
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(folder, name)); err != nil {
		return err
	}
	return syncDir(folder)
}

func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Close gives the lock back.
func (d *Dir) Close() error {
	return d.lock.Close()
}
