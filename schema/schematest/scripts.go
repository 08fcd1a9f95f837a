package schematest

import (
	"os"
	"path/filepath"
	"testing"
)

// Judge returns the path of a program in scripts/judge. A judge states what a build
// must hold, and shares no code with s2g.
func Judge(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(root(t), "scripts", "judge", name)
}

// Engine returns the path of the program in scripts/engines that starts a server:
// "rdfstore", "qdrant" or "embed".
func Engine(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(root(t), "scripts", "engines", name, "start")
}

// root returns the folder of go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}
