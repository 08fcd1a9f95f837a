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
)

// Output is an uncommitted file of OUT. Its bytes go to a temporary file, which
// Commit moves to its name.
type Output struct {
	out    string // the OUT folder
	name   string
	commit func(f File, place func() error) error
	file   *os.File
	sum    hash.Hash
	size   int64
}

// newOutput creates the temporary file tmp. commit records the entry and calls
// place, which moves the file to its name.
func newOutput(out, name, tmp string, commit func(f File, place func() error) error) (*Output, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("creating %q: the name is not inside OUT", name)
	}
	f, err := os.Create(tmp)
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", name, err)
	}
	return &Output{out: out, name: name, commit: commit, file: f, sum: sha256.New()}, nil
}

// Write appends to the file. Each call is a system call; callers buffer.
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

// Commit syncs the file, records it in the journal and moves it to its name. rows
// is the number of triples or points in it; at is the checkpoint from which the
// stage resumes after it, in the stage's own notation.
func (o *Output) Commit(rows int64, at string) (File, error) {
	f := File{Name: o.name, Size: o.size, SHA256: hex.EncodeToString(o.sum.Sum(nil)), Rows: rows, At: at}
	info, err := o.file.Stat()
	if err := errors.Join(err, o.file.Sync(), o.file.Close()); err != nil {
		return f, fmt.Errorf("committing %s: %w", o.name, err)
	}
	f.Time = info.ModTime().UTC()
	path := filepath.Join(o.out, filepath.FromSlash(o.name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return f, fmt.Errorf("committing %s: %w", o.name, err)
	}
	return f, o.commit(f, func() error { return renameFile(o.file.Name(), path) })
}

// Abort removes the temporary file. After Commit it does nothing.
func (o *Output) Abort() error {
	o.file.Close() // after Commit an error without meaning
	err := removeFile(o.file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
