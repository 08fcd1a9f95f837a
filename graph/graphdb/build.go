package graphdb

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"s2g/graph/rdf4j"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// Build is the graph of a build.
type Build struct {
	Out     string
	Site    vocab.Site
	Edition string // see manifest.Manifest.Edition

	Batches        []manifest.File // in order
	Ontology, Void manifest.File
}

// NewBuild takes the graph from a manifest. A build without one is a usage
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

// Repository is the name that the build has on a server unless another is
// given: PREFIX_DATE_HASH. An empty prefix is the site's.
func (b *Build) Repository(prefix string) string {
	if prefix == "" {
		prefix = b.Site.Prefix()
	}
	return prefix + "_" + b.Edition
}

// Statements is how many statements a repository holds that has the whole
// build.
func (b *Build) Statements() int64 { return rows(b.Batches) + b.Ontology.Rows + b.Void.Rows }

func rows(files []manifest.File) (n int64) {
	for _, f := range files {
		n += f.Rows
	}
	return n
}

// graph is where the triples of a file go that names no graph itself.
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

// read reads a file and holds it against the manifest.
func (b *Build) read(f manifest.File) ([]byte, error) {
	const remedy = "see s2g verify; run s2g graph again"
	text, err := os.ReadFile(b.path(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Faultf(schema.FaultVerification, remedy, "%s is missing in %s", f.Name, b.Out)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name, err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, schema.Faultf(schema.FaultVerification, remedy, "%s in %s is not the file that the manifest names: another SHA-256", f.Name, b.Out)
	}
	return text, nil
}

// data reads a file as a server takes it: gzip goes as it is, zstd is recoded,
// because servers do not know it.
func (b *Build) data(f manifest.File) (rdf4j.Data, error) {
	text, err := b.read(f)
	if err != nil {
		return rdf4j.Data{}, err
	}
	d := rdf4j.Data{Body: text, Graph: b.graph(f)}
	plain, isGzip := strings.CutSuffix(f.Name, ".gz")
	plain, isZstd := strings.CutSuffix(plain, ".zst")
	if isZstd {
		if d.Body, err = recode(text); err != nil {
			return d, schema.Faultf(schema.FaultVerification, "run s2g graph again", "%s: %w", f.Name, err)
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

// recode makes gzip of zstd.
func recode(text []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = r.WriteTo(w)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// diagnose tells a file that no server can read from a server that has
// trouble. refusal is what the server said of the file: it comes back where the
// file is good and waiting may help.
func (b *Build) diagnose(f manifest.File, d rdf4j.Data, refusal error) error {
	said, ok := errors.AsType[*rdf4j.StatusError](refusal)
	if !ok {
		return refusal
	}
	why := parse(d) // its messages have the line
	if why == nil && said.Malformed() {
		why = refusal
	}
	if why == nil {
		return refusal
	}
	return unreadable(f, why)
}

func unreadable(f manifest.File, why error) error {
	return schema.Faultf(schema.FaultVerification, "nothing of it was stored; run s2g graph again", "%s cannot be read: %w", f.Name, why)
}

// parse reads data to its end.
func parse(d rdf4j.Data) error {
	text := bytes.NewReader(d.Body)
	format := trig.TriG // Turtle is a part of it
	if d.Media == rdf4j.NQuads {
		format = trig.NQuads
	}
	r := trig.NewReader(text, format)
	if d.Encoding == "gzip" {
		z, err := gzip.NewReader(text)
		if err != nil {
			return err
		}
		r = trig.NewReader(z, format)
	}
	for r.Scan() {
	}
	return r.Err()
}
