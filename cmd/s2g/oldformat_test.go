package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema/schematest"
)

// makeOld rewrites a build as an earlier version left it: the model in vectors/, and a manifest without the site, times of
// files, fingerprints of tables, and options and versions of stages.
func makeOld(t *testing.T, out string) {
	t.Helper()
	if err := os.Rename(filepath.Join(out, "model.bin"), filepath.Join(out, "vectors", "model.bin")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), `"model.bin"`, `"vectors/model.bin"`)), &m); err != nil {
		t.Fatal(err)
	}
	at := func(names ...string) map[string]any {
		found := m
		for _, name := range names {
			found = found[name].(map[string]any)
		}
		return found
	}
	delete(at("options"), "site")
	delete(at("options"), "text_language")
	delete(at("dump"), "site")
	delete(m, "report")
	for _, table := range at("dump", "tables") {
		delete(table.(map[string]any), "fingerprint")
	}
	for _, stage := range at("stages") {
		delete(stage.(map[string]any), "options")
		delete(stage.(map[string]any), "tool")
		for _, f := range stage.(map[string]any)["files"].([]any) {
			delete(f.(map[string]any), "time")
		}
	}
	if text, err = json.MarshalIndent(m, "", "  "); err == nil {
		err = os.WriteFile(filepath.Join(out, "manifest.json"), text, 0o644)
	}
	for _, name := range []string{"manifest.json", "verified", "generation", "db.files"} {
		if err == nil {
			err = os.RemoveAll(filepath.Join(out, ".s2g", name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A build of an earlier version is read as before, and a build over it makes nothing again that has not changed.
func TestBuildOfAnEarlierVersionStaysOfUse(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "600", "--seed", "5", "--out", dump, "--quiet")
	s2g(t, "build", "--dump", dump, "--out", out, "--site", "stackoverflow.com", "--languages", "python,java")
	query := []string{"search", "--out", out, "--language", "python", "--json", "merge two dictionaries"}
	hits := s2g(t, query...)
	want := contents(t, out)
	makeOld(t, out)

	if diff := cmp.Diff(hits, s2g(t, query...)); diff != "" {
		t.Error(diff)
	}
	s2g(t, "publish", "--out", out) // SHA256SUMS names the model
	s2g(t, "verify", "--out", out, "--files-only")
	_, stderr := s2gExits(t, 2, "verify", "--out", out)
	mustContain(t, stderr, "earlier version of s2g", "--files-only")
	reused := filepath.Join(work, "reused")
	s2g(t, "build", "--dump", dump, "--out", reused, "--site", "stackoverflow.com", "--languages", "python,java", "--reuse", out, "--stages", "ingest,vectors")
	got, err := os.ReadFile(filepath.Join(reused, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	mustContain(t, string(got), `"texts_reused"`)

	stdout := s2g(t, "build", "--dump", dump, "--out", out)
	mustContain(t, stdout, "graph  up to date", "vectors  up to date")
	s2g(t, "verify", "--out", out)
	if _, err := os.Stat(filepath.Join(out, "vectors", "model.bin")); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(hits, s2g(t, query...)); diff != "" {
		t.Error(diff)
	}
	// the first rebuild moves the model
	s2g(t, "build", "--dump", dump, "--out", out, "--window", "128", "--overlap", "32")
	s2g(t, "build", "--dump", dump, "--out", out, "--window", "default", "--overlap", "default")
	if diff := cmp.Diff(want, contents(t, out)); diff != "" {
		t.Error(diff)
	}
}
