package diff

import (
	stdcmp "cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
	"s2g/schema/vocab"
	"s2g/vectors"
)

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

// options are how a build is made; the zero value is a graph and vectors of the
// default languages.
type options struct {
	shape   manifest.Options
	graph   bool // the graph alone
	vectors bool // the vectors alone
	reuse   string
}

// build builds a dump and returns the folder, without its private part.
func build(t *testing.T, db *tables.DB, dump string, o options) (out string) {
	t.Helper()
	buildtest.Load(t, db, dump)
	out = t.TempDir()
	dir, err := manifest.Open(out)
	check(t, err)
	s := o.shape
	if s.Languages == nil {
		s.Languages = schema.DefaultLanguages()
	}
	s.Units = "question"
	check(t, dir.Update(func(m *manifest.Manifest) {
		m.Options = s
		m.Dump.Site, m.Dump.Newest = "stackoverflow.com", "2024-01-01T00:00:00.000Z"
		m.Stages[manifest.Ingest] = &manifest.Stage{Key: "test"}
	}))
	if !o.vectors {
		check(t, graph.Run(t.Context(), dir, db, graph.Options{
			Site: stdcmp.Or(vocab.Site(s.Site), vocab.StackOverflow), Languages: s.Languages, Other: s.Other, Format: s.GraphFormat, Compress: s.Compress, Materialize: s.Materialize,
		}))
	}
	if !o.graph {
		check(t, vectors.Run(t.Context(), dir, db, vectors.Options{
			Site: stdcmp.Or(vocab.Site(s.Site), vocab.StackOverflow), Languages: s.Languages, Other: s.Other, Units: s.Units, Window: 64, Overlap: new(8), Reuse: o.reuse,
		}))
	}
	check(t, dir.Close())
	check(t, os.RemoveAll(filepath.Join(out, ".s2g"))) // as in a copy that was published
	return out
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeSample writes the first posts of a site that has 3,000 at its end: over
// 50,000 triples, so that the graph has several files.
func writeSample(t *testing.T, posts int) (dump string) {
	t.Helper()
	dump = t.TempDir()
	_, err := sample.Write(t.Context(), sample.Options{Out: dump, Posts: posts, Grow: 3000, Seed: 4})
	check(t, err)
	return dump
}

// edit copies a dump and replaces the first match of each text of Posts.xml.
func edit(t *testing.T, dump string, edits ...[2]string) (edited string) {
	t.Helper()
	edited = t.TempDir()
	check(t, os.CopyFS(edited, os.DirFS(dump)))
	file := filepath.Join(edited, "Posts.xml")
	text, err := os.ReadFile(file)
	check(t, err)
	s := string(text)
	for _, e := range edits {
		if !strings.Contains(s, e[0]) {
			t.Fatalf("nothing to edit: %s", e[0])
		}
		s = strings.Replace(s, e[0], e[1], 1)
	}
	check(t, os.WriteFile(file, []byte(s), 0o666))
	return edited
}

// compare compares two builds and collects the posts.
func compare(t *testing.T, was, now string) (*Result, []Post) {
	t.Helper()
	var posts []Post
	r, err := Compare(t.Context(), was, now, Options{Each: func(p Post) error { posts = append(posts, p); return nil }})
	check(t, err)
	for i, p := range posts {
		if i > 0 && p.ID <= posts[i-1].ID {
			t.Errorf("post %d follows post %d", p.ID, posts[i-1].ID)
		}
	}
	return r, posts
}

// TestDifferencesAreThoseOfTheDumps compares the result with the differences of the dumps'
// XML, read in the simplest way. The site grows, and the later dump is edited, too.
func TestDifferencesAreThoseOfTheDumps(t *testing.T) {
	dumps := [2]string{writeSample(t, 2400), ""}
	later := writeSample(t, 2900)
	rows := buildtest.Rows(t, filepath.Join(later, "Posts.xml"))
	questions, answers := someOf(rows, "1"), someOf(rows, "2")
	var edits [][2]string
	drop := func(r row) {
		edits = append(edits, [2]string{`<row Id="` + r["Id"] + `" `, `<gone Id="` + r["Id"] + `" `})
	}
	change := func(r row, name, with string) {
		start := `<row Id="` + r["Id"] + `" `
		rest := strings.SplitN(readText(t, later), start, 2)[1]
		old := strings.SplitN(rest, "/>", 2)[0]
		_, after, ok := strings.Cut(old, name+`="`)
		if !ok {
			t.Fatalf("post %s has no %s", r["Id"], name)
		}
		value, _, _ := strings.Cut(after, `"`)
		edits = append(edits, [2]string{start + old, start + strings.Replace(old, name+`="`+value+`"`, name+`="`+with+`"`, 1)})
	}
	drop(questions[3]) // its answers are in no graph then
	drop(questions[40])
	drop(answers[11])
	change(questions[5], "Title", "Another title")
	change(questions[6], "Body", "&lt;p&gt;Another body&lt;/p&gt;")
	change(answers[7], "Body", "&lt;p&gt;Another answer&lt;/p&gt;")
	change(questions[8], "Tags", "&lt;cobol&gt;&lt;python&gt;")
	change(questions[9], "Tags", "&lt;nothing&gt;")
	change(answers[10], "Score", "4711")
	change(questions[12], "ViewCount", "4711000")
	dumps[1] = edit(t, later, edits...)
	t.Parallel()
	db := server.Database(t)
	was := build(t, db, dumps[0], options{})
	now := build(t, db, dumps[1], options{reuse: was})
	got, posts := compare(t, was, now)

	want := comparePlainly(readPlainPosts(t, dumps[0]), readPlainPosts(t, dumps[1]))
	if diff := cmp.Diff(want.posts, posts); diff != "" {
		t.Errorf("posts: %s", diff)
	}
	if diff := cmp.Diff(want.questions, got.Questions); diff != "" {
		t.Errorf("questions: %s", diff)
	}
	if diff := cmp.Diff(want.answers, got.Answers); diff != "" {
		t.Errorf("answers: %s", diff)
	}
	of := map[string]int{}
	for _, p := range posts {
		of[p.Type+" "+p.What]++
		for _, c := range p.Changed {
			of[c]++
		}
	}
	for _, what := range []string{"question added", "question removed", "question changed", "answer added", "answer removed", "answer changed", "hasTitle", "hasBody", "TaggedWith", "languages", "score", "class"} {
		if of[what] == 0 {
			t.Errorf("the dumps differ too little to tell: no %s among %v", what, of)
		}
	}
	texts := textsPlainly(t, was, now)
	if diff := cmp.Diff(texts, got.Texts); diff != "" {
		t.Errorf("texts: %s", diff)
	}
	m, err := manifest.Read(now)
	check(t, err)
	counts := m.Stages[manifest.Vectors].Counts
	// the build uses the vector of another post of the same text, too
	if embedded, says := counts["texts"]-counts["texts_reused"], got.Texts.Distinct.Embed; says < embedded || says > embedded+embedded/10 {
		t.Errorf("%d texts are to be embedded, the build embedded %d of %d", says, embedded, counts["texts"])
	}
}

func TestFormOfFilesIsNoDifference(t *testing.T) {
	schematest.Long(t)
	dump := writeSample(t, 400)
	t.Parallel()
	db := server.Database(t)
	was := build(t, db, dump, options{graph: true})
	for _, shape := range []manifest.Options{
		{Compress: "none"}, {Compress: "zstd"}, {GraphFormat: "nquads"}, {Materialize: true}, {Site: "https://stackoverflow.com"},
	} {
		now := build(t, db, dump, options{graph: true, shape: shape})
		r, posts := compare(t, was, now)
		if len(posts) > 0 || r.Questions.Distinct.Same == 0 || r.Answers.Distinct.Same == 0 {
			t.Errorf("%+v: %d posts differ, as %+v; %+v", shape, len(posts), posts[:min(3, len(posts))], r.Questions.Distinct)
		}
	}
}

func TestNotesDescribeHowBuildsDiffer(t *testing.T) {
	dump := writeSample(t, 600)
	t.Parallel()
	db := server.Database(t)
	some := func(tags ...string) (l []schema.Language) {
		for _, tag := range tags {
			l = append(l, schema.Language{Tag: tag, Slug: schema.Slug(tag), Name: tag})
		}
		return l
	}
	was := build(t, db, dump, options{graph: true, shape: manifest.Options{Languages: some("python", "java")}})
	now := build(t, db, dump, options{graph: true, shape: manifest.Options{Languages: some("java", "php"), Other: true, Without: []string{"votes"}, Site: "http://ru.stackoverflow.com"}})
	r, _ := compare(t, was, now)
	want := []string{
		"OLD is of stackoverflow.com, NEW of ru.stackoverflow.com: posts of the same id have nothing to do with each other",
		"OLD alone has graphs of python: all of these count as removed",
		"NEW alone has graphs of php, (other): all of these count as added",
		"one of the builds is without votes: what comes from these is not compared",
		"both have no vectors: texts are not compared",
	}
	if diff := cmp.Diff(want, r.Notes); diff != "" {
		t.Error(diff)
	}
	by := map[string]Count{}
	for _, n := range r.Questions.Languages {
		by[n.Language] = n
	}
	if n := by["python"]; n.Removed != n.Before || n.Before == 0 || n.After != 0 {
		t.Errorf("python: %+v", n)
	}
	if n := by[""]; n.Added != n.After || n.After == 0 {
		t.Errorf("the rest: %+v", n)
	}
	if n := by["java"]; n.Removed+n.Added > 0 || n.Before == 0 {
		t.Errorf("java: %+v", n)
	}
}

func TestBuildsThatCannotBeCompared(t *testing.T) {
	dump := writeSample(t, 300)
	t.Parallel()
	db := server.Database(t)
	drawn, embedded := build(t, db, dump, options{graph: true}), build(t, db, dump, options{vectors: true})
	fault := func(was, now string, o Options, want schema.Fault, says string) {
		t.Helper()
		_, err := Compare(t.Context(), was, now, o)
		if got, _ := schema.FaultOf(err); err == nil || got != want || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want fault %d that says %q", err, want, says)
		}
	}
	each := Options{Each: func(Post) error { return nil }}
	fault(t.TempDir(), drawn, Options{}, schema.FaultUsage, "holds no build")
	fault(drawn, t.TempDir(), Options{}, schema.FaultUsage, "holds no build")
	fault(drawn, embedded, Options{}, schema.FaultUsage, "nothing in common")
	fault(embedded, embedded, each, schema.FaultUsage, "nothing in common")
	r, err := Compare(t.Context(), embedded, embedded, Options{})
	if err != nil || r.Questions != nil || r.Texts.Distinct.Same == 0 || r.Texts.Distinct.Embed != 0 {
		t.Errorf("vectors alone: %+v, %v", r, err)
	}
	batch := filepath.Join(drawn, "graph", "batch-000001.trig.gz")
	info, err := os.Stat(batch)
	check(t, err)
	check(t, os.Truncate(batch, info.Size()/2))
	fault(drawn, drawn, each, schema.FaultVerification, "batch-000001")
	shards, err := filepath.Glob(filepath.Join(embedded, "vectors", "*", "part-00000.parquet"))
	check(t, err)
	check(t, os.Remove(shards[0]))
	fault(embedded, embedded, Options{}, schema.FaultVerification, "part-00000")
}

// someOf returns the posts of a type whose question has a language.
func someOf(rows []row, kind string) []row {
	in := map[string]bool{}
	for _, r := range rows {
		if r["PostTypeId"] == "1" && len(languagesOf(r["Tags"])) > 0 {
			in[r["Id"]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		return r["PostTypeId"] != kind || !in[r["Id"]] && !in[r["ParentId"]]
	})
}

func readText(t *testing.T, dump string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dump, "Posts.xml"))
	check(t, err)
	return string(text)
}
