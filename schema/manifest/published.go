package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"s2g/schema"
)

// Document is a small file at the top of OUT that describes the build to those
// it is given to, as README.md.
type Document struct {
	Name    string // without a folder
	Content []byte
}

// File is the document's entry in the manifest.
func (p Document) File() File {
	sum := sha256.Sum256(p.Content)
	return File{Name: p.Name, Size: int64(len(p.Content)), SHA256: hex.EncodeToString(sum[:])}
}

// CheckOverwrite returns the usage fault of a file in OUT that has the name of a document and
// that no build has written, or nil.
func (d *Dir) CheckOverwrite(names ...string) error {
	published := d.Manifest().Published
	for _, name := range names {
		if slices.ContainsFunc(published, func(f File) bool { return f.Name == name }) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(d.out, name)); err == nil {
			return schema.Faultf(schema.FaultUsage, "give the build a folder of its own, or move the file", "%s holds a %s that s2g has not written", d.out, name)
		}
	}
	return nil
}

// Publish makes the documents those of the build: they replace the ones before.
// The manifest names them first, so that a run that is killed between the two
// leaves nothing that no manifest knows; the next Publish writes what is missing.
// Documents that are there as they are to be are not written again. It reports
// whether anything was.
func (d *Dir) Publish(documents []Document) (changed bool, err error) {
	files := make([]File, len(documents))
	for i, p := range documents {
		files[i] = p.File()
	}
	old := d.Manifest().Published
	if !slices.Equal(files, old) {
		if err := d.Update(func(m *Manifest) { m.Published = files }); err != nil {
			return false, err
		}
		changed = true
	}
	for _, p := range documents {
		there, err := os.ReadFile(filepath.Join(d.out, p.Name))
		if err == nil && bytes.Equal(there, p.Content) {
			continue
		}
		if err := d.replace(p.Name, p.Content); err != nil {
			return changed, fmt.Errorf("writing %s: %w", p.Name, err)
		}
		changed = true
	}
	for _, f := range old {
		if slices.ContainsFunc(files, func(g File) bool { return g.Name == f.Name }) {
			continue
		}
		if err := os.Remove(filepath.Join(d.out, f.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return changed, fmt.Errorf("removing %s: %w", f.Name, err)
		}
	}
	return changed, nil
}
