package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/manifest"
	"s2g/schema/schematest"
)

// contents returns the SHA-256 of each file of a build, by name, but for those that hold times.
func contents(t *testing.T, out string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".s2g" {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() || e.Name() == "manifest.json" || e.Name() == "report.html" {
			return err
		}
		text, err := os.ReadFile(path)
		sum := sha256.Sum256(text)
		name, _ := filepath.Rel(out, path)
		sums[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// freshStages returns the stages that a command with --json reports as up to date.
func freshStages(t *testing.T, stdout string) (fresh []string) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var r struct {
			Result []struct {
				Stage string
				Fresh bool
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Result {
			if s.Fresh {
				fresh = append(fresh, s.Stage)
			}
		}
	}
	return fresh
}

// inodes returns the inode of each shard and whole text, by name.
func inodes(t *testing.T, out string) map[string]fs.FileInfo {
	t.Helper()
	files := map[string]fs.FileInfo{}
	for _, pattern := range []string{"vectors/*/*.parquet", "parents/*.parquet"} {
		names, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(name, out+"/")] = info
		}
	}
	return files
}

// TestDamageHeals damages a build of several units in many ways. The same command makes again what is damaged, and no
// more; a third run has nothing to do.
func TestDamageHeals(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "24000", "--seed", "5", "--out", dump, "--quiet")
	command := []string{"build", "--dump", dump, "--out", out, "--site", "stackoverflow.com", "--languages", "python,java", "--other", "--without", "comments,votes", "--json"}
	s2g(t, command...)
	stages := append(slices.Clone(command), "--stages", "ingest,graph,vectors") // verify would take most of the time
	want := contents(t, out)
	if parts := len(inodes(t, out)); parts < 8 {
		t.Fatalf("the build has only %d files of units", parts)
	}
	file := func(name string) string { return filepath.Join(out, name) }
	remove := func(names ...string) func() error {
		return func() error {
			for _, name := range names {
				if err := os.RemoveAll(file(name)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	flip := func(name string) func() error {
		return func() error {
			text, err := os.ReadFile(file(name))
			if err != nil {
				return err
			}
			text[len(text)/2] ^= 1
			if err := os.WriteFile(file(name), text, 0o644); err != nil {
				return err
			}
			return os.Chtimes(file(name), time.Time{}, time.Now().Add(time.Hour))
		}
	}
	rest := func(stage string) []string { // that stay
		return slices.DeleteFunc([]string{"ingest", "graph", "vectors"}, func(s string) bool { return s == stage })
	}
	for _, c := range []struct {
		name   string
		damage func() error
		fresh  []string
	}{
		{"nothing", func() error { return nil }, rest("")},
		{"a missing batch", remove("graph/batch-000002.trig.gz"), rest("graph")},
		{"a cut batch", func() error { return os.Truncate(file("graph/batch-000001.trig.gz"), 100) }, rest("graph")},
		{"an altered batch", flip("graph/batch-000001.trig.gz"), rest("graph")},
		{"an altered description", flip("graph/void.ttl"), rest("graph")},
		{"a folder for a file", func() error {
			return errors.Join(os.Remove(file("graph/ontology.ttl")), os.Mkdir(file("graph/ontology.ttl"), 0o755))
		}, rest("graph")},
		{"a file for a folder", func() error {
			return errors.Join(os.RemoveAll(file("parents")), os.WriteFile(file("parents"), nil, 0o644))
		}, rest("vectors")},
		{"a missing shard", remove("vectors/python/part-00001.parquet"), rest("vectors")},
		{"a cut shard", func() error { return os.Truncate(file("vectors/java/part-00000.parquet"), 4096) }, rest("vectors")},
		{"an altered shard", flip("vectors/_other/part-00001.parquet"), rest("vectors")},
		{"in place, an altered shard", flip("vectors/java/part-00001.parquet"), rest("vectors")},
		{"an altered text", flip("parents/part-00000.parquet"), rest("vectors")},
		{"a missing model", remove("model.bin"), rest("vectors")},
		{"an altered model", flip("model.bin"), rest("vectors")},
		{"no vectors", remove("vectors", "parents", "model.bin"), rest("vectors")},
		{"all outputs", remove("graph", "vectors", "parents", "model.bin", "README.md"), rest("graph")[:1]},
		{"other times", func() error {
			for name := range want {
				if err := os.Chtimes(file(name), time.Time{}, time.Unix(1_500_000_000, 0)); err != nil {
					return err
				}
			}
			return nil
		}, rest("")},
		{"no manifest", remove("manifest.json"), rest("")},
		{"a cut manifest", func() error { return os.Truncate(file("manifest.json"), 1000) }, rest("")},
		{"documents", func() error {
			if err := remove("README.md", "report.html", "SHA256SUMS")(); err != nil {
				return err
			}
			return flip("croissant.json")()
		}, rest("")},
		{"rejects", func() error { return os.WriteFile(file("rejects.jsonl"), []byte("x"), 0o644) }, rest("ingest")},
		{"no database", remove(".s2g/db"), rest("ingest")},
		{"a table's file", remove(".s2g/db/s2g/Posts.ibd"), rest("ingest")},
		{"all of .s2g", remove(".s2g"), rest("ingest")},
	} {
		before := inodes(t, out)
		if err := c.damage(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		run := stages
		if c.name == "documents" || c.name == "all outputs" {
			run = command
		}
		if strings.HasPrefix(c.name, "in place") {
			run = append(slices.Clone(run), "--in-place")
		}
		stdout, _ := s2gExits(t, 0, run...)
		if diff := cmp.Diff(c.fresh, freshStages(t, stdout)); diff != "" {
			t.Errorf("%s: stages that stay: %s", c.name, diff)
		}
		if diff := cmp.Diff(want, contents(t, out)); diff != "" {
			t.Fatalf("%s: %s", c.name, diff)
		}
		if strings.HasSuffix(c.name, " shard") || strings.HasSuffix(c.name, " text") || strings.HasSuffix(c.name, " model") {
			kept := 0
			for name, info := range inodes(t, out) {
				if before[name] != nil && os.SameFile(before[name], info) {
					kept++
				}
			}
			if kept < len(before)/2 {
				t.Errorf("%s: of %d files of units only %d stay", c.name, len(before), kept)
			}
		}
		if stdout, _ := s2gExits(t, 0, stages...); !slices.Equal(freshStages(t, stdout), rest("")) {
			t.Errorf("%s: the run after has work to do: %s", c.name, stdout)
		}
		if _, err := os.Stat(manifest.NextFolder(out)); err == nil {
			t.Errorf("%s: the next folder is left", c.name)
		}
	}
	s2g(t, command...)

	// A look cannot find another content of the same size and time. verify finds it, and the next build makes it again.
	for _, name := range []string{"graph/batch-000002.trig.gz", "vectors/python/part-00001.parquet"} {
		info, err := os.Stat(file(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(flip(name)(), os.Chtimes(file(name), time.Time{}, info.ModTime())); err != nil {
			t.Fatal(err)
		}
		if stdout, _ := s2gExits(t, 0, command...); !slices.Equal(freshStages(t, stdout), rest("")) {
			t.Errorf("%s: the damage is found without verify: %s", name, stdout)
		}
		s2gExits(t, 5, "verify", "--out", out, "--files-only")
		s2g(t, command...)
		if diff := cmp.Diff(want, contents(t, out)); diff != "" {
			t.Error(diff)
		}
	}

	// The report, which is of no stage.
	text, err := os.ReadFile(file("report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{append(slices.Clone(text), '!'), nil} {
		if err := os.WriteFile(file("report.html"), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		s2gExits(t, 5, "verify", "--out", out, "--files-only")
		s2g(t, command...)
		s2g(t, "verify", "--out", out, "--files-only")
	}

	// Neither manifest nor copy: files of an unknown model are neither adopted nor deleted.
	if err := remove("manifest.json", ".s2g/manifest.json")(); err != nil {
		t.Fatal(err)
	}
	_, stderr := s2gExits(t, 2, stages...)
	mustContain(t, stderr, "no manifest names")
	if diff := cmp.Diff(want, contents(t, out)); diff != "" {
		t.Error(diff)
	}
	s2g(t, append(stages, "--replace")...)
	if diff := cmp.Diff(want, contents(t, out)); diff != "" {
		t.Error(diff)
	}
}

// TestDamagedTablesHeal damages files of the database, of which some can then be neither read nor dropped. The same command reads
// the dump again. Damage that keeps size and time is found by verify.
func TestDamagedTablesHeal(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "1200", "--seed", "5", "--out", dump, "--quiet")
	command := []string{"build", "--dump", dump, "--out", out, "--site", "stackoverflow.com", "--languages", "python,java", "--json"}
	s2g(t, command...)
	overwrite := func(from int64) func(string) error {
		return func(path string) error {
			text, err := os.ReadFile(path)
			for i := from; i < int64(len(text)); i++ {
				text[i] ^= 0xa5
			}
			return errors.Join(err, os.WriteFile(path, text, 0o600))
		}
	}
	all := []string{"ingest", "graph", "vectors"}
	for _, c := range []struct {
		name, file string
		damage     func(path string) error
		hidden     bool // it keeps size and time
	}{
		{"its pages", "Posts.ibd", overwrite(64 << 10), false},
		{"its pages, hidden", "Posts.ibd", overwrite(64 << 10), true},
		{"all of it", "Tags.ibd", overwrite(0), false},
		{"its end", "Comments.ibd", func(path string) error { return os.Truncate(path, 100_000) }, false},
		{"its definition", "Comments.frm", func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }, false},
		{"the key of the dump", "S2GDump.ibd", overwrite(0), false},
	} {
		path := filepath.Join(out, ".s2g", "db", "s2g", c.file)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.damage(path); err != nil {
			t.Fatal(err)
		}
		if c.hidden {
			if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
				t.Fatal(err)
			}
			if stdout, _ := s2gExits(t, 0, command...); !slices.Equal(freshStages(t, stdout), all) {
				t.Errorf("%s, %s: it is not hidden: %s", c.file, c.name, stdout)
			}
			_, stderr := s2gExits(t, 5, "verify", "--out", out)
			mustContain(t, stderr, "a table's files are damaged")
		}
		stdout, _ := s2gExits(t, 0, command...)
		if diff := cmp.Diff(all[1:], freshStages(t, stdout)); diff != "" {
			t.Errorf("%s, %s: stages that stay: %s", c.file, c.name, diff)
		}
		if stdout, _ := s2gExits(t, 0, command...); !slices.Equal(freshStages(t, stdout), all) {
			t.Errorf("%s, %s: the run after has work to do: %s", c.file, c.name, stdout)
		}
		s2g(t, "verify", "--out", out, "--quiet")
	}
}

// TestDamagedDatabaseHeals damages files of the server itself. The run that first needs the server ends with exit code 4;
// the same command then reads the dump into a new database.
func TestDamagedDatabaseHeals(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "300", "--out", dump, "--quiet")
	command := []string{"build", "--dump", dump, "--out", out, "--site", "stackoverflow.com", "--languages", "python", "--json"}
	s2g(t, command...)
	for i, damage := range []struct {
		file string
		do   func(path string) error
	}{
		{"ibdata1", os.Remove},
		{"ibdata1", func(path string) error { return os.Truncate(path, 0) }},
		{"ib_logfile0", func(path string) error {
			text, err := os.ReadFile(path)
			for i := range 64 << 10 {
				text[i] ^= 0xa5
			}
			return errors.Join(err, os.WriteFile(path, text, 0o600))
		}},
	} {
		if err := damage.do(filepath.Join(out, ".s2g", "db", damage.file)); err != nil {
			t.Fatal(err)
		}
		changed := append(slices.Clone(command), "--other="+strconv.FormatBool(i%2 == 0))
		_, stderr := s2gExits(t, 4, changed...)
		mustContain(t, stderr, "whose files are damaged")
		s2g(t, changed...)
		s2g(t, "verify", "--out", out, "--quiet")
	}
}

// TestUpToDateIsALook runs a build that has nothing to do. It writes no file, and so it starts no server.
func TestUpToDateIsALook(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "600", "--seed", "5", "--out", dump, "--quiet")
	command := []string{"build", "--dump", dump, "--out", out, "--site", "stackoverflow.com"}
	s2g(t, command...)
	times := func() map[string]time.Time {
		found := map[string]time.Time{}
		err := filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.Name() == "tmp" && e.IsDir() { // each start empties it
				return fs.SkipDir
			}
			info, err := e.Info()
			if err == nil && !e.IsDir() && e.Name() != "lock" { // which holds the process
				found[path] = info.ModTime()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := times()
	stdout, _ := s2gExits(t, 0, command...)
	mustContain(t, stdout, "ingest  up to date", "vectors  up to date", "the sizes and times of", "s2g verify --out "+out)
	if strings.Contains(stdout, "verify:") {
		t.Error("it has verified")
	}
	if diff := cmp.Diff(before, times()); diff != "" { // a server writes its log
		t.Errorf("it has written: %s", diff)
	}
	stdout, _ = s2gExits(t, 0, append(command, "--stages", "ingest,verify")...)
	mustContain(t, stdout, "verify:")
	if diff := cmp.Diff(before, times()); diff == "" {
		t.Error("a server leaves no trace that the test could find")
	}
}
