package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s2g.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	path := write(t, `# the monthly job
out: "/srv/a b"
languages: [python, 'c#']
without:
  - votes
  - links

window: 0256
other: true
max-rejects: 1e-3
same: &x one
again: *x
empty: ""
none: []
`)
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []Setting{
		{"out", []string{"/srv/a b"}, path, 2},
		{"languages", []string{"python", "c#"}, path, 3},
		{"without", []string{"votes", "links"}, path, 4},
		{"window", []string{"0256"}, path, 8}, // as written: the flag parses it
		{"other", []string{"true"}, path, 9},
		{"max-rejects", []string{"1e-3"}, path, 10},
		{"same", []string{"one"}, path, 11},
		{"again", []string{"one"}, path, 12},
		{"empty", []string{""}, path, 13},
		{"none", []string{}, path, 14},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "# nothing\n", "---\n", "null\n"} {
		if got, err := Read(write(t, text)); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestReadFaults(t *testing.T) {
	for text, want := range map[string]string{
		"out: a\nout: b\n":             "s2g.yaml:2: out is given twice, first in line 1",
		"graph:\n  compress: none\n":   "s2g.yaml:1: graph holds names: settings are not nested",
		"a: b\nout:\n":                 "s2g.yaml:2: out has no value",
		"languages: [[a], b]\n":        "a list in a list",
		"languages: &x [*x]\n":         "a list in a list",
		"- out\n":                      "s2g.yaml:1: not names with values",
		"just a text\n":                "s2g.yaml:1: not names with values",
		"out: a\n---\nout: b\n":        "more than one document",
		"out: [a\n":                    "line 1",
		"languages:\n  - {tag: css}\n": "not nested",
	} {
		_, err := Read(write(t, text))
		if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if fault, _ := schema.FaultOf(func() error { _, err := Read("nowhere.yaml"); return err }()); fault != schema.FaultUsage {
		t.Errorf("a missing file: fault %v", fault)
	}
}
