package verify

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/shard"
)

// fixture is a build that a test may damage before it is written: the graph of the
// mini dump as text, with its points and parents.
type fixture struct {
	batches map[string]string // texts by name of the compressed file
	shards  map[string][]shard.Point
	parents []shard.Parent
	files   map[string]string // further ones, that no stage lists
	bare    string            // a shard that gets the columns of parents
	missing []string          // listed and not written
	options manifest.Options  // of the manifest
	dump    manifest.Dump     // of the manifest
	after   func(t *testing.T, out string)
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	trig, err := os.ReadFile("testdata/mini.trig")
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{
		batches: map[string]string{miniBatch: string(trig)},
		shards: map[string][]shard.Point{
			"vectors/python/part-00000.parquet": {point(1, 0, 2, "python"), point(1, 1, 2, "python"), point(5, 0, 1, "python")},
			"vectors/csharp/part-00000.parquet": {point(1, 0, 2, "c#"), point(1, 1, 2, "c#")},
			"vectors/dotnet/part-00000.parquet": {point(5, 0, 1, ".net")},
			"vectors/cpp/part-00000.parquet":    {point(7, 0, 1, "c++")},
		},
		parents: []shard.Parent{parent(1, "Merge maps", 2), parent(5, "", 1), parent(7, "Nothing", 1)},
		files:   map[string]string{},
	}
}

// piece is the text of a chunk, of the same length for all. Chunks overlap by a
// character.
const (
	piece     = "chünk %d of post %d."
	pieceSize = 18
)

func parent(post int64, title string, chunks int) shard.Parent {
	p := shard.Parent{PostID: post, Title: title, Text: "."}
	for i := range chunks {
		p.Text += fmt.Sprintf(piece, i, post)
	}
	return p
}

// point returns a point of the mini dump, or of a post that it does not have.
func point(post int64, chunk, chunks int32, language string) shard.Point {
	number := func(n int32) *int32 { return &n }
	p := shard.Point{
		PointID: uint64(post)<<16 | uint64(chunk), PostID: post, QuestionID: post, IRI: vocab.DefaultSite.Question(post), Type: "question",
		Language: language, Languages: []string{language}, Chunk: chunk, Chunks: chunks,
		Author: vocab.DefaultSite.User(11), CreationDate: 1430784000000, License: "https://creativecommons.org/licenses/by-sa/3.0/",
		Dense: []float32{0.6, 0, 0.8}, SparseIndices: []uint32{3, 70}, SparseValues: []float32{1.5, 0.25},
	}
	switch post {
	case 1:
		p.Languages, p.Title, p.Tags = []string{"c#", "python"}, "Merge maps", []string{"python", "c#", "merge"}
		p.Score, p.AnswerCount, p.HasAcceptedAnswer, p.AcceptedAnswerID = number(7), number(3), true, 3
		p.LinkedTo, p.CreationDate = []int64{2}, 1262401445006
	case 5:
		p.Languages, p.Tags = []string{".net", "python"}, []string{"python", ".net"}
		p.Score, p.AnswerCount, p.DuplicateOf, p.Closed = number(-3), number(1), []int64{1}, true
	case 7:
		p.Title, p.Tags, p.Score, p.AnswerCount, p.LinkedTo = "Nothing", []string{"c++"}, number(0), number(0), []int64{5}
	}
	p.Start, p.End = chunk*pieceSize, 1+(chunk+1)*pieceSize
	p.Text = "." + fmt.Sprintf(piece, chunk, post)
	if p.Title != "" {
		p.Text = p.Title + "\n\n" + p.Text
	}
	p.ContentHash = hash(p.Text)
	return p
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// setSite moves the build to another site.
func (f *fixture) setSite(site vocab.Site) {
	moved := func(iri string) string { return strings.Replace(iri, string(vocab.DefaultSite), string(site), 1) }
	for name, text := range f.batches {
		ontology := "<" + vocab.NS + ">"
		parts := strings.Split(text, ontology)
		for i, part := range parts {
			parts[i] = strings.ReplaceAll(part, string(vocab.DefaultSite), string(site))
		}
		f.batches[name] = strings.Join(parts, ontology)
	}
	for _, rows := range f.shards {
		for i := range rows {
			rows[i].IRI, rows[i].Author = moved(rows[i].IRI), moved(rows[i].Author)
		}
	}
}

// write writes the build into a new folder, with a manifest of its files.
func (f *fixture) write(t testing.TB) string {
	t.Helper()
	out := t.TempDir()
	m := manifest.Manifest{Format: manifest.Format, Options: f.options, Dump: f.dump, Stages: map[string]*manifest.Stage{manifest.Graph: {}, manifest.Vectors: {}}}
	put := func(stage, name string, content []byte, rows int64) {
		s := m.Stages[stage]
		s.Files = append(s.Files, manifest.File{Name: name, Size: int64(len(content)), SHA256: hash(string(content)), Rows: rows})
		if !slices.Contains(f.missing, name) {
			save(t, out, name, content)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.batches)) {
		put(manifest.Graph, name, compress(t, f.batches[name]), countQuads(f.batches[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(f.shards)) {
		content := encode(t, f.shards[name])
		if name == f.bare {
			content = encode(t, f.parents[:len(f.shards[name])])
		}
		put(manifest.Vectors, name, content, int64(len(f.shards[name])))
	}
	put(manifest.Vectors, "parents/part-00000.parquet", encode(t, f.parents), int64(len(f.parents)))
	for name, text := range f.files {
		save(t, out, name, []byte(text))
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	save(t, out, "manifest.json", text)
	return out
}

func save(t testing.TB, out, name string, content []byte) {
	t.Helper()
	path := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func compress(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// countQuads returns the number of quads of a fixture's text, one on a line.
func countQuads(text string) (n int64) {
	for line := range strings.Lines(text) {
		if end := strings.TrimSpace(line); !strings.HasPrefix(line, "@") && (strings.HasSuffix(end, " ;") || strings.HasSuffix(end, " .")) {
			n++
		}
	}
	return n
}

// encode returns rows as a Parquet file.
func encode[T any](t testing.TB, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
