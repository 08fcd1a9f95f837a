// Package publish writes the documents that accompany a published build: README.md, which is also a Hugging Face dataset
// card, croissant.json (MLCommons Croissant 1.0), LICENSE, ATTRIBUTION.md and SHA256SUMS.
//
// It computes them from the manifest alone, which has the name, size, SHA-256 and rows of every file. It reads no file
// again, so every stage that changes outputs rewrites them. They hold no times: the same build has the same documents.
//
// SHA256SUMS names all published files but itself, manifest.json and report.html. Those two hold times, and commands that
// change no data (eval, report) rewrite them.
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
	cardName        = "README.md"
	croissantName   = "croissant.json"
	licenseName     = "LICENSE"
	attributionName = "ATTRIBUTION.md"
	Sums            = "SHA256SUMS"
)

// Names returns the names of all documents.
func Names() []string {
	return []string{cardName, croissantName, licenseName, attributionName, Sums}
}

// Documents returns the documents of the build; none if it has neither a graph nor vectors.
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
		{cardName, d.card},
		{croissantName, d.croissant},
		{licenseName, func() ([]byte, error) { return d.render(licenseName) }},
		{attributionName, func() ([]byte, error) { return d.render(attributionName) }},
	} {
		text, err := document.text()
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", document.name, err)
		}
		list = append(list, manifest.Document{Name: document.name, Content: text})
	}
	return append(list, manifest.Document{Name: Sums, Content: d.sums(list)}), nil
}

// sums returns SHA256SUMS in the format of sha256sum: the files of all stages and the other documents, by name.
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
