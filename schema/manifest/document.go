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
// who receive it, as README.md.
type Document struct {
	Name    string // without a folder
	Content []byte
}

// File returns the document's entry in the manifest.
func (d Document) File() File {
	sum := sha256.Sum256(d.Content)
	return File{Name: d.Name, Size: int64(len(d.Content)), SHA256: hex.EncodeToString(sum[:])}
}

// CheckOverwrite returns a usage fault where OUT has a file with the name of a
// document that no build has published.
func (d *Dir) CheckOverwrite(names ...string) error {
	return d.Service().CheckOverwrite(d.base, names...)
}

// CheckOverwrite is [Dir.CheckOverwrite] for the folder out of the build, which may not have begun.
func (m *Manifest) CheckOverwrite(out string, names ...string) error {
	for _, name := range names {
		if slices.ContainsFunc(m.Published, func(f File) bool { return f.Name == name }) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(out, name)); err == nil {
			return schema.Faultf(schema.FaultUsage, "give the build a folder of its own, or move the file", "%s holds a %s that s2g has not written", out, name)
		}
	}
	return nil
}

// RemoveUnpublished removes the files of the given names that no build has published.
func (d *Dir) RemoveUnpublished(names ...string) error {
	published := d.Service().Published
	for _, name := range names {
		if slices.ContainsFunc(published, func(f File) bool { return f.Name == name }) {
			continue
		}
		if err := removeFile(filepath.Join(d.base, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a document of a build without a manifest: %w", err)
		}
	}
	return nil
}

// Publish replaces the documents of the build, and reports whether it changed a
// file or the manifest. It enters them in the manifest first, so that a run that is
// killed in between leaves no file without an entry; the next Publish writes the
// missing files. It does not write files that have their content already.
func (d *Dir) Publish(documents []Document) (changed bool, err error) {
	files := make([]File, len(documents))
	for i, document := range documents {
		files[i] = document.File()
	}
	old := d.Manifest().Published
	if !slices.Equal(files, old) {
		if err := d.Update(func(m *Manifest) { m.Published = files }); err != nil {
			return false, err
		}
		changed = true
	}
	for _, document := range documents {
		current, err := schema.ReadRegular(filepath.Join(d.root, document.Name))
		if err == nil && bytes.Equal(current, document.Content) {
			continue
		}
		if err := d.Replace(document.Name, document.Content); err != nil {
			return changed, err
		}
		changed = true
	}
	for _, f := range old {
		if slices.ContainsFunc(files, func(g File) bool { return g.Name == f.Name }) {
			continue
		}
		if err := removeFile(filepath.Join(d.root, f.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return changed, fmt.Errorf("removing %s: %w", f.Name, err)
		}
	}
	return changed, nil
}

// reportName is the report at the top of OUT, which no stage owns.
const reportName = "report.html"

// ReplaceReport replaces the report of the build, and enters it in the manifest after it
// is there.
func (d *Dir) ReplaceReport(content []byte) error {
	if d.Manifest().Report != "" {
		if err := d.Update(func(m *Manifest) { m.Report = "" }); err != nil {
			return err
		}
	}
	if err := d.Replace(reportName, content); err != nil {
		return err
	}
	return d.Update(func(m *Manifest) { m.Report = Document{Content: content}.File().SHA256 })
}
