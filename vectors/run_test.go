package vectors

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
	"s2g/vectors/embed"
	"s2g/vectors/shard"
)

// smallOptions give several units, and several chunks of a long post.
func smallOptions() Options {
	languages, err := schema.ParseLanguages("c#,java,python")
	if err != nil {
		panic(err)
	}
	return Options{Site: vocab.StackOverflow, Languages: languages, Units: UnitsQuestionAnswer, Window: 64, Overlap: new(8)}
}

func smallRun(db *tables.DB, o Options) *run { return &run{Options: o, db: db, unitPosts: 3} }

// files reads all files of a build but those that hold times.
func files(t *testing.T, out string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".s2g" {
				return filepath.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(out, path)
		content, err := os.ReadFile(path)
		if name != "manifest.json" {
			found[filepath.ToSlash(name)] = string(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sameFiles(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s has %d bytes that differ from %d", what, name, len(got[name]), len(want[name]))
		}
	}
	if len(want) != len(got) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
}

// summaryOf returns a stage of the manifest without times and memory.
func summaryOf(dir *manifest.Dir) manifest.Stage {
	s := *dir.Manifest().Stages[manifest.Vectors]
	files := slices.Clone(s.Files)
	for i := range files {
		files[i].Time = time.Time{}
	}
	return manifest.Stage{Key: s.Key, Files: files, Summary: manifest.Summary{Rows: s.Rows, BytesIn: s.BytesIn, BytesOut: s.BytesOut, Counts: s.Counts}}
}

func TestSameBytesWhateverTheWorkers(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	var want map[string]string
	for _, workers := range []int{1, 2, 7} {
		out := t.TempDir()
		o := smallOptions()
		o.Workers = workers
		if err := smallRun(db, o).intoBuild(t.Context(), openDir(t, out)); err != nil {
			t.Fatal(err)
		}
		got := files(t, out)
		if want == nil {
			want = got
			if len(want) < 8 {
				t.Fatalf("only %d files", len(want))
			}
			continue
		}
		sameFiles(t, "workers", want, got)
	}
}

func TestSameBytesAfterInterruptions(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	whole := openDir(t, t.TempDir())
	o := smallOptions()
	o.Workers = 1
	if err := smallRun(db, o).intoBuild(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	dir := openDir(t, out)
	interrupted := 0
	for stop := int64(1); ; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(what string, done, _ int64) {
			if done >= 4*stop {
				cancel()
			}
		}
		err := smallRun(db, o).intoBuild(ctx, dir)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || stop > 20 {
			t.Fatal(err)
		}
		if interrupted++; stop == 2 { // as a kill would have it, in the middle of a unit
			dropNewest(t, dir)
		}
	}
	if interrupted < 2 {
		t.Errorf("interrupted %d times", interrupted)
	}
	sameFiles(t, "interrupted", files(t, whole.Out()), files(t, out))
	if diff := cmp.Diff(summaryOf(whole), summaryOf(dir)); diff != "" {
		t.Error(diff)
	}
}

// dropNewest removes the note of the newest unit, and the file before it, from the journal.
func dropNewest(t *testing.T, dir *manifest.Dir) {
	t.Helper()
	path := filepath.Join(dir.Private(), "vectors.journal")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(content), "\n"), "\n")
	if !strings.Contains(lines[len(lines)-1], `"vectors/part-`) {
		t.Fatalf("the journal ends with %s", lines[len(lines)-1])
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-2], "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// counting is a dense embedder that counts its texts. A vector holds the length of its text.
type counting struct {
	mu    sync.Mutex
	texts map[string]int
}

func (c *counting) Model() string { return "counting" }
func (c *counting) Dim() int      { return 2 }

func (c *counting) Documents(_ context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out [][]float32
	for _, text := range texts {
		c.texts[text]++
		out = append(out, []float32{0, float32(len(text))})
	}
	return out, nil
}

func (c *counting) Query(_ context.Context, text string) ([]float32, error) {
	return []float32{0, float32(len(text))}, nil
}

var _ embed.Dense = (*counting)(nil)

func readShard[T any](t *testing.T, out, name string) []T {
	t.Helper()
	rows, err := parquet.ReadFile[T](filepath.Join(out, filepath.FromSlash(name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return rows
}

// build makes the fixture's shards in one unit with the counting embedder.
func build(t *testing.T, o Options) (out string, points map[string][]shard.Point, parents map[int64]shard.Parent, embedder *counting) {
	t.Helper()
	out, embedder = t.TempDir(), &counting{texts: map[string]int{}}
	r := &run{Options: o, db: loadFixture(t), unitPosts: 100, dense: embedder}
	if err := r.intoBuild(t.Context(), openDir(t, out)); err != nil {
		t.Fatal(err)
	}
	points, parents = map[string][]shard.Point{}, map[int64]shard.Parent{}
	for name := range files(t, out) {
		if slug, ok := strings.CutSuffix(strings.TrimPrefix(name, "vectors/"), "/part-00000.parquet"); ok && slug != "parents" {
			points[slug] = readShard[shard.Point](t, out, name)
		}
	}
	for _, p := range readShard[shard.Parent](t, out, "parents/part-00000.parquet") {
		parents[p.PostID] = p
	}
	return out, points, parents, embedder
}

func hexHash(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestPoints(t *testing.T) {
	t.Parallel()
	o := smallOptions()
	o.Other = true
	_, points, parents, embedder := build(t, o)

	ids := map[string][]int64{}
	for slug, rows := range points {
		for i, p := range rows {
			if p.Chunk == 0 {
				ids[slug] = append(ids[slug], p.PostID)
			}
			if i > 0 && p.PointID <= rows[i-1].PointID {
				t.Errorf("%s: point %d follows %d", slug, p.PointID, rows[i-1].PointID)
			}
			if p.PointID != shard.PointID(p.PostID, int(p.Chunk)) || p.Chunk >= p.Chunks || p.Dense[1] != float32(len(p.Text)) || p.ContentHash != hexHash(p.Text) {
				t.Errorf("%s: point %+v", slug, p)
			}
			want := p.Title
			if piece := []rune(parents[p.PostID].Text)[p.Start:p.End]; len(piece) > 0 {
				want += "\n\n" + string(piece)
			}
			if p.Text != want {
				t.Errorf("point %d is not its parent's text from %d to %d: %q, want %q", p.PointID, p.Start, p.End, p.Text, want)
			}
		}
	}
	want := map[string][]int64{
		"python": {1, 2, 4, 8, 9, 31, 32}, "java": {2, 3, 7, 10, 32}, "csharp": {5, 7}, "_other": {6, 33},
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	texts := map[string]bool{}
	for _, rows := range points {
		for _, p := range rows {
			texts[p.Text] = true
		}
	}
	for text, n := range embedder.texts {
		if n != 1 || !texts[text] {
			t.Errorf("embedded %d times, in the shards %v: %q", n, texts[text], text)
		}
	}
	if len(texts) != len(embedder.texts) {
		t.Errorf("%d texts in the shards, %d embedded", len(texts), len(embedder.texts))
	}
	recipe := points["python"][slices.IndexFunc(points["python"], func(p shard.Point) bool { return p.PostID == 8 })]
	if recipe.Chunks < 5 || utf8.RuneCountInString(recipe.Text) > 1000 {
		t.Errorf("the long post has %d chunks, the first of %d characters", recipe.Chunks, utf8.RuneCountInString(recipe.Text))
	}
}

func TestPayload(t *testing.T) {
	t.Parallel()
	_, points, _, _ := build(t, smallOptions())
	find := func(slug string, post int64) shard.Point {
		i := slices.IndexFunc(points[slug], func(p shard.Point) bool { return p.PostID == post })
		if i < 0 {
			t.Fatalf("no post %d in %s", post, slug)
		}
		p := points[slug][i]
		p.ContentHash, p.Text, p.Dense, p.SparseIndices, p.SparseValues = "", "", nil, nil, nil
		p.Start, p.End = 0, 0
		return p
	}
	number := func(n int32) *int32 { return &n }
	const site, cc = "http://stackoverflow.com", "https://creativecommons.org/licenses/by-sa/"
	for _, c := range []struct {
		slug string
		want shard.Point
	}{
		{"python", shard.Point{
			PointID: 1 << 16, PostID: 1, QuestionID: 1, IRI: site + "/questions/1", Type: "question", Language: "python", Languages: []string{"python"},
			Chunks: 1, Title: "How do I merge two dictionaries", Tags: []string{"python"}, Score: number(1), AnswerCount: number(1),
			HasAcceptedAnswer: true, AcceptedAnswerID: 31, Closed: true, CreationDate: 1425290400001, Author: site + "/users/7", License: cc + "3.0/",
			DuplicateOf: []int64{}, LinkedTo: []int64{},
		}},
		{"java", shard.Point{
			PointID: 2 << 16, PostID: 2, QuestionID: 2, IRI: site + "/questions/2", Type: "question", Language: "java", Languages: []string{"java", "python"},
			Chunks: 1, Title: "Sorting a list of tuples by the second item", Tags: []string{"python", "java"}, Score: number(2), AnswerCount: number(0),
			CreationDate: 1425376800002, Author: site + "/users/7", License: cc + "3.0/", DuplicateOf: []int64{}, LinkedTo: []int64{31},
		}},
		{"python", shard.Point{
			PointID: 4 << 16, PostID: 4, QuestionID: 4, IRI: site + "/questions/4", Type: "question", Language: "python", Languages: []string{"python"},
			Chunks: 1, Title: "Join dicts of lists into one mapping", Tags: []string{"python", "pandas"}, Score: number(4), AnswerCount: number(0),
			CreationDate: 1425549600004, Author: site + "/users/7", License: cc + "3.0/", DuplicateOf: []int64{1}, LinkedTo: []int64{2},
		}},
		{"csharp", shard.Point{
			PointID: 7 << 16, PostID: 7, QuestionID: 7, IRI: site + "/questions/7", Type: "question", Language: "c#", Languages: []string{"c#", "java"},
			Chunks: 1, Title: "Parse a date string", Tags: []string{"java", "c#"}, Score: number(0), AnswerCount: number(0),
			CreationDate: 1425808800007, AuthorName: "user\t7", License: cc + "3.0/", DuplicateOf: []int64{}, LinkedTo: []int64{},
		}},
		{"java", shard.Point{
			PointID: 32 << 16, PostID: 32, QuestionID: 2, IRI: site + "/a/32", Type: "answer", Language: "java", Languages: []string{"java", "python"},
			Chunks: 1, Title: "Sorting a list of tuples by the second item", Tags: []string{"python", "java"}, Score: number(-2),
			CreationDate: 1577934245678, License: cc + "4.0/", DuplicateOf: []int64{}, LinkedTo: []int64{},
		}},
	} {
		if diff := cmp.Diff(c.want, find(c.slug, c.want.PostID)); diff != "" {
			t.Errorf("post %d in %s: %s", c.want.PostID, c.slug, diff)
		}
	}
}

func TestQuestionsAlone(t *testing.T) {
	t.Parallel()
	_, points, parents, _ := build(t, Options{Site: vocab.StackOverflow, Languages: smallOptions().Languages, Window: 64, Overlap: new(8)})
	for slug, rows := range points {
		for _, p := range rows {
			if p.Type != "question" {
				t.Errorf("%s has the %s %d", slug, p.Type, p.PostID)
			}
		}
	}
	if len(parents) != 9 {
		t.Errorf("%d parents", len(parents))
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	posts := append(posts(), question(50, "|c#|", "What is it", "<p>Not this, but that?</p>"))
	dir := openDir(t, t.TempDir())
	o := smallOptions()
	o.Units, o.Overlap = UnitsQuestion, new(0)
	if err := Run(t.Context(), dir, load(t, map[string][]row{"Posts": posts}), o); err != nil {
		t.Fatal(err)
	}
	s := dir.Manifest().Stages[manifest.Vectors]
	if key, err := Key("dump", o); err != nil || key != s.Key {
		t.Errorf("key %s, want %s (%v)", s.Key, key, err)
	}
	long := s.Counts["chunks_after_the_first"]
	want := map[string]int64{
		"questions": 10, "texts": 10 + long, "chunks_after_the_first": long, "texts_without_a_known_term": 1, "posts_of_too_large_ids_left_out": 1,
	}
	if diff := cmp.Diff(want, s.Counts); diff != "" || long < 4 {
		t.Errorf("%d chunks after the first: %s", long, diff)
	}
	var rows, bytes int64
	for _, f := range s.Files {
		if strings.HasPrefix(f.Name, "vectors/") {
			rows += f.Rows
		}
		if strings.HasSuffix(f.Name, ".parquet") {
			bytes += f.Size
		}
	}
	if s.Rows != rows || s.BytesOut != bytes || s.BytesIn == 0 {
		t.Errorf("%+v, the files have %d rows, %d bytes", s.Summary, rows, bytes)
	}
}

func TestWithoutLinksAndWithoutPosts(t *testing.T) {
	t.Parallel()
	db := load(t, map[string][]row{"Posts": posts()[5:6]})
	dir := openDir(t, t.TempDir())
	if err := Run(t.Context(), dir, db, smallOptions()); err != nil {
		t.Fatal(err)
	}
	if s := dir.Manifest().Stages[manifest.Vectors]; s == nil || s.Rows != 0 || len(s.Files) != 0 {
		t.Errorf("a dump without a post of a language gave %+v", s)
	}
}
