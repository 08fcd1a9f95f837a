package graph

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// languages are those of the tests. Graphs follow this order, not that of a question's
// tags.
var languages = []schema.Language{{Tag: "python", Slug: "python", Name: "Python"}, {Tag: "c#", Slug: "csharp", Name: "C#"}}

func buildGraph(t testing.TB, db *tables.DB, o Options) *manifest.Dir {
	t.Helper()
	dir := out(t)
	if err := Run(t.Context(), dir, db, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// quads reads the batch files of a build, as N-Quads lines in order.
func quads(t testing.TB, dir *manifest.Dir, format trig.Format) []string {
	t.Helper()
	var all []string
	for name, text := range contents(t, dir) {
		if !strings.Contains(name, "batch-") {
			continue
		}
		r := trig.NewReader(uncompressed(t, name, text), format)
		for r.Scan() {
			q := r.Record()
			all = append(all, nq(q.Subject)+" "+nq(q.Predicate)+" "+nq(q.Object)+" "+nq(q.Graph)+" .")
		}
		if err := r.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	slices.Sort(all)
	return all
}

func uncompressed(t testing.TB, name, text string) io.Reader {
	t.Helper()
	var r io.Reader = strings.NewReader(text)
	var err error
	switch filepath.Ext(name) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".zst":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func nq(t trig.Term) string {
	if t.Kind == trig.IRI {
		return "<" + string(t.Value) + ">"
	}
	text := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\x7f", `\u007F`).Replace(string(t.Value)) + `"`
	if string(t.Datatype) != vocab.XSD+"string" {
		text += "^^<" + string(t.Datatype) + ">"
	}
	return text
}

// The golden files are the output of scripts/judge/quads.py, an independent program,
// for testdata/mini with the same options.
func TestGraphHasTheGoldenQuads(t *testing.T) {
	db := mini(t)
	many := make([]schema.Language, 130) // more than the bits of two words
	for i := range many {
		many[i].Tag = fmt.Sprint("language-", i)
	}
	for _, c := range []struct {
		golden  string
		options Options
	}{
		{"mini.nq", Options{Site: vocab.StackOverflow, Languages: languages}},
		{"mini.nq", Options{Site: vocab.StackOverflow, Languages: languages, Compress: "zstd", Format: "nquads"}},
		{"mini.nq", Options{Site: vocab.StackOverflow, Languages: languages, Compress: "none", batch: 7, Workers: 3}},
		{"mini.nq", Options{Site: vocab.StackOverflow, Languages: append(many, languages...)}},
		{"mini-other.nq", Options{Site: "https://ru.stackoverflow.com", Languages: []schema.Language{languages[1], {Tag: "haskell", Name: "Haskell"}}, Other: true}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.golden))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		slices.Sort(want)
		dir := buildGraph(t, db, c.options)
		if diff := cmp.Diff(want, quads(t, dir, formats[c.options.Format])); diff != "" {
			t.Errorf("%+v: %s", c.options, diff)
		}
		s := dir.Manifest().Stages[manifest.Graph]
		if s.Rows != int64(len(want)) {
			t.Errorf("%s: counted %d quads, wrote %d", c.golden, s.Rows, len(want))
		}
		for i, f := range s.Files {
			size := int64(BatchSize)
			if c.options.batch > 0 {
				size = int64(c.options.batch)
			}
			next := i+1 < len(s.Files) && strings.Contains(s.Files[i+1].Name, "batch-")
			if next && f.Rows != size {
				t.Errorf("%s holds %d quads", f.Name, f.Rows)
			}
		}
	}
}

func TestManifestCounts(t *testing.T) {
	dir := buildGraph(t, mini(t), Options{Site: vocab.StackOverflow, Languages: languages})
	all := quads(t, dir, trig.TriG)
	distinct := map[string]bool{}
	for _, q := range all {
		distinct[q[:strings.LastIndex(q, " <")]] = true
	}
	want := map[string]int64{
		"files": 1, "triples": int64(len(all)), "triples_distinct": int64(len(distinct)),
		"questions": 6, "answers": 8, "comments": 5, "links": 6, "tags": 5, "wikis": 3,
		"questions_outside": 1, "answers_outside": 3, "accepted_dropped": 2, // of 5 and 16
		"comments_outside": 1, "comments_on_wikis": 1, "comments_without_post": 2, "votes_without_post": 2,
		"links_outside": 4, "links_repeated": 1, "duplicates_not_questions": 1,
		"tags_without_row": 1, "wikis_dropped": 4,
	}
	if diff := cmp.Diff(want, dir.Manifest().Stages[manifest.Graph].Counts); diff != "" {
		t.Error(diff)
	}
}

// A dump without comments, votes, links and tags gives the quads that need none of
// them, and no numbers of votes.
func TestMissingTables(t *testing.T) {
	db := mini(t, "Comments", "Votes", "PostLinks", "Tags")
	all := strings.Join(quads(t, buildGraph(t, db, Options{Site: vocab.StackOverflow, Languages: languages}), trig.TriG), "\n")
	for _, absent := range []string{"#upVotes>", "#downVotes>", "#HasComment>", "#LinkedTo>", "#tagCount>", "#HasTagWiki>"} {
		if strings.Contains(all, absent) {
			t.Errorf("%s is there", absent)
		}
	}
	if !strings.Contains(all, "/tags/pandas> <http://stackoverflow.com/schema#tagName> \"pandas\"") {
		t.Error("a tag without a row has no name")
	}
}

// The bytes of a build are the same for any number of workers, and for a run that was
// interrupted and resumed.
func TestSameBytesForAnyWorkersAndInterruptions(t *testing.T) {
	db := mini(t)
	o := Options{Site: vocab.StackOverflow, Languages: languages, Compress: "gzip", Materialize: true, batch: 17, Workers: 1}
	first := buildGraph(t, db, o)
	want := contents(t, first)
	for _, n := range []int{2, 7} {
		o.Workers = n
		if diff := cmp.Diff(want, contents(t, buildGraph(t, db, o))); diff != "" {
			t.Errorf("%d workers: %s", n, diff)
		}
	}
	midway, step := 0, 1
	if testing.Short() {
		step = 4
	}
	for after := 0; after < 20; after += step {
		dir := out(t)
		resumed := interrupt(t, dir, db, o, after)
		if resumed > 0 && resumed < len(want) {
			midway++
		}
		if err := Run(t.Context(), dir, db, o); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
			t.Errorf("interrupted after %d files: %s", resumed, diff)
		}
		if diff := cmp.Diff(first.Manifest().Stages[manifest.Graph].Counts, dir.Manifest().Stages[manifest.Graph].Counts); diff != "" {
			t.Errorf("interrupted after %d files: %s", resumed, diff)
		}
	}
	if midway == 0 {
		t.Error("no run was interrupted between two files")
	}
}

// interrupt runs a build, cancels it after so many files, and returns the number of
// files.
func interrupt(t *testing.T, dir *manifest.Dir, db *tables.DB, o Options, after int) (files int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	count := func() int {
		names, _ := filepath.Glob(filepath.Join(dir.Out(), "graph", "*"))
		return len(names)
	}
	go func() {
		for ctx.Err() == nil && count() < after {
			time.Sleep(100 * time.Microsecond)
		}
		cancel()
	}()
	if err := Run(ctx, dir, db, o); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return count()
}

// A real dump gives exactly the quads that an independent program lists for it.
func TestRealDumpHasTheJudgesQuads(t *testing.T) {
	schematest.Long(t)
	compare := schematest.Judge(t, "compare")
	schematest.Tool(t, "serdi")
	schematest.Tool(t, "python3")
	for _, c := range []struct {
		site string
		tags string
		args []string
	}{
		{"bioinformatics.stackexchange.com", "", nil},
		{"bioinformatics.stackexchange.com", "", []string{"--other"}},
		{"bicycles.meta.stackexchange.com", "discussion,support,feature-request", []string{"--languages", "discussion,support,feature-request"}},
	} {
		folder := schematest.Dump(t, c.site)
		o := Options{Site: vocab.StackOverflow, Other: slices.Contains(c.args, "--other")}
		if c.tags != "" {
			var err error
			if o.Languages, err = schema.ParseLanguages(c.tags); err != nil {
				t.Fatal(err)
			}
		}
		dir := buildGraph(t, load(t, folder), o)
		report, err := exec.Command(compare, append([]string{folder, dir.Out()}, c.args...)...).CombinedOutput()
		if err != nil || strings.HasPrefix(string(report), "0 ") {
			t.Errorf("%s %v: %s", c.site, c.args, report)
		}
		t.Logf("%s %v: %s", c.site, c.args, report)
	}
}

// Other parsers read every file by itself.
func TestOtherParsersReadTheFiles(t *testing.T) {
	serdi, rapper := schematest.Tool(t, "serdi"), schematest.Tool(t, "rapper")
	dir := buildGraph(t, mini(t), Options{Site: vocab.StackOverflow, Languages: languages, Compress: "none", batch: 100})
	names := slices.Sorted(maps.Keys(contents(t, dir)))
	if len(names) != 6 {
		t.Fatalf("files: %v", names)
	}
	for _, name := range names {
		syntax := "trig"
		if strings.HasSuffix(name, ".ttl") {
			syntax = "turtle"
		}
		file := filepath.Join(dir.Out(), name)
		for _, args := range [][]string{{serdi, "-i", syntax, "-o", "nquads", file}, {rapper, "-q", "-i", syntax, "-o", "nquads", file}} {
			var stderr bytes.Buffer
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Stderr = &stderr
			lines, err := cmd.Output()
			if err != nil || stderr.Len() > 0 || len(lines) == 0 {
				t.Errorf("%v: %v %s", args, err, stderr.Bytes())
			}
		}
	}
}

func TestKeyChangesWithTheFiles(t *testing.T) {
	base, err := Key("ingest", Options{Site: vocab.StackOverflow})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ingest string
		o      Options
		same   bool
	}{
		"defaults":    {"ingest", Options{Site: vocab.StackOverflow, Languages: schema.DefaultLanguages(), Format: "trig", Compress: "gzip"}, true},
		"workers":     {"ingest", Options{Workers: 7}, true},
		"ingest":      {"other", Options{}, false},
		"site":        {"ingest", Options{Site: "http://superuser.com"}, false},
		"languages":   {"ingest", Options{Languages: languages}, false},
		"other":       {"ingest", Options{Other: true}, false},
		"format":      {"ingest", Options{Format: "nquads"}, false},
		"compression": {"ingest", Options{Compress: "none"}, false},
		"materialize": {"ingest", Options{Materialize: true}, false},
	} {
		if c.o.Site == "" {
			c.o.Site = vocab.StackOverflow
		}
		if got, err := Key(c.ingest, c.o); err != nil || (got == base) != c.same {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	for _, o := range []Options{{Site: vocab.StackOverflow, Format: "rdfxml"}, {Site: vocab.StackOverflow, Compress: "lz4"}, {}} {
		if _, err := Key("ingest", o); err == nil {
			t.Errorf("%+v is no error", o)
		}
	}
}
