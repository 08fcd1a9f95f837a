package verify

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"s2g/cmd/s2g/internal/publish"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
	"s2g/vectors/text"
)

// fixture is a build that a test may damage before it is written: the graph of the
// mini dump as text, with its points and parents.
type fixture struct {
	batches map[string]string // texts by name of the compressed file
	shards  map[string][]shard.Point
	parents []shard.Parent
	files   map[string]string // further ones, that no stage lists
	bare    string            // a shard that gets the columns of parents
	extra   string            // a shard that gets one more column
	model   []byte
	dense   string           // spec of an endpoint that serves endpointVector; empty: builtin
	missing []string         // listed and not written
	options manifest.Options // of the manifest
	dump    manifest.Dump    // of the manifest
	after   func(t *testing.T, out string)
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	quads, err := os.ReadFile("testdata/mini.trig")
	if err != nil {
		t.Fatal(err)
	}
	_, model := fixtureModel()
	return &fixture{
		batches: map[string]string{miniBatch: string(quads)},
		shards: map[string][]shard.Point{
			"vectors/python/part-00000.parquet": {point(1, 0, "python"), point(1, 1, "python"), point(5, 0, "python")},
			"vectors/csharp/part-00000.parquet": {point(1, 0, "c#"), point(1, 1, "c#")},
			"vectors/dotnet/part-00000.parquet": {point(5, 0, ".net")},
			"vectors/cpp/part-00000.parquet":    {point(7, 0, "c++")},
		},
		parents: []shard.Parent{parent(1), parent(5), parent(7)},
		files:   map[string]string{},
		model:   slices.Clone(model),
		dump:    manifest.Dump{Newest: "2019-01-04T00:00:00.000Z"},
		options: manifest.Options{Window: fixtureWindow, Overlap: fixtureOverlap},
	}
}

// The titles and the cleaned texts of the mini dump's questions, and the windows of the fixture.
var (
	titles = map[int64]string{1: "Merge maps", 7: "Nothing", 8: "Elsewhere"}
	wholes = map[int64]string{1: `How do I "merge" two maps? \ Näheres: 中`, 5: "", 7: "no answer", 8: "in no graph"}
)

const fixtureWindow, fixtureOverlap = 12, 2

func parent(post int64) shard.Parent {
	whole, ok := wholes[post]
	if !ok {
		whole = fmt.Sprint("made up for post ", post)
	}
	return shard.Parent{PostID: post, Title: titles[post], Text: whole}
}

func chunksOf(post int64) []text.Chunk {
	p := parent(post)
	return text.Chunks(p.Title, p.Text, fixtureWindow, fixtureOverlap)
}

// fixtureModel is the builtin embedder of the fixture and its file.
var fixtureModel = sync.OnceValues(func() (*embed.LSA, []byte) {
	texts := []string{chunksOf(1)[0].Text, chunksOf(5)[0].Text, chunksOf(7)[0].Text}
	model, err := embed.FitLSA(context.Background(), embed.English, slices.Values(texts), 0)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := model.Write(&b); err != nil {
		panic(err)
	}
	return model, b.Bytes()
})

// point returns a point of the mini dump, or of a post that it does not have.
func point(post int64, chunk int32, language string) shard.Point {
	chunks := chunksOf(post)
	made := chunks[chunk]
	model, _ := fixtureModel()
	dense, sparse, err := embed.Documents(context.Background(), model, embed.NewBM25(), []string{made.Text})
	if err != nil {
		panic(err)
	}
	number := func(n int32) *int32 { return &n }
	p := shard.Point{
		PointID: uint64(post)<<16 | uint64(chunk), PostID: post, QuestionID: post, IRI: vocab.StackOverflow.Question(post), Type: "question",
		Language: language, Languages: []string{language}, Chunk: chunk, Chunks: int32(len(chunks)),
		Start: int32(made.Start), End: int32(made.End), Title: titles[post], Text: made.Text, ContentHash: hash(made.Text),
		Author: vocab.StackOverflow.User(11), CreationDate: 1430784000000, License: "https://creativecommons.org/licenses/by-sa/3.0/",
		Dense: dense[0], SparseIndices: sparse[0].Indices, SparseValues: sparse[0].Values,
	}
	switch post {
	case 1:
		p.Languages, p.Tags = []string{"c#", "python"}, []string{"python", "c#", "merge"}
		p.Score, p.AnswerCount, p.HasAcceptedAnswer, p.AcceptedAnswerID = number(7), number(3), true, 3
		p.LinkedTo, p.CreationDate = []int64{2}, 1262401445006
	case 5:
		p.Languages, p.Tags = []string{".net", "python"}, []string{"python", ".net"}
		p.Score, p.AnswerCount, p.DuplicateOf, p.Closed = number(-3), number(1), []int64{1}, true
	case 7:
		p.Tags, p.Score, p.AnswerCount, p.LinkedTo = []string{"c++"}, number(0), number(0), []int64{5}
	}
	return p
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// setSite moves the build to another site.
func (f *fixture) setSite(site vocab.Site) {
	moved := func(iri string) string { return strings.Replace(iri, string(vocab.StackOverflow), string(site), 1) }
	for name, text := range f.batches {
		ontology := "<" + vocab.NS + ">"
		parts := strings.Split(text, ontology)
		for i, part := range parts {
			parts[i] = strings.ReplaceAll(part, string(vocab.StackOverflow), string(site))
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
	if f.dump.Site == "" && f.options.Site == "" {
		f.dump.Site = "stackoverflow.com"
	}
	m := &manifest.Manifest{Format: manifest.Format, Tool: "v1", Options: f.options, Dump: f.dump, Stages: map[string]*manifest.Stage{manifest.Graph: {}, manifest.Vectors: {}}}
	for _, points := range f.shards {
		for i := range points {
			if f.dense != "" {
				points[i].Dense = endpointVector(points[i].Text)
			}
		}
	}
	put := func(stage, name string, content []byte, rows int64) {
		s := m.Stages[stage]
		s.Files = append(s.Files, manifest.File{Name: name, Size: int64(len(content)), SHA256: hash(string(content)), Rows: rows, Time: time.Unix(1, 0)})
		s.BytesOut += int64(len(content))
		s.Rows += rows
		if !slices.Contains(f.missing, name) {
			save(t, out, name, content)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.batches)) {
		put(manifest.Graph, name, compress(t, f.batches[name]), countQuads(f.batches[name]))
	}
	m.Stages[manifest.Graph].Summary.Counts, m.Stages[manifest.Graph].UnusedTags = maps.Clone(graphCounts), unusedTags()
	put(manifest.Graph, ontologyFile, schema.Ontology, countTriples(t, schema.Ontology))
	void := f.void(t, m)
	put(manifest.Graph, voidFile, void, countTriples(t, void))
	for _, s := range m.Stages { // of the batches alone
		s.Rows, s.BytesOut = 0, 0
		for _, b := range s.Batches() {
			s.Rows += b.Rows
			s.BytesOut += b.Size
		}
	}
	if f.dense == "" {
		put(manifest.Vectors, "model.bin", f.model, 0)
	}
	m.Stages[manifest.Vectors].BytesOut = 0
	put(manifest.Vectors, "parents/part-00000.parquet", encode(t, f.parents), int64(len(f.parents)))
	m.Stages[manifest.Vectors].Rows = 0
	for _, name := range slices.Sorted(maps.Keys(f.shards)) {
		content := encode(t, f.shards[name])
		if name == f.bare {
			content = encode(t, f.parents[:len(f.shards[name])])
		}
		if name == f.extra {
			content = encode(t, withNotes(f.shards[name]))
		}
		put(manifest.Vectors, name, content, int64(len(f.shards[name])))
	}
	for name, text := range f.files {
		save(t, out, name, []byte(text))
	}
	v := m.Stages[manifest.Vectors]
	v.BytesIn, v.Counts, v.UnusedTags = 76, maps.Clone(vectorCounts), unusedTags()
	model, _ := fixtureModel()
	v.Embedders = &manifest.Embedders{Dense: model.Model(), Sparse: "qdrant/bm25", Windows: "s2g", Weight: 0.2}
	if f.dense != "" {
		m.Options.Dense, v.Embedders.Dense, v.Embedders.Weight = f.dense, "m", embed.DefaultWeight("m")
		delete(v.Counts, "texts_without_a_known_term")
	}
	documents, err := publish.Documents(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		m.Published = append(m.Published, d.File())
		save(t, out, d.Name, d.Content)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	save(t, out, "manifest.json", text)
	return out
}

// The counts of the mini dump's graph and vectors.
var (
	graphCounts = map[string]int64{
		"accepted_dropped": 1, "answers": 4, "answers_outside": 2, "comments": 2, "comments_on_wikis": 1, "comments_outside": 1,
		"comments_without_post": 1, "duplicates_not_questions": 1, "files": 1, "links": 3, "links_outside": 2, "links_repeated": 1,
		"questions": 3, "questions_outside": 1, "tags": 5, "tags_without_row": 1, "triples": 329, "triples_distinct": 161,
		"votes_without_post": 1, "wikis": 2, "wikis_dropped": 2,
	}
	vectorCounts = map[string]int64{"chunks_after_the_first": 1, "questions": 3, "texts": 4, "texts_without_a_known_term": 1}
)

// unusedTags returns the languages of which the mini dump has no question.
func unusedTags() (tags []string) {
	for _, l := range schema.DefaultLanguages() {
		if !slices.Contains([]string{"c#", "python", ".net", "c++"}, l.Tag) {
			tags = append(tags, l.Tag)
		}
	}
	return tags
}

// void returns void.ttl, with the counts of the mini dump.
func (f *fixture) void(t testing.TB, m *manifest.Manifest) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/mini.trig")
	if err != nil {
		t.Fatal(err)
	}
	counts := graph.VoIDCounts{Union: map[string]int64{}}
	positions := map[string]int{}
	for i, l := range m.Options.Graphs() {
		positions[vocab.StackOverflow.Graph(l.Tag)] = i
		counts.Graphs = append(counts.Graphs, map[string]int64{})
	}
	seen := map[string]bool{}
	for r := trig.NewReader(bytes.NewReader(text), trig.TriG); r.Scan(); {
		q := r.Record()
		kind := string(q.Predicate.Value)
		if kind == rdfType {
			kind = string(q.Object.Value)
		}
		counts.Graphs[positions[string(q.Graph.Value)]][kind]++
		if triple := fmt.Sprintf("%s %s %s", q.Subject.Value, q.Predicate.Value, q.Object.Value); !seen[triple] {
			seen[triple] = true
			counts.Union[kind]++
		}
	}
	site, err := m.BuildSite()
	if err != nil {
		t.Fatal(err)
	}
	void, err := graph.VoID(graph.Options{Site: site}, m.Dump, m.Tool, m.Stages[manifest.Graph].Batches(), counts)
	if err != nil {
		t.Fatal(err)
	}
	return void
}

// countTriples returns the number of triples of a Turtle file.
func countTriples(t testing.TB, turtle []byte) (n int64) {
	t.Helper()
	r := trig.NewReader(bytes.NewReader(turtle), trig.TriG)
	for r.Scan() {
		n++
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return n
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

// notedPoint is a point with a column that no build has.
type notedPoint struct {
	shard.Point
	Note string `parquet:"note"`
}

func withNotes(points []shard.Point) (noted []notedPoint) {
	for _, p := range points {
		noted = append(noted, notedPoint{p, "invented"})
	}
	return noted
}

// encode returns rows as a Parquet file, as builds write it.
func encode[T any](t testing.TB, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch rows := any(rows).(type) {
	case []shard.Point:
		err = shard.Write(&b, shard.NewEncoding(), slices.Values(rows))
	case []shard.Parent:
		err = shard.Write(&b, shard.NewEncoding(), slices.Values(rows))
	default:
		err = parquet.Write(&b, any(rows).([]T))
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
