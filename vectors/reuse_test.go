package vectors

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/vectors/shard"
)

// buildWith makes the shards of the tables with a counting embedder.
func buildWith(t *testing.T, db *tables.DB, o Options) (*manifest.Dir, *counting) {
	t.Helper()
	dir, embedder := openDir(t, t.TempDir()), &counting{texts: map[string]int{}}
	s := smallRun(db, o)
	s.dense = embedder
	if err := s.intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir, embedder
}

// A month later a text has changed, a post is new, a score is another and units are cut
// elsewhere. Vectors are copied, the payload is not.
func TestReuse(t *testing.T) {
	t.Parallel()
	o := smallOptions()
	first, _ := buildWith(t, loadFixture(t), o)

	later := posts()
	with(later[0], "Score", 77)
	with(later[2], "Body", "<p>Something else entirely.</p>")
	later = append([]row{question(50, "|java|", "A new question", "<p>Nobody has asked this.</p>")}, later...)
	db := load(t, map[string][]row{"Posts": later, "PostLinks": links()})
	o.Reuse = first.Out()
	second, embedder := buildWith(t, db, o)
	if diff := cmp.Diff(map[string]int{
		"A new question\n\nNobody has asked this.":                               1,
		"NullPointerException when calling a method\n\nSomething else entirely.": 1,
	}, embedder.texts); diff != "" {
		t.Errorf("embedded anew: %s", diff)
	}
	counts := second.Manifest().Stages[manifest.Vectors].Counts
	if counts["texts_reused"] != counts["texts"]-2 {
		t.Errorf("%v", counts)
	}
	for _, p := range readShard[shard.Point](t, second.Out(), "vectors/python/part-00000.parquet") {
		if p.PostID == 1 && (p.Score == nil || *p.Score != 77) {
			t.Errorf("the payload was copied: %+v", p)
		}
	}

	// the same as if nothing had been reused
	o.Reuse = ""
	fresh, _ := buildWith(t, db, o)
	sameFiles(t, "reused", files(t, fresh.Out()), files(t, second.Out()))
	if a, b := second.Manifest().Stages[manifest.Vectors].Key, fresh.Manifest().Stages[manifest.Vectors].Key; a == b {
		t.Error("the key does not tell what was reused")
	}
}

// Vectors of an endpoint are copied from folders of OUT, those of each model by themselves. A damaged file is not copied,
// and its texts are embedded again.
func TestSourcesAreReused(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	o := smallOptions()
	o.Dense = "openai+http://localhost:1/v1?model=counting"
	first, embedder := buildWith(t, db, o)
	if len(embedder.texts) == 0 {
		t.Fatal("nothing was embedded")
	}
	source := Source{first.Out(), first.Manifest()}
	python := slices.IndexFunc(o.Languages, func(l schema.Language) bool { return l.Slug == "python" })
	o.Languages, o.Sources = o.Languages[python:python+1], []Source{source}
	second, embedder := buildWith(t, db, o)
	if counts := second.Manifest().Stages[manifest.Vectors].Counts; len(embedder.texts) != 0 || counts["texts"] == 0 || counts["texts_reused"] != counts["texts"] {
		t.Errorf("embedded %v, %v", embedder.texts, counts)
	}
	o.Sources = nil
	fresh, _ := buildWith(t, db, o)
	sameFiles(t, "from a source", files(t, fresh.Out()), files(t, second.Out()))

	damaged := "vectors/" + o.Languages[0].Slug + "/part-00000.parquet"
	path := filepath.Join(first.Out(), filepath.FromSlash(damaged))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Sources = []Source{source}
	third, embedder := buildWith(t, db, o)
	if counts := third.Manifest().Stages[manifest.Vectors].Counts; len(embedder.texts) == 0 || counts["texts_reused"] == counts["texts"] {
		t.Errorf("a damaged file was copied: %v", counts)
	}
	sameFiles(t, "beside a damaged source", files(t, fresh.Out()), files(t, third.Out()))

	// the builtin embedder is fitted anew: its bytes must not depend on history
	o = smallOptions()
	local := openDir(t, t.TempDir())
	if err := smallRun(db, o).intoBuild(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	o.Sources = []Source{{local.Out(), local.Manifest()}}
	again := openDir(t, t.TempDir())
	if err := smallRun(db, o).intoBuild(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if n := again.Manifest().Stages[manifest.Vectors].Counts["texts_reused"]; n != 0 {
		t.Errorf("%d texts of the builtin embedder are reused", n)
	}
}

// The builtin embedder of the earlier build is copied, so that its vectors and new ones
// compare.
func TestReuseBringsTheModel(t *testing.T) {
	t.Parallel()
	o := smallOptions()
	first := openDir(t, t.TempDir())
	if err := smallRun(loadFixture(t), o).intoBuild(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	var later []row
	for i := range 30 {
		later = append(later, question(200+i, "|java|", fmt.Sprintf("New words %d", i), "<p>Which no model has seen before.</p>"))
	}
	db := load(t, map[string][]row{"Posts": append(posts(), later...), "PostLinks": links()})
	second := openDir(t, t.TempDir())
	o.Reuse = first.Out()
	if err := smallRun(db, o).intoBuild(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if files(t, first.Out())[shard.ModelName] != files(t, second.Out())[shard.ModelName] {
		t.Error("another model")
	}
	s := second.Manifest().Stages[manifest.Vectors]
	if n := s.Counts["texts_reused"]; n == 0 || n == s.Counts["texts"] {
		t.Errorf("%v", s.Counts)
	}
}

func TestReuseRefuses(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	o := smallOptions()
	o.Reuse = t.TempDir()
	err := Run(t.Context(), openDir(t, t.TempDir()), db, o)
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || remedy == "" {
		t.Errorf("a folder without a build: %v", err)
	}
	// other models: nothing is reused, and nothing fails
	o.Reuse = ""
	first := openDir(t, t.TempDir())
	if err := smallRun(db, o).intoBuild(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	o.Reuse = first.Out()
	second, embedder := buildWith(t, db, o)
	if n := second.Manifest().Stages[manifest.Vectors].Counts["texts_reused"]; n != 0 || len(embedder.texts) == 0 {
		t.Errorf("%d texts reused of another model", n)
	}
}

// A run that resumes does not embed committed units again.
func TestCommittedUnitsAreNotEmbeddedTwice(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	dir, embedder := openDir(t, t.TempDir()), &counting{texts: map[string]int{}}
	o := smallOptions()
	o.Workers = 1
	units := 0
	for run := 0; ; run++ {
		before := len(embedder.texts)
		s := smallRun(db, o)
		s.dense = &failing{counting: embedder, after: 1}
		err := s.intoBuild(t.Context(), dir)
		if err == nil {
			break
		}
		if run > 20 || len(embedder.texts) == before {
			t.Fatalf("run %d: %v", run, err)
		}
		units++
	}
	if units < 2 {
		t.Errorf("interrupted %d times", units)
	}
	for text, n := range embedder.texts {
		if n != 1 {
			t.Errorf("embedded %d times: %q", n, text)
		}
	}
}

// An endpoint embeds a text that two posts of a unit have once.
func TestEqualTextsAreEmbeddedOnce(t *testing.T) {
	t.Parallel()
	twin := question(12, "|java|", "NullPointerException when calling a method", "<p>My object is null when I call it. Why?</p>") // as 3
	db := load(t, map[string][]row{"Posts": append(posts(), twin), "PostLinks": links()})
	o := smallOptions()
	o.Dense = "openai+http://localhost:1/v1?model=counting"
	dir, embedder := openDir(t, t.TempDir()), &counting{texts: map[string]int{}}
	r := &run{Options: o, db: db, unitPosts: 100, dense: embedder}
	if err := r.intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for text, n := range embedder.texts {
		if n != 1 {
			t.Errorf("embedded %d times: %q", n, text)
		}
	}
	found := map[int64]shard.Point{}
	for _, p := range readShard[shard.Point](t, dir.Out(), "vectors/java/part-00000.parquet") {
		found[p.PostID] = p
	}
	a, b := found[3], found[12]
	if len(a.Dense) == 0 || len(a.SparseIndices) == 0 || !slices.Equal(a.Dense, b.Dense) || !slices.Equal(a.SparseIndices, b.SparseIndices) || !slices.Equal(a.SparseValues, b.SparseValues) {
		t.Errorf("vectors of equal texts: %v %v and %v %v", a.Dense, a.SparseIndices, b.Dense, b.SparseIndices)
	}
}

// Batches are in flight at an endpoint while posts are read. The bytes are the same, and
// an error is that of the batch that failed.
func TestBatchesInFlight(t *testing.T) {
	t.Parallel()
	db := loadFixture(t)
	o := smallOptions()
	want, _ := buildWith(t, db, o)
	o.Dense = "openai+http://localhost:1/v1?model=m"
	got, _ := buildWith(t, db, o)
	sameFiles(t, "batches", files(t, want.Out()), files(t, got.Out()))

	o.Workers = 1
	s := smallRun(db, o)
	s.dense = &failing{counting: &counting{texts: map[string]int{}}}
	if err := s.intoBuild(t.Context(), openDir(t, t.TempDir())); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("%v", err)
	}
}

// failing is an embedder that fails at every call after so many.
type failing struct {
	*counting
	after int
}

func (f *failing) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	if f.after--; f.after < 0 {
		return nil, errors.New("out of order")
	}
	return f.counting.Documents(ctx, texts)
}
