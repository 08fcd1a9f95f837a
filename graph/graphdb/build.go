package graphdb

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"s2g/graph/rdf4j"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// Build is the graph of one build, as its files.
type Build struct {
	Out     string
	Site    vocab.Site
	Edition string // see manifest.Manifest.Edition

	Batches        []manifest.File // in order
	Ontology, Void manifest.File
}

// NewBuild returns the graph that a manifest lists. A build without a graph is a usage
// fault.
func NewBuild(out string, m *manifest.Manifest, site vocab.Site) (*Build, error) {
	edition, err := m.Edition(manifest.Graph)
	if err != nil {
		return nil, err
	}
	b := &Build{Out: out, Site: site, Edition: edition}
	for _, f := range m.Stages[manifest.Graph].Files {
		switch {
		case f.Name == "graph/ontology.ttl":
			b.Ontology = f
		case f.Name == "graph/void.ttl":
			b.Void = f
		default:
			b.Batches = append(b.Batches, f)
		}
	}
	if b.Ontology.Name == "" || b.Void.Name == "" {
		return nil, schema.Faultf(schema.FaultUsage, "run s2g graph again", "the graph in %s has no ontology.ttl or no void.ttl", out)
	}
	return b, nil
}

// Repository returns the default name of the build's repository, PREFIX_DATE_HASH.
// An empty prefix is the site's.
func (b *Build) Repository(prefix string) string {
	if prefix == "" {
		prefix = b.Site.Prefix()
	}
	return prefix + "_" + b.Edition
}

// title returns the title of a new repository.
func (b *Build) title() string { return "Stack2Graph " + b.Site.Host() + " " + b.Edition }

// Statements returns the number of statements of the whole build.
func (b *Build) Statements() int64 { return rows(b.Batches) + b.Ontology.Rows + b.Void.Rows }

func rows(files []manifest.File) (n int64) {
	for _, f := range files {
		n += f.Rows
	}
	return n
}

// graph returns the graph of a file of triples. It is empty for a batch, whose quads
// name their graphs.
func (b *Build) graph(f manifest.File) string {
	switch f.Name {
	case b.Ontology.Name:
		return b.Site.SchemaGraph()
	case b.Void.Name:
		return b.Site.VoidGraph()
	}
	return ""
}

func (b *Build) path(f manifest.File) string {
	return filepath.Join(b.Out, filepath.FromSlash(f.Name))
}

// read reads a file and compares its SHA-256 with the manifest's.
func (b *Build) read(f manifest.File) ([]byte, error) {
	const remedy = "run s2g verify to find what differs, or s2g graph again"
	content, err := schema.ReadRegular(b.path(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultVerification, remedy, "%s is missing in %s", f.Name, b.Out)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name, err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, schema.Faultf(schema.FaultVerification, remedy, "%s in %s has another SHA-256 than in the manifest", f.Name, b.Out)
	}
	return content, nil
}

// data reads a file and recompresses zstd as gzip, since servers do not accept zstd.
func (b *Build) data(f manifest.File) (rdf4j.Data, error) {
	content, err := b.read(f)
	if err != nil {
		return rdf4j.Data{}, err
	}
	d := rdf4j.Data{Body: content, Graph: b.graph(f)}
	plain, isGzip := strings.CutSuffix(f.Name, ".gz")
	plain, isZstd := strings.CutSuffix(plain, ".zst")
	if isZstd {
		if d.Body, err = toGzip(content, f.Name); err != nil {
			return d, unreadable(f, err)
		}
	}
	if isGzip || isZstd {
		d.Encoding = "gzip"
	}
	switch {
	case strings.HasSuffix(plain, ".ttl"):
		d.Media = rdf4j.Turtle
	case strings.HasSuffix(plain, ".nq"):
		d.Media = rdf4j.NQuads
	default:
		d.Media = rdf4j.TriG
	}
	return d, nil
}

// toGzip recompresses the content of a file.
func toGzip(content []byte, name string) ([]byte, error) {
	text, _, err := trig.OpenText(bytes.NewReader(content), name)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(w, text)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// diagnose returns the error of a file that a server has refused. It is that of an
// unreadable file if package trig cannot read the file either, or if the server reports
// malformed data; else it is the refusal, since a retry may help.
func diagnose(f manifest.File, d rdf4j.Data, refusal error) error {
	e, ok := errors.AsType[*rdf4j.StatusError](refusal)
	if !ok {
		return refusal
	}
	if err := parse(d); err != nil { // with line and column
		return unreadable(f, err)
	}
	if e.Malformed() {
		return unreadable(f, refusal)
	}
	return refusal
}

// unreadable returns the fault of a file that cannot be read.
func unreadable(f manifest.File, err error) error {
	return schema.Faultf(schema.FaultVerification, "nothing of it was stored; run s2g graph again", "%s cannot be read: %w", f.Name, err)
}

// parse reads data to its end.
func parse(d rdf4j.Data) error {
	name := "batch.trig" // Turtle is a part of TriG
	if d.Media == rdf4j.NQuads {
		name = "batch.nq"
	}
	if d.Encoding == "gzip" {
		name += ".gz"
	}
	text, format, err := trig.OpenText(bytes.NewReader(d.Body), name)
	if err != nil {
		return err
	}
	defer text.Close()
	r := trig.NewReader(text, format)
	for r.Scan() {
	}
	return r.Err()
}
