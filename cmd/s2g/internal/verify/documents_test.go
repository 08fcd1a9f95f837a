package verify

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"s2g/cmd/s2g/internal/publish"
	"s2g/schema"
	"s2g/schema/manifest"
)

func TestDamagedDocumentIsFound(t *testing.T) {
	edit := func(name, old, with string) func(t *testing.T, out string) {
		return func(t *testing.T, out string) {
			path := filepath.Join(out, name)
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), old) {
				t.Fatalf("no %q in %s (%v)", old, name, err)
			}
			save(t, out, name, []byte(strings.Replace(string(text), old, with, 1)))
		}
	}
	// reseal enters the documents into the manifest as they are, so that only the comparison with the files is left
	reseal := func(t *testing.T, out string) {
		dir, err := manifest.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		var documents []manifest.Document
		for _, name := range publish.Names() {
			text, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			documents = append(documents, manifest.Document{Name: name, Content: text})
		}
		if _, err := dir.Publish(documents); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		damage func(t *testing.T, out string)
		reseal bool
		want   string // part of the error; empty: nothing differs
	}{
		"whole":              {damage: func(*testing.T, string) {}},
		"changed":            {damage: edit("LICENSE", "2.5", "2.0"), want: "LICENSE, line "},
		"missing":            {damage: func(t *testing.T, out string) { remove(t, out, "croissant.json") }, want: "croissant.json is missing"},
		"no sums":            {damage: func(t *testing.T, out string) { remove(t, out, "SHA256SUMS") }, want: "SHA256SUMS is missing"},
		"changed, resealed":  {damage: edit("README.md", "Licence", "License"), reseal: true, want: "README.md, line "},
		"sum of a shard":     {damage: edit("SHA256SUMS", "  vectors/python/", "0  vectors/python/"), reseal: true, want: "SHA256SUMS, line 13: it has "},
		"line of no file":    {damage: edit("SHA256SUMS", "batch-000001", "batch-000002"), reseal: true, want: "graph/batch-000002.trig.gz"},
		"no line for a file": {damage: func(t *testing.T, out string) { dropLine(t, out, "SHA256SUMS", "parents/") }, reseal: true, want: "parents/part-00000.parquet"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := newFixture(t).write(t)
			test.damage(t, out)
			if test.reseal {
				reseal(t, out)
			}
			report, err := Run(t.Context(), out, nil, Options{})
			if test.want == "" {
				if c := report.Checks[len(report.Checks)-1]; err != nil || c.Name != "documents" || c.Count != 5 {
					t.Errorf("%v: %+v", err, report.Checks)
				}
				return
			}
			if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "documents: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func remove(t *testing.T, out, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(out, name)); err != nil {
		t.Fatal(err)
	}
}

// dropLine removes the first line of a file that contains a text.
func dropLine(t *testing.T, out, name, with string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		if strings.Contains(line, with) {
			save(t, out, name, []byte(strings.Join(append(lines[:i:i], lines[i+1:]...), "")))
			return
		}
	}
	t.Fatalf("no %q in %s", with, name)
}

// A pipe has no end, so that nothing reads it.
func TestPipesAreNotRead(t *testing.T) {
	db := miniTables(t)
	for _, name := range []string{"report.html", "LICENSE", "graph/batch-000001.trig.gz", "graph/void.ttl", "vectors/python/part-00000.parquet"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := newFixture(t).write(t)
			path := filepath.Join(out, filepath.FromSlash(name))
			if err := os.Remove(path); err != nil && name != "report.html" {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			found := make(chan error, 1)
			go func() { _, err := Run(t.Context(), out, db, Options{}); found <- err }()
			select {
			case err := <-found:
				if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification || !strings.Contains(err.Error(), name) {
					t.Errorf("got %v", err)
				}
			case <-time.After(2 * time.Minute):
				t.Error("it waits for the pipe")
			}
		})
	}
}
