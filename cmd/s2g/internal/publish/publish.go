package publish

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"s2g/schema/manifest"
)

// The documents' names in OUT.
const (
	Card        = "README.md"
	Croissant   = "croissant.json"
	License     = "LICENSE"
	Attribution = "ATTRIBUTION.md"
	Sums        = "SHA256SUMS"
)

// Names are the names of all documents.
func Names() []string { return []string{Card, Croissant, License, Attribution, Sums} }

// Documents are those of the build that the manifest describes; none where it has
// neither a graph nor vectors.
func Documents(m *manifest.Manifest) ([]manifest.Document, error) {
	if m.Stages[manifest.Graph] == nil && m.Stages[manifest.Vectors] == nil {
		return nil, nil
	}
	b, err := newBuild(m)
	if err != nil {
		return nil, err
	}
	var list []manifest.Document
	for _, d := range []struct {
		name string
		text func() ([]byte, error)
	}{
		{Card, b.card},
		{Croissant, b.croissant},
		{License, func() ([]byte, error) { return b.fill(License) }},
		{Attribution, func() ([]byte, error) { return b.fill(Attribution) }},
	} {
		text, err := d.text()
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", d.name, err)
		}
		list = append(list, manifest.Document{Name: d.name, Content: text})
	}
	return append(list, manifest.Document{Name: Sums, Content: b.sums(list)}), nil
}

// sums are the lines of SHA256SUMS as sha256sum writes and checks them, in the
// order of the files' names: those of all stages and the other documents.
func (b *build) sums(documents []manifest.Document) []byte {
	var files []manifest.File
	for _, stage := range b.m.Stages {
		files = append(files, stage.Files...)
	}
	for _, d := range documents {
		files = append(files, d.File())
	}
	slices.SortFunc(files, func(f, g manifest.File) int { return cmp.Compare(f.Name, g.Name) })
	var text bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&text, "%s  %s\n", f.SHA256, f.Name)
	}
	return text.Bytes()
}
