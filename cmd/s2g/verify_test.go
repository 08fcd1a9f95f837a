package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"s2g/cmd/s2g/internal/publish"
	"s2g/graph/trig"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/vectors/shard"
)

const (
	oneBatch = "graph/batch-000001.trig.gz"
	oneShard = "vectors/python/part-00000.parquet"
)

// victim is a build that a test damages and restores.
type victim struct {
	*testing.T
	out  string
	db   *tables.DB
	good map[string][]byte // all files
}

func newVictim(t *testing.T) *victim {
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	v := &victim{T: t, out: filepath.Join(work, "build"), good: map[string][]byte{}}
	s2g(t, "sample", "--posts", "2000", "--seed", "3", "--out", filepath.Join(work, "dump"))
	s2g(t, "build", "--dump", filepath.Join(work, "dump"), "--out", v.out, "--quiet")
	var err error
	if v.db, err = tables.Open(t.Context(), tables.ServerOptions{Dir: filepath.Join(v.out, ".s2g"), Access: tables.Load}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.check(v.db.Close()) })
	for _, name := range v.files() {
		v.good[name] = v.read(name)
	}
	return v
}

func (v *victim) check(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

// files returns the names of all files of the build but the private ones.
func (v *victim) files() (names []string) {
	v.check(filepath.WalkDir(v.out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".s2g" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(v.out, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	return names
}

func (v *victim) path(name string) string { return filepath.Join(v.out, filepath.FromSlash(name)) }

func (v *victim) read(name string) []byte {
	v.Helper()
	content, err := os.ReadFile(v.path(name))
	v.check(err)
	return content
}

func (v *victim) write(name string, content []byte) {
	v.Helper()
	v.check(os.WriteFile(v.path(name), content, 0o644))
}

func (v *victim) sql(statement string) {
	v.Helper()
	_, err := v.db.SQL().Exec(statement)
	v.check(err)
}

// mend restores all files.
func (v *victim) mend() {
	for _, name := range v.files() {
		if _, ok := v.good[name]; !ok {
			v.check(os.Remove(v.path(name)))
		}
	}
	for name, content := range v.good {
		v.check(os.MkdirAll(filepath.Dir(v.path(name)), 0o755))
		v.write(name, content)
	}
	v.write(".s2g/manifest.json", v.good["manifest.json"])
}

// text changes the text of all batches, or of those that are named.
func (v *victim) text(change func(text string) string, names ...string) {
	v.Helper()
	changed := false
	for _, name := range v.files() {
		if !strings.HasPrefix(name, "graph/batch-") || len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(v.read(name)))
		v.check(err)
		text, err := io.ReadAll(r)
		v.check(err)
		with := change(string(text))
		changed = changed || with != string(text)
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err = io.WriteString(w, with)
		v.check(err)
		v.check(w.Close())
		v.write(name, b.Bytes())
	}
	if !changed {
		v.Fatal("nothing was changed")
	}
}

// points changes the rows of a shard.
func (v *victim) points(name string, change func([]shard.Point) []shard.Point) {
	v.Helper()
	stored := v.read(name)
	rows, err := parquet.Read[shard.Point](bytes.NewReader(stored), int64(len(stored)))
	v.check(err)
	var b bytes.Buffer
	v.check(shard.Write(&b, shard.NewEncoding(), slices.Values(change(rows))))
	v.write(name, b.Bytes())
}

// conceal makes manifest and documents agree with the damaged files.
func (v *victim) conceal() {
	v.Helper()
	dir, err := manifest.Open(v.out)
	v.check(err)
	defer dir.Close()
	v.check(dir.Update(func(m *manifest.Manifest) {
		said := map[string]int64{}
		for _, stage := range []string{manifest.Graph, manifest.Vectors} {
			for _, f := range m.Stages[stage].Files {
				said[f.Name] = f.Rows
			}
			m.Stages[stage].Files = nil
		}
		for _, name := range v.files() {
			folder, _, _ := strings.Cut(name, "/")
			stage := map[string]string{"graph": manifest.Graph, "vectors": manifest.Vectors, "parents": manifest.Vectors, "model.bin": manifest.Vectors}[folder]
			if stage == "" {
				continue
			}
			content := v.read(name)
			sum := sha256.Sum256(content)
			m.Stages[stage].Files = append(m.Stages[stage].Files, manifest.File{
				Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Rows: countRows(name, content, said[name]),
			})
		}
	}))
	documents, err := publish.Documents(dir.Manifest())
	v.check(err)
	_, err = dir.Publish(documents)
	v.check(err)
}

// countRows counts the rows of a file that can be read.
func countRows(name string, content []byte, said int64) (n int64) {
	switch {
	case strings.HasSuffix(name, ".parquet"):
		if f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content))); err == nil {
			return f.NumRows()
		}
	case strings.HasPrefix(name, "graph/batch-"):
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return said
		}
		quads := trig.NewReader(r, trig.TriG)
		for quads.Scan() {
			n++
		}
		if quads.Err() == nil {
			return n
		}
	}
	return said
}

// verify runs the command and returns its standard error.
func (v *victim) verify(want int, more ...string) string {
	v.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), append([]string{"verify", "--out", v.out}, more...), &stdout, &stderr); code != want {
		v.Errorf("exit code %d, want %d\n%s%s", code, want, stdout.String(), stderr.String())
	}
	return stderr.String()
}

func (v *victim) names(said string, want []string) {
	v.Helper()
	for _, part := range want {
		if !strings.Contains(said, part) {
			v.Errorf("it does not say %q: %s", part, said)
		}
	}
}

// breakage is a way of breaking a build.
type breakage struct {
	damage    func(v *victim)
	says      []string // parts of what verify says
	concealed []string // and where manifest and documents were made to fit; nil: they cannot be
	undo      func(v *victim)
}

// replaceFirst changes the first match of a pattern.
func replaceFirst(pattern, with string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(text string) string {
		at := re.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		return text[:at[0]] + string(re.ExpandString(nil, with, text, at)) + text[at[1]:]
	}
}

// onePoint changes the middle row of a shard.
func onePoint(change func(p *shard.Point)) func(*victim) {
	return func(v *victim) {
		v.points(oneShard, func(rows []shard.Point) []shard.Point { change(&rows[len(rows)/2]); return rows })
	}
}

func breakages(v *victim) map[string]breakage {
	var middle shard.Point // that onePoint changes
	v.points(oneShard, func(rows []shard.Point) []shard.Point { middle = rows[len(rows)/2]; return rows })
	v.mend()
	post, point := fmt.Sprintf("/questions/%d", middle.PostID), fmt.Sprintf("point %d of post %d", middle.PointID, middle.PostID)
	batches, shards := v.like("graph/batch-"), v.like("vectors/python/")
	last := batches[len(batches)-1]
	return map[string]breakage{
		"a byte flipped inside a literal": {
			damage:    func(v *victim) { v.text(replaceFirst(`so:hasTitle "(.*)a`, `so:hasTitle "${1}e`), oneBatch) },
			says:      []string{"files: " + oneBatch + " has "},
			concealed: []string{"so:hasTitle", "/questions/", "(" + oneBatch + ") has another value in the files than in the tables"},
		},
		"a byte flipped in a stored file": {
			damage: func(v *victim) {
				content := bytes.Clone(v.good[oneBatch])
				content[len(content)/2] ^= 4
				v.write(oneBatch, content)
			},
			says:      []string{"files: " + oneBatch + " has the SHA-256"},
			concealed: []string{"batches: " + oneBatch},
		},
		"a missing batch": {
			damage:    func(v *victim) { v.check(os.Remove(v.path(last))) },
			says:      []string{"files: " + last + " is missing"},
			concealed: []string{"graph <http://", " is missing in the files"},
		},
		"a missing shard": {
			damage:    func(v *victim) { v.check(os.RemoveAll(filepath.Dir(v.path(shards[0])))) },
			says:      []string{"files: " + shards[0] + " is missing"},
			concealed: []string{"questions: http://stackoverflow.com/python: 0 questions in the shards", "/questions/", "is missing in the shards"},
		},
		"an extra batch": {
			damage:    func(v *victim) { v.write("graph/batch-000099.trig.gz", v.good[last]) },
			says:      []string{"files: graph/batch-000099.trig.gz is in no stage"},
			concealed: []string{"batches: " + last + " has ", " quads: each file but the last has"},
		},
		"an extra file": {
			damage: func(v *victim) { v.write("vectors/python/notes.txt", []byte("x")) },
			says:   []string{"files: vectors/python/notes.txt is in no stage"},
		},
		"a truncated shard": {
			damage:    func(v *victim) { v.write(oneShard, v.good[oneShard][:len(v.good[oneShard])-100]) },
			says:      []string{"files: " + oneShard + " has "},
			concealed: []string{"shards: " + oneShard + ": "},
		},
		"a shard without its last rows": {
			damage: func(v *victim) {
				v.points(oneShard, func(rows []shard.Point) []shard.Point {
					return slices.DeleteFunc(rows, func(p shard.Point) bool { return p.PostID >= middle.PostID })
				})
			},
			says:      []string{"files: " + oneShard + " has "},
			concealed: []string{"questions: http://stackoverflow.com/python: ", "/questions/", "is missing in the shards"},
		},
		"a changed score in MariaDB": {
			damage: func(v *victim) {
				v.sql(fmt.Sprintf("UPDATE Posts SET Score=IFNULL(Score,0)+1 WHERE Id=%d", middle.PostID))
			},
			undo: func(v *victim) {
				v.sql(fmt.Sprintf("UPDATE Posts SET Score=%d WHERE Id=%d", *middle.Score, middle.PostID))
			},
			says: []string{"tables: a row of the table Posts has changed since the ingest"},
		},
		"a score in a payload": {
			damage:    onePoint(func(p *shard.Point) { n := *p.Score + 1; p.Score = &n }),
			says:      []string{"files: " + oneShard + " has "},
			concealed: []string{"payload: http://stackoverflow.com/python, score: ", post + " (" + oneShard + ") has another value in the shards than in the tables"},
		},
		"a quad moved to another graph": {
			damage: func(v *victim) {
				v.text(func(text string) string {
					text = replaceFirst(`(q:\d+)( a so:Question ;[^{}]*?)\n\t(so:viewCount \d+) ;([^{]*\n}\n<[^>]*> \{\n)`, "${1}${2}${4}${1} ${3} .\n")(text)
					return text
				}, oneBatch)
			},
			says:      []string{"files: " + oneBatch},
			concealed: []string{"so:viewCount", "/questions/", " is missing in the files"},
		},
		"a point id off by one": {
			damage:    onePoint(func(p *shard.Point) { p.PointID++ }),
			says:      []string{"files: " + oneShard},
			concealed: []string{"shards: " + oneShard, fmt.Sprintf("point id %d is not that of chunk %d of post %d", middle.PointID+1, middle.Chunk, middle.PostID)},
		},
		"a vector of zeros": {
			damage:    onePoint(func(p *shard.Point) { clear(p.Dense) }),
			says:      []string{"files: " + oneShard},
			concealed: []string{"shards: " + oneShard, point + ": its dense vector has the length 0"},
		},
		"rows of the manifest edited": {
			damage: func(v *victim) { v.edit(`"name": "`+oneBatch+`"[^}]*"rows": `, "${0}1") },
			says:   []string{"files: " + oneBatch + " has 50000 rows, the manifest lists 150000"},
		},
		"a language of the manifest edited": {
			damage:    func(v *victim) { v.edit(`"Tag": "assembly"`, `"Tag": "assemblies"`) },
			says:      []string{oneBatch, "<http://stackoverflow.com/assembly> is no graph of this build"},
			concealed: []string{oneBatch, "<http://stackoverflow.com/assembly> is no graph of this build"},
		},
		"a tag renamed in the graph": {
			damage: func(v *victim) {
				v.text(func(text string) string { return strings.ReplaceAll(text, "/tags/list>", "/tags/lists>") })
			},
			says:      []string{"files: graph/batch-"},
			concealed: []string{"/tags/list"},
		},
		"a tag renamed in MariaDB": {
			damage: func(v *victim) { v.sql("UPDATE Tags SET TagName='lists' WHERE TagName='list'") },
			undo:   func(v *victim) { v.sql("UPDATE Tags SET TagName='list' WHERE TagName='lists'") },
			says:   []string{"tables: a row of the table Tags has changed since the ingest"},
		},
	}
}

// like are the files whose names begin so.
func (v *victim) like(prefix string) []string {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(v.good)), func(name string) bool { return !strings.HasPrefix(name, prefix) })
	return slices.SortedFunc(slices.Values(names), cmp.Compare[string])
}

// edit changes manifest.json.
func (v *victim) edit(pattern, with string) {
	v.Helper()
	text := string(v.good["manifest.json"])
	changed := replaceFirst(pattern, with)(text)
	if changed == text {
		v.Fatalf("manifest.json has no %s", pattern)
	}
	v.write("manifest.json", []byte(changed))
}

// verify finds and names each way of breaking a build: first by the manifest, and then, where the manifest agrees with the
// damage, by the tables and the other files.
func TestVerifyFindsEachBreakage(t *testing.T) {
	schematest.Long(t)
	v := newVictim(t)
	v.verify(0)
	for name, b := range breakages(v) {
		t.Run(name, func(t *testing.T) {
			v := &victim{T: t, out: v.out, db: v.db, good: v.good}
			defer v.mend()
			b.damage(v)
			v.names(v.verify(5), b.says)
			if b.concealed != nil {
				v.conceal()
				v.names(v.verify(5), b.concealed)
				v.verify(5, "--files-only")
				v.verify(5, "--sample", "5000") // of all posts
			}
			if b.undo != nil {
				b.undo(v)
			}
		})
	}
	v.verify(0)
	v.verify(0, "--sample", "50", "--seed", "2", "--sha256")
	v.verify(2, "--sample", "-1")
	v.verify(2, "--sample", "5", "--files-only")
	t.Run("as JSON", func(t *testing.T) { testVerifyJSON(t, v) })
}

func testVerifyJSON(t *testing.T, v *victim) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"verify", "--json", "--out", v.out}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var report struct {
		Verify []struct {
			Name, What string
			Count      int64
			OK         bool
		}
		Seconds float64
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &report); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range report.Verify {
		if names = append(names, c.Name); !c.OK || c.What == "" || c.Count == 0 {
			t.Errorf("%+v", c)
		}
	}
	if want := "tables files batches graph shards questions parents model payload description manifest documents report"; strings.Join(names, " ") != want {
		t.Errorf("checks %q", names)
	}
}

// A build between two of its stages, stopped in place or by a stage that ran alone, is not complete. verify compares what
// is current and names the rest.
func TestVerifyOfABuildBetweenTwoStages(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, newer, out := filepath.Join(work, "dump"), filepath.Join(work, "newer"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "300", "--seed", "5", "--out", dump, "--quiet")
	s2g(t, "sample", "--posts", "400", "--seed", "6", "--out", newer, "--quiet")
	s2g(t, "build", "--dump", dump, "--out", out, "--languages", "python,java", "--quiet")
	incomplete := func(want ...string) {
		t.Helper()
		for _, more := range [][]string{nil, {"--files-only"}, {"--sample", "20"}} {
			_, stderr := s2gExits(t, 4, append([]string{"verify", "--out", out, "--quiet"}, more...)...)
			mustContain(t, stderr, append(want, "not complete")...)
		}
		if _, err := os.Stat(filepath.Join(out, "report.html")); err == nil {
			t.Error("the report of the build before is left")
		}
	}
	s2g(t, "build", "--dump", dump, "--out", out, "--languages", "python", "--in-place", "--stages", "graph", "--quiet")
	incomplete("vectors (--languages: without java)")
	batch := filepath.Join(out, filepath.FromSlash(oneBatch))
	content, err := os.ReadFile(batch)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(content)
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(batch, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	_, stderr := s2gExits(t, 5, "verify", "--out", out, "--quiet")
	mustContain(t, stderr, oneBatch)
	if err := os.WriteFile(batch, content, 0o644); err != nil {
		t.Fatal(err)
	}
	s2g(t, "build", "--out", out, "--in-place", "--quiet")
	s2g(t, "verify", "--out", out, "--quiet")

	s2g(t, "graph", "--out", out, "--languages", "python,java", "--quiet")
	incomplete("vectors (--languages: with java)")
	s2g(t, "build", "--out", out, "--quiet")
	s2g(t, "verify", "--out", out, "--quiet")

	s2g(t, "build", "--dump", newer, "--out", out, "--in-place", "--stages", "ingest", "--quiet")
	incomplete("graph (the tables were read again", "vectors (the tables were read again")
	s2g(t, "build", "--dump", newer, "--out", out, "--in-place", "--quiet")
	s2g(t, "verify", "--out", out, "--quiet")
}
