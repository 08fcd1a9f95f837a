package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema"
)

func publish(t *testing.T, d *Dir, documents ...Document) bool {
	t.Helper()
	changed, err := d.Publish(documents)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestPublish(t *testing.T) {
	d := open(t, t.TempDir())
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(d.Out(), name))
		return string(text)
	}
	readme, license := Document{"README.md", []byte("one")}, Document{"LICENSE", []byte("free")}
	if !publish(t, d, readme, license) || read("README.md") != "one" || read("LICENSE") != "free" {
		t.Fatalf("README.md %q, LICENSE %q", read("README.md"), read("LICENSE"))
	}
	m, err := Read(d.Out())
	if err != nil || len(m.Published) != 2 || m.Published[0] != readme.File() || m.Published[0].Size != 3 {
		t.Fatalf("the manifest names %+v (%v)", m.Published, err)
	}
	if publish(t, d, readme, license) {
		t.Error("the same documents were written again")
	}
	// a document that was changed or removed is written again
	if err := errors.Join(os.WriteFile(filepath.Join(d.Out(), "README.md"), []byte("two"), 0o644), os.Remove(filepath.Join(d.Out(), "LICENSE"))); err != nil {
		t.Fatal(err)
	}
	if !publish(t, d, readme, license) || read("README.md") != "one" || read("LICENSE") != "free" {
		t.Errorf("README.md %q, LICENSE %q", read("README.md"), read("LICENSE"))
	}
	// a document that is no longer published is removed
	if !publish(t, d, readme) || hasFile(d, "LICENSE") || len(d.Manifest().Published) != 1 {
		t.Errorf("LICENSE is still there: %+v", d.Manifest().Published)
	}
}

func TestCheckOverwriteFindsFilesOfOthers(t *testing.T) {
	d := open(t, t.TempDir())
	if err := d.CheckOverwrite("README.md"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(d.Out(), "README.md"), []byte("my thesis"), 0o644); err != nil {
		t.Fatal(err)
	}
	if fault, _ := schema.FaultOf(d.CheckOverwrite("LICENSE", "README.md")); fault != schema.FaultUsage {
		t.Errorf("fault %v", fault)
	}
	if err := d.CheckOverwrite("README.md"); err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Errorf("error %v", err)
	}
	publish(t, d, Document{"README.md", []byte("ours")})
	if err := d.CheckOverwrite("README.md"); err != nil {
		t.Errorf("our own document is foreign: %v", err)
	}
}
