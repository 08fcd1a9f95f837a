// Package publish writes the documents of a build for those who receive it:
// README.md, which is also a Hugging Face dataset card, croissant.json (MLCommons
// Croissant 1.0), LICENSE, ATTRIBUTION.md and SHA256SUMS.
//
// They follow from the manifest alone, which has the name, size, SHA-256 and rows of
// every file: no file is read again, so every stage that changes outputs can write them
// anew. They hold no times: the same build has the same documents.
//
// SHA256SUMS names all published files but itself, manifest.json and report.html.
// Those two hold times, and commands that change no data write them anew (eval,
// report).
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

// Names returns the names of all documents.
func Names() []string { return []string{Card, Croissant, License, Attribution, Sums} }

// Documents returns the documents of the build that the manifest describes; none where
// it has neither a graph nor vectors.
func Documents(m *manifest.Manifest) ([]manifest.Document, error) {
	if m.Stages[manifest.Graph] == nil && m.Stages[manifest.Vectors] == nil {
		return nil, nil
	}
	d, err := newDataset(m)
	if err != nil {
		return nil, err
	}
	var list []manifest.Document
	for _, document := range []struct {
		name string
		text func() ([]byte, error)
	}{
		{Card, d.card},
		{Croissant, d.croissant},
		{License, func() ([]byte, error) { return d.fill(License) }},
		{Attribution, func() ([]byte, error) { return d.fill(Attribution) }},
	} {
		text, err := document.text()
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", document.name, err)
		}
		list = append(list, manifest.Document{Name: document.name, Content: text})
	}
	return append(list, manifest.Document{Name: Sums, Content: d.sums(list)}), nil
}

// sums returns the lines of SHA256SUMS as sha256sum writes and checks them, in the
// order of the files' names: the files of all stages and the other documents.
func (d *dataset) sums(documents []manifest.Document) []byte {
	var files []manifest.File
	for _, stage := range d.manifest.Stages {
		files = append(files, stage.Files...)
	}
	for _, document := range documents {
		files = append(files, document.File())
	}
	slices.SortFunc(files, func(f, g manifest.File) int { return cmp.Compare(f.Name, g.Name) })
	var text bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&text, "%s  %s\n", f.SHA256, f.Name)
	}
	return text.Bytes()
}
