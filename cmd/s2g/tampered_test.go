package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"s2g/cmd/s2g/internal/publish"
	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// tampered is a copy of a build that a test changes. The files are hard links until they change.
type tampered struct {
	t        *testing.T
	out      string
	manifest *manifest.Manifest
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// copyOf copies the published files of a build.
func copyOf(t *testing.T, build string) *tampered {
	t.Helper()
	b := &tampered{t: t, out: t.TempDir()}
	err := filepath.WalkDir(build, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".s2g" {
			return fs.SkipDir
		}
		within, err := filepath.Rel(build, path)
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(b.out, within), 0o755))
		}
		return os.Link(path, filepath.Join(b.out, within))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.out, ".s2g"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.manifest = must[*manifest.Manifest](t)(manifest.Read(b.out))
	return b
}

func (b *tampered) path(name string) string { return filepath.Join(b.out, filepath.FromSlash(name)) }

func (b *tampered) read(name string) []byte { return must[[]byte](b.t)(os.ReadFile(b.path(name))) }

// write replaces a file.
func (b *tampered) write(name string, content []byte) {
	b.t.Helper()
	if err := os.Remove(b.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), content, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// rename renames a file of the vectors, here and in the manifest.
func (b *tampered) rename(from, to string) {
	b.t.Helper()
	if err := os.Rename(b.path(from), b.path(to)); err != nil {
		b.t.Fatal(err)
	}
	s := b.manifest.Stages[manifest.Vectors]
	for i := range s.Files {
		if s.Files[i].Name == from {
			s.Files[i].Name = to
		}
	}
	slices.SortFunc(s.Files, func(x, y manifest.File) int { return strings.Compare(x.Name, y.Name) })
}

func (b *tampered) makeFolder(name string) {
	b.t.Helper()
	if err := os.MkdirAll(b.path(name), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// edit replaces a text of a file, n times.
func (b *tampered) edit(name, old, with string, n int) {
	b.t.Helper()
	b.write(name, replaced(b.t, b.read(name), old, with, n))
}

func replaced(t *testing.T, text []byte, old, with string, n int) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("there is no %q", old)
	}
	return bytes.Replace(text, []byte(old), []byte(with), n)
}

const firstBatch = "graph/batch-000001.trig.gz"

// quads returns the text of the only batch; setQuads replaces it.
func (b *tampered) quads() []byte {
	r := must[*gzip.Reader](b.t)(gzip.NewReader(bytes.NewReader(b.read(firstBatch))))
	return must[[]byte](b.t)(io.ReadAll(r))
}

func (b *tampered) setQuads(text []byte) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		b.t.Fatal(err)
	}
	b.write(firstBatch, packed.Bytes())
}

func (b *tampered) countQuads() (n int) {
	r := trig.NewReader(bytes.NewReader(b.quads()), trig.TriG)
	for r.Scan() {
		n++
	}
	if err := r.Err(); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// editQuads replaces a text of the batch once.
func (b *tampered) editQuads(old, with string) { b.setQuads(replaced(b.t, b.quads(), old, with, 1)) }

// partName returns the name of the only part of a language's shards.
func partName(slug string) string { return "vectors/" + slug + "/part-00000.parquet" }

const parentsPart = "parents/part-00000.parquet"

func rowsOf[T any](b *tampered, name string) []T {
	b.t.Helper()
	return must[[]T](b.t)(parquet.ReadFile[T](b.path(name)))
}

// setRows replaces the rows of a file of points or parents, as the build writes them.
func setRows[T shard.Point | shard.Parent](b *tampered, name string, rows []T) {
	b.t.Helper()
	var file bytes.Buffer
	if err := shard.Write(&file, shard.NewEncoding(), slices.Values(rows)); err != nil {
		b.t.Fatal(err)
	}
	b.write(name, file.Bytes())
}

// editPoints changes the points of a language.
func (b *tampered) editPoints(slug string, change func([]shard.Point) []shard.Point) {
	b.t.Helper()
	setRows(b, partName(slug), change(rowsOf[shard.Point](b, partName(slug))))
}

// slugs returns the languages of the build with shards.
func (b *tampered) slugs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range b.manifest.Options.Graphs() {
			if _, err := os.Stat(b.path(partName(l.Slug))); err == nil && !yield(l.Slug) {
				return
			}
		}
	}
}

// embed gives a point a text, with the hash and the vectors of the build's models.
func (b *tampered) embed(p *shard.Point, model *embed.LSA, text string) {
	b.t.Helper()
	dense, sparse, err := embed.Documents(b.t.Context(), model, embed.NewBM25(), []string{text})
	if err != nil {
		b.t.Fatal(err)
	}
	p.Text, p.ContentHash = text, hashOf([]byte(text))
	p.Dense, p.SparseIndices, p.SparseValues = dense[0], sparse[0].Indices, sparse[0].Values
}

func (b *tampered) model() *embed.LSA {
	return must[*embed.LSA](b.t)(embed.ReadLSAFile(b.path("model.bin")))
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// seal makes the manifest fit the files: sizes, hashes, rows and sums of stages, the description of the
// graph's files, the documents with their entries, and the manifest's copy.
func (b *tampered) seal() {
	b.t.Helper()
	graph := b.manifest.Stages[manifest.Graph]
	for i, f := range graph.Files {
		if strings.HasPrefix(f.Name, "graph/batch-") {
			now := b.entry(f)
			text := replaced(b.t, b.read("graph/void.ttl"), f.SHA256, now.SHA256, 1)
			b.write("graph/void.ttl", bytes.Replace(text, fmt.Appendf(nil, `dcat:byteSize "%d"`, f.Size), fmt.Appendf(nil, `dcat:byteSize "%d"`, now.Size), 1))
			now.Rows = int64(b.countQuads())
			graph.BytesOut += now.Size - f.Size
			graph.Rows += now.Rows - f.Rows
			graph.Counts["triples"] = graph.Rows
			graph.Files[i] = now
		}
	}
	for _, s := range b.manifest.Stages {
		s.Files = slices.DeleteFunc(s.Files, func(f manifest.File) bool {
			_, err := os.Stat(b.path(f.Name))
			return err != nil
		})
		for i, f := range s.Files {
			s.Files[i] = b.entry(f)
		}
	}
	vectors := b.manifest.Stages[manifest.Vectors]
	vectors.Rows, vectors.BytesOut = 0, 0
	for i, f := range vectors.Files {
		if !strings.HasSuffix(f.Name, ".parquet") {
			continue
		}
		rows := int64(0)
		file := must[*os.File](b.t)(os.Open(b.path(f.Name)))
		if in, err := parquet.OpenFile(file, f.Size); err == nil {
			rows = in.NumRows()
		}
		file.Close()
		vectors.Files[i].Rows = rows
		vectors.BytesOut += f.Size
		if strings.HasPrefix(f.Name, "vectors/") {
			vectors.Rows += rows
		}
	}
	documents := must[[]manifest.Document](b.t)(publish.Documents(b.manifest))
	b.manifest.Published = nil
	for _, d := range documents {
		b.write(d.Name, d.Content)
		b.manifest.Published = append(b.manifest.Published, d.File())
	}
	b.save()
}

// entry returns the manifest's entry of a file as it is now.
func (b *tampered) entry(f manifest.File) manifest.File {
	content := b.read(f.Name)
	f.Size, f.SHA256 = int64(len(content)), hashOf(content)
	return f
}

// save writes the manifest and its copy.
func (b *tampered) save() {
	b.t.Helper()
	text := must[[]byte](b.t)(json.MarshalIndent(b.manifest, "", "  "))
	b.write("manifest.json", append(text, '\n'))
	b.write(".s2g/manifest.json", append(text, '\n'))
}

// sealDocument makes the manifest and SHA256SUMS fit a document.
func (b *tampered) sealDocument(name string) {
	b.t.Helper()
	for _, sealed := range []string{name, publish.Sums} {
		at := slices.IndexFunc(b.manifest.Published, func(f manifest.File) bool { return f.Name == sealed })
		if at < 0 {
			b.t.Fatalf("%s is no document", sealed)
		}
		old := b.manifest.Published[at]
		b.manifest.Published[at] = b.entry(old)
		if sealed != publish.Sums {
			b.edit(publish.Sums, old.SHA256, b.manifest.Published[at].SHA256, 1)
		}
	}
	b.save()
}
