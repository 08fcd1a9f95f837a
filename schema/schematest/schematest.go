// Package schematest gives the tests of all packages what they share: real
// dumps, programs of others, and skips that a continuous integration run does
// not allow.
package schematest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Need skips the test with the reason where ok is false; where the environment
// variable CI is set it fails the test instead, so that nothing is skipped there.
func Need(t testing.TB, ok bool, reason string) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("CI") != "":
		t.Fatalf("%s: needed where CI is set", reason)
	default:
		t.Skip(reason)
	}
}

// Tool returns the path of a program, or skips the test (see [Need]). Beside
// PATH it looks where Debian keeps servers, /usr/sbin.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	Need(t, err == nil, "program "+name+" is not installed")
	return path
}

// Shared returns the path of a file or folder of shared/, which lies beside a
// developer's checkout and is not part of the repository, or skips the test.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t), "..", "shared"}, elem...)...)
	_, err := os.Stat(path)
	Need(t, err == nil, filepath.Join(append([]string{"../shared"}, elem...)...)+" is not there")
	return path
}

// Dump returns the folder of a real dump, as "bioinformatics.stackexchange.com",
// or skips the test.
func Dump(t testing.TB, site string) string {
	t.Helper()
	return Shared(t, "data", site)
}

// EnvInt returns the number that an environment variable holds: the size of a
// benchmark, or how often a test tries. Without it the value is otherwise.
func EnvInt(t testing.TB, name string, otherwise int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
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
