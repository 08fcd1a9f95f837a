package verify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

func TestMain(m *testing.M) {
	tables.Supervise()
	os.Exit(m.Run())
}

const (
	miniDump  = "../oracle/testdata/mini"
	miniBatch = "graph/batch-000001.trig.gz"
)

// One server serves all, because starting it takes longer than they do.
func TestVerify(t *testing.T) {
	db := buildtest.Open(t)
	buildtest.Load(t, db, miniDump)
	t.Run("whole build", func(t *testing.T) { testAgrees(t, db) })
	t.Run("sites", func(t *testing.T) { testSites(t, db) })
	t.Run("damage", func(t *testing.T) { testDamage(t, db) })
	t.Run("sample", func(t *testing.T) { testSample(t, db) })
	t.Run("changed tables", func(t *testing.T) { testChangedTables(t, db) })
}

func testAgrees(t *testing.T, db *tables.DB) {
	out := newFixture(t).write(t)
	var told int64
	report, err := Run(t.Context(), out, db, Options{Workers: 3, Progress: func(_ string, done, total int64) {
		if told = done; done > total {
			t.Errorf("progress %d of %d", done, total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if told == 0 {
		t.Error("no progress was told")
	}
	counts := map[string]int64{}
	for _, c := range report.Checks {
		counts[c.Name] = c.Count
	}
	want := map[string]int64{"files": 6, "batches": 329, "graph": 126, "shards": 7, "questions": 5, "parents": 3, "payload": 60}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	if report, err := Run(t.Context(), out, nil, Options{}); err != nil || len(report.Checks) != 5 {
		t.Errorf("without tables: %+v, %v", report, err)
	}
}

// A build made with option site, or of a dump that names its site, is verified
// without that option.
func testSites(t *testing.T, db *tables.DB) {
	for name, f := range map[string]func(*fixture){
		"option site":                       func(f *fixture) { f.options.Site = "https://example.org" },
		"the dump's site":                   func(f *fixture) { f.dump.Site = "https://example.org" },
		"option site before the dump's one": func(f *fixture) { f.options.Site, f.dump.Site = "https://example.org", "askubuntu.com" },
	} {
		t.Run(name, func(t *testing.T) {
			build := newFixture(t)
			f(build)
			out := build.write(t)
			if _, err := Run(t.Context(), out, db, Options{}); err == nil {
				t.Error("no difference where the IRIs are those of another site")
			}
			build.setSite("https://example.org")
			out = build.write(t)
			if _, err := Run(t.Context(), out, db, Options{}); err != nil {
				t.Error(err)
			}
			if _, err := Sample(t.Context(), out, db, Options{Sample: 100}); err != nil {
				t.Errorf("sample: %v", err)
			}
		})
	}
}

// replace edits the one batch of the fixture.
func replace(old, with string, n int) func(*fixture) {
	return func(f *fixture) {
		text := f.batches[miniBatch]
		if strings.Count(text, old) < 1 {
			panic("the fixture has no " + old)
		}
		f.batches[miniBatch] = strings.Replace(text, old, with, n)
	}
}

func edit(shard string, change func([]row) []row) func(*fixture) {
	return func(f *fixture) {
		name := "vectors/" + shard + "/part-00000.parquet"
		f.shards[name] = change(f.shards[name])
	}
}

func editRow(shard string, i int, change func(*row)) func(*fixture) {
	return edit(shard, func(rows []row) []row { change(&rows[i]); return rows })
}

func afterwards(change func(t *testing.T, out string)) func(*fixture) {
	return func(f *fixture) { f.after = change }
}

var damages = map[string]struct {
	damage    func(*fixture)
	want      []string // parts of the error
	filesOnly bool     // seen without the tables
}{
	"quad removed": {
		damage: replace("    so:viewCount 100 ;\n", "", 1),
		want:   []string{"<http://stackoverflow.com/c%23>, so:viewCount: 0 quads in the files, 1 by the tables", "/questions/1 is missing in the files"},
	},
	"score changed": {
		damage: replace("so:score -3", "so:score -4", 1),
		want:   []string{"so:score", "/questions/5", miniBatch, "another value"},
	},
	"byte of a literal": {
		damage: replace(`merge\"`, `marge\"`, 1),
		want:   []string{"/questions/1", "so:hasBody", "another value"},
	},
	"integer as a string": {
		damage: replace("so:upVotes 2 ;", `so:upVotes "2" ;`, 1),
		want:   []string{"so:upVotes", "/questions/1"},
	},
	"duplicate quad": {
		damage: replace("    so:viewCount 100 ;\n", "    so:viewCount 100 ;\n    so:viewCount 100 ;\n", 1),
		want:   []string{"2 quads in the files, 1 by the tables", "/questions/1", "has 2 in the files, 1 in the tables"},
	},
	"quad in another graph": {
		damage: func(f *fixture) {
			replace("    so:viewCount 0 ;\n", "", 1)(f)
			replace("<http://stackoverflow.com/python> {\n", "<http://stackoverflow.com/python> {\nq:7 so:viewCount 0 .\n", 1)(f)
		},
		want: []string{"<http://stackoverflow.com/c%2B%2B>, so:viewCount", "/questions/7 is missing in the files"},
	},
	"tag renamed": {
		damage: replace("tags/merge>", "tags/murge>", -1),
		want:   []string{"a so:Tag: 3 quads in the files, 3 by the tables", "/tags/merge is missing in the files"},
	},
	"tag spelled otherwise": {
		damage: replace("tags/c%2B%2B>", "tags/c%2b%2b>", -1), filesOnly: true,
		want: []string{miniBatch, "tags/c%2b%2b"},
	},
	"another graph": {
		damage: replace("<http://stackoverflow.com/.net> {", "<http://stackoverflow.com/cobol-2> {", 1), filesOnly: true,
		want: []string{"cobol-2> is no graph"},
	},
	"another class": {
		damage: replace("a so:Question", "a so:Post", 1), filesOnly: true,
		want: []string{"schema#Post> is no class"},
	},
	"another predicate": {
		damage: replace("so:viewCount", "so:views", 1), filesOnly: true,
		want: []string{"schema#views> is no predicate"},
	},
	"another site": {
		damage: replace("@prefix q: <http://stackoverflow.com/", "@prefix q: <http://stackoverflow.org/", 1), filesOnly: true,
		want: []string{"stackoverflow.org/questions/", "a node of the site"},
	},
	"syntax": {
		damage: replace(" ;\n", " ,\n", 1), filesOnly: true,
		want: []string{miniBatch + ": line "},
	},
	"batch that is not full": {
		damage: func(f *fixture) { f.batches["graph/batch-000002.trig.gz"] = "" }, filesOnly: true,
		want: []string{miniBatch + " has 329 quads"},
	},
	"batch out of line": {
		damage: func(f *fixture) {
			f.batches["graph/batch-000003.trig.gz"] = f.batches[miniBatch]
			delete(f.batches, miniBatch)
		}, filesOnly: true,
		want: []string{"batch-000003.trig.gz is there where batch-000001"},
	},
	"file cut": {
		damage: afterwards(func(t *testing.T, out string) {
			path := filepath.Join(out, filepath.FromSlash(miniBatch))
			if err := os.Truncate(path, 900); err != nil {
				t.Fatal(err)
			}
		}), filesOnly: true,
		want: []string{miniBatch + " has 900 bytes"},
	},
	"byte flipped": {
		damage: afterwards(func(t *testing.T, out string) {
			path := filepath.Join(out, "vectors/cpp/part-00000.parquet")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)/2] ^= 1
			save(t, out, "vectors/cpp/part-00000.parquet", content)
		}), filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet has the SHA-256"},
	},
	"file missing": {
		damage: func(f *fixture) { f.missing = []string{"vectors/cpp/part-00000.parquet"} }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet is missing"},
	},
	"file extra": {
		damage: func(f *fixture) { f.files["graph/notes.txt"] = "x" }, filesOnly: true,
		want: []string{"graph/notes.txt is in no stage"},
	},
	"row deleted": {
		damage: edit("python", func(r []row) []row { return r[:2] }), filesOnly: true,
		want: []string{"python: 1 questions in the shards, 2 in the graph's files", "/questions/5 (" + miniBatch + ") is missing in the shards"},
	},
	"chunk deleted": {
		damage: edit("python", func(r []row) []row { return r[1:] }), filesOnly: true,
		want: []string{"vectors/python/part-00000.parquet", "post 1 begins with chunk 1 of 2"},
	},
	"last chunk deleted": {
		damage: edit("csharp", func(r []row) []row { return r[:1] }), filesOnly: true,
		want: []string{"chunk 1 of the 2 of post 1 is missing"},
	},
	"middle chunk deleted": {
		damage: edit("python", func(r []row) []row { return slices.Delete(r, 1, 2) }), filesOnly: true,
		want: []string{"chunk 1 of the 2 of post 1 is missing"},
	},
	"shard deleted with its entry": {
		damage: func(f *fixture) { delete(f.shards, "vectors/cpp/part-00000.parquet") }, filesOnly: true,
		want: []string{"0 questions in the shards, 1 in the graph's files", "/questions/7"},
	},
	"point id off by one": {
		damage: editRow("dotnet", 0, func(r *row) { r.PointID++ }), filesOnly: true,
		want: []string{"point id 327681 is not that of chunk 0 of post 5"},
	},
	"score in a payload": {
		damage: editRow("cpp", 0, func(r *row) { n := int32(1); r.Score = &n }),
		want:   []string{"payload: http://stackoverflow.com/c%2B%2B, score: 1 posts in the shards, 1 by the tables", "/questions/7 (vectors/cpp/part-00000.parquet) has another value"},
	},
	"score gone": {
		damage: editRow("cpp", 0, func(r *row) { r.Score = nil }),
		want:   []string{"payload: ", "score", "/questions/7"},
	},
	"tag in a payload": {
		damage: editRow("dotnet", 0, func(r *row) { r.Tags[0] = "pithon" }),
		want:   []string{"payload: ", ".net, tags", "/questions/5"},
	},
	"no links": {
		damage: editRow("cpp", 0, func(r *row) { r.LinkedTo = nil }),
		want:   []string{"payload: ", "linked_to", "/questions/7"},
	},
	"another duplicate": {
		damage: editRow("dotnet", 0, func(r *row) { r.DuplicateOf[0] = 7 }),
		want:   []string{"payload: ", "duplicate_of", "/questions/5"},
	},
	"accepted answer of another": {
		damage: editRow("dotnet", 0, func(r *row) { r.HasAcceptedAnswer, r.AcceptedAnswerID = true, 2 }),
		want:   []string{"payload: ", "has_accepted_answer", "/questions/5"},
	},
	"accepted answer": {
		damage: edit("csharp", func(r []row) []row { r[0].AcceptedAnswerID, r[1].AcceptedAnswerID = 2, 2; return r }),
		want:   []string{"payload: ", "c%23, accepted_answer_id", "/questions/1"},
	},
	"title": {
		damage: func(f *fixture) {
			f.parents[2].Title = "Nothings"
			editRow("cpp", 0, func(r *row) {
				r.Title, r.Text = "Nothings", strings.Replace(r.Text, "Nothing", "Nothings", 1)
				r.ContentHash = hash(r.Text)
			})(f)
		},
		want: []string{"payload: ", "c%2B%2B, title", "/questions/7"},
	},
	"answers counted": {
		damage: editRow("cpp", 0, func(r *row) { r.AnswerCount = nil }),
		want:   []string{"payload: ", "answer_count", "/questions/7"},
	},
	"creation date": {
		damage: editRow("cpp", 0, func(r *row) { r.CreationDate++ }),
		want:   []string{"payload: ", "creation_date", "/questions/7"},
	},
	"closed": {
		damage: editRow("dotnet", 0, func(r *row) { r.Closed = false }),
		want:   []string{"payload: ", ".net, closed", "/questions/5"},
	},
	"author": {
		damage: editRow("cpp", 0, func(r *row) { r.Author = "" }),
		want:   []string{"payload: ", "author:", "/questions/7"},
	},
	"author's name": {
		damage: editRow("cpp", 0, func(r *row) { r.AuthorName = "x" }),
		want:   []string{"payload: ", "author_name:", "/questions/7"},
	},
	"licence": {
		damage: editRow("cpp", 0, func(r *row) { r.License = "https://creativecommons.org/licenses/by-sa/4.0/" }),
		want:   []string{"payload: ", "license:", "/questions/7"},
	},
	"languages": {
		damage: editRow("cpp", 0, func(r *row) { r.Languages = []string{"c++", "python"} }),
		want:   []string{"payload: ", "languages:", "/questions/7"},
	},
	"another question": {
		damage: editRow("cpp", 0, func(r *row) { r.QuestionID = 5 }),
		want:   []string{"payload: ", "question_id:", "/questions/7"},
	},
	"chunks that differ": {
		damage: editRow("csharp", 1, func(r *row) { r.Closed = true }), filesOnly: true,
		want: []string{"chunk 1 of post 1 has another closed than its first"},
	},
	"column missing": {
		damage: func(f *fixture) { f.bare = "vectors/cpp/part-00000.parquet" }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet: it has no column point_id"},
	},
	"another post": {
		damage: editRow("cpp", 0, func(r *row) { *r = point(8, 0, 1, "c++") }), filesOnly: true,
		want: []string{"c%2B%2B: 1 questions in the shards, 1 in the graph's files", "/questions/8 (vectors/cpp/part-00000.parquet) is missing in the graph's files"},
	},
	"rows out of order": {
		damage: edit("python", func(r []row) []row { return []row{r[2], r[0], r[1]} }), filesOnly: true,
		want: []string{"stands after point 327680"},
	},
	"part again": {
		damage: func(f *fixture) {
			f.shards["vectors/cpp/part-00001.parquet"] = f.shards["vectors/cpp/part-00000.parquet"]
		}, filesOnly: true,
		want: []string{"vectors/cpp/part-00001.parquet: post 7 stands after post 7"},
	},
	"zero vector": {
		damage: editRow("cpp", 0, func(r *row) { r.Dense = []float32{0, 0, 0} }), filesOnly: true,
		want: []string{"post 7: its dense vector has the length 0"},
	},
	"not a number": {
		damage: editRow("cpp", 0, func(r *row) { r.Dense = []float32{nan, 0, 0} }), filesOnly: true,
		want: []string{"its dense vector has the length NaN"},
	},
	"dimensions": {
		damage: editRow("cpp", 0, func(r *row) { r.Dense = []float32{1} }), filesOnly: true,
		want: []string{"dimensions"},
	},
	"sparse order": {
		damage: editRow("cpp", 0, func(r *row) { r.SparseIndices = []uint32{7, 7} }), filesOnly: true,
		want: []string{"sparse indices do not ascend"},
	},
	"text changed": {
		damage: editRow("cpp", 0, func(r *row) { r.Text += "!" }), filesOnly: true,
		want: []string{"content_hash"},
	},
	"language": {
		damage: editRow("cpp", 0, func(r *row) { r.Language = "c" }), filesOnly: true,
		want: []string{`it has the language "c"`},
	},
	"IRI": {
		damage: editRow("cpp", 0, func(r *row) { r.IRI = vocab.DefaultSite.Answer(7) }), filesOnly: true,
		want: []string{"post 7 has the IRI http://stackoverflow.com/a/7"},
	},
	"parent missing": {
		damage: func(f *fixture) { f.parents = f.parents[:2] }, filesOnly: true,
		want: []string{"parents: 2 posts, the shards embed 3", "7 (vectors/cpp/part-00000.parquet) is missing in the parents"},
	},
	"parent's text": {
		damage: func(f *fixture) { f.parents[2].Text += "!" }, filesOnly: true,
		want: []string{"vectors/cpp/part-00000.parquet: point 458752 of post 7: it is the last and ends at 19, its parent at 20"},
	},
	"character of a parent": {
		damage: func(f *fixture) { f.parents[0].Text = strings.Replace(f.parents[0].Text, "1 of", "2 of", 1) }, filesOnly: true,
		want: []string{"vectors/csharp/part-00000.parquet: point 65537 of post 1: its text is not that of its parent from 18 to 37"},
	},
	"parent's title": {
		damage: func(f *fixture) { f.parents[2].Title = "Something" }, filesOnly: true,
		want: []string{"post 7: its title is not that of its parent"},
	},
	"place of a chunk": {
		damage: editRow("csharp", 1, func(r *row) { r.Start, r.End = 20, 38 }), filesOnly: true,
		want: []string{"point 65537 of post 1: its place, 20 to 38, does not follow"},
	},
	"no empty line": {
		damage: editRow("cpp", 0, func(r *row) { r.Text = strings.Replace(r.Text, "\n", " ", 1); r.ContentHash = hash(r.Text) }), filesOnly: true,
		want: []string{"post 7: its text does not begin with its title and an empty line"},
	},
	"parent twice": {
		damage: func(f *fixture) { f.parents[2] = f.parents[1] }, filesOnly: true,
		want: []string{"post 5 stands after post 5"},
	},
}

var nan = func() float32 { var zero float32; return zero / zero }()

func testDamage(t *testing.T, db *tables.DB) {
	for name, c := range damages {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.damage(f)
			out := f.write(t)
			if f.after != nil {
				f.after(t, out)
			}
			_, err := Run(t.Context(), out, db, Options{})
			if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification {
				t.Fatalf("error %v, want a verification fault", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if _, err := Run(t.Context(), out, nil, Options{}); (err != nil) != c.filesOnly {
				t.Errorf("without tables the error is %v", err)
			}
		})
	}
}

func testChangedTables(t *testing.T, db *tables.DB) {
	out := newFixture(t).write(t)
	if _, err := db.SQL().ExecContext(t.Context(), "UPDATE Posts SET Score=8 WHERE Id=1"); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), out, db, Options{})
	if err == nil || !strings.Contains(err.Error(), "/questions/1") || !strings.Contains(err.Error(), "so:score") {
		t.Errorf("error %v", err)
	}
}

func TestVerifyNeedsABuild(t *testing.T) {
	out := t.TempDir()
	_, err := Run(t.Context(), out, nil, Options{})
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
		t.Errorf("empty folder: error %v, want a usage fault", err)
	}
	save(t, out, "manifest.json", fmt.Appendf(nil, `{"format":%d,"stages":{}}`, manifest.Format))
	_, err = Run(t.Context(), out, nil, Options{})
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
		t.Errorf("nothing built: error %v, want a usage fault", err)
	}
}

// A shard with a byte changed is read or refused, never a crash.
func TestDamagedShardIsNoCrash(t *testing.T) {
	out := newFixture(t).write(t)
	m, err := manifest.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(out, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const name = "vectors/python/part-00000.parquet"
	path := filepath.Join(out, name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 7 {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x55
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.readShard(t.Context(), file{name, int64(len(damaged)), aShard}, nil, nil); err != nil {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}
