package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Output is a file on its way into OUT: it is written under OUT/.s2g/tmp and
// appears under its name, whole, when it is committed.
type Output struct {
	out    string // the build's folder
	name   string
	commit func(f File, place func() error) error
	file   *os.File
	sum    hash.Hash
	size   int64
}

// Create begins an output. The name is relative to OUT, with slashes. Several
// outputs may be open at once.
func (r *Run) Create(name string) (*Output, error) {
	if err := r.replace(); err != nil {
		return nil, fmt.Errorf("creating %s: %w", name, err)
	}
	r.mu.Lock()
	r.serial++
	tmp := filepath.Join(r.dir.Tmp(), r.stage+"-"+strconv.Itoa(r.serial))
	r.mu.Unlock()
	return newOutput(r.dir.out, name, tmp, r.commit)
}

// newOutput begins a file of a build that is written as tmp; commit enters it into
// a journal, if there is one, and calls place.
func newOutput(out, name, tmp string, commit func(f File, place func() error) error) (*Output, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("creating %q: not a name inside OUT", name)
	}
	f, err := os.Create(tmp)
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", name, err)
	}
	return &Output{out: out, name: name, commit: commit, file: f, sum: sha256.New()}, nil
}

// Write appends to the file. Callers buffer: each call is a system call.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	o.sum.Write(p[:n])
	o.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("writing %s: %w", o.name, err)
	}
	return n, nil
}

// Size returns the number of bytes written so far.
func (o *Output) Size() int64 { return o.size }

// Commit syncs the file, records it in the journal and moves it to its name.
// rows is the number of triples or points in it; at says where the stage goes
// on after it, in the stage's own notation.
func (o *Output) Commit(rows int64, at string) (File, error) {
	f := File{Name: o.name, Size: o.size, SHA256: hex.EncodeToString(o.sum.Sum(nil)), Rows: rows, At: at}
	if err := errors.Join(o.file.Sync(), o.file.Close()); err != nil {
		return f, fmt.Errorf("committing %s: %w", o.name, err)
	}
	path := filepath.Join(o.out, filepath.FromSlash(o.name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return f, fmt.Errorf("committing %s: %w", o.name, err)
	}
	return f, o.commit(f, func() error { return os.Rename(o.file.Name(), path) })
}

// Abort drops the output. It may follow Commit, and then does nothing.
func (o *Output) Abort() error {
	o.file.Close() // a second Close is an error that says nothing
	err := os.Remove(o.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
