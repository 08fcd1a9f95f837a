package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// A dry run ends as the build does that fails before its first stage.
func TestDryRunChecksWhatABuildChecks(t *testing.T) {
	dump := sampleDump(t, "--posts", "60")
	for name, c := range map[string]struct {
		file  string // in OUT
		flags []string
		code  int
		text  string
	}{
		"unknown vectors":  {file: "vectors/python/part-00000.parquet", code: 2, text: "outputs of vectors that no manifest names"},
		"a foreign README": {file: "README.md", code: 2, text: "that s2g has not written"},
		"no Qdrant":        {flags: []string{"--qdrant", "http://localhost:1", "--retry-for", "0s"}, code: 4, text: "localhost:1"},
		"no endpoint":      {flags: []string{"--dense", "openai+http://localhost:1/v1?model=m", "--retry-for", "0s"}, code: 4, text: "localhost:1"},
	} {
		out := t.TempDir()
		if c.file != "" {
			path := filepath.Join(out, c.file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		command := append([]string{"build", "--dump", dump, "--out", out}, c.flags...)
		for _, args := range [][]string{append(command, "--dry-run"), command} {
			t.Log(name, args)
			_, stderr := s2gExits(t, c.code, args...)
			mustContain(t, stderr, c.text)
		}
		if exists(filepath.Join(out, "manifest.json")) {
			t.Errorf("%s: a stage has begun", name)
		}
	}
}

// A dry run reports that the tables may have changed, or are gone.
func TestDryRunAfterAChangeOfTheTables(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	dump, out := sampleDump(t, "--posts", "60"), filepath.Join(t.TempDir(), "o")
	build := []string{"build", "--dump", dump, "--out", out, "--stages", "ingest,graph"}
	s2g(t, build...)
	const changed = "a server may have changed the tables"
	dry := append(build[:len(build):len(build)], "--dry-run")
	if text := s2g(t, dry...); strings.Contains(text, changed) || !strings.Contains(text, "; nothing to do\n") {
		t.Error(text)
	}
	s2g(t, "db", "--out", out, "--write", "UPDATE Posts SET Score = Score + 1")
	mustContain(t, s2g(t, dry...), changed, "nothing to do, if")
	if stdout := s2g(t, build...); strings.Contains(stdout, "ingest  up to date") {
		t.Errorf("the changed tables stay:\n%s", stdout)
	}
	if text := s2g(t, dry...); strings.Contains(text, changed) {
		t.Error(text)
	}
	if err := os.Remove(filepath.Join(out, ".s2g", "db", "s2g", "Posts.ibd")); err != nil {
		t.Fatal(err)
	}
	mustContain(t, s2g(t, dry...), "ingest   yes")
}
