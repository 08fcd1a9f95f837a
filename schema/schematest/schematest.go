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

// Long skips the test in a run of make test, which passes -short: kills, outages,
// engines, browsers and large samples belong to make test-all.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test: make test-all runs it")
	}
}

// Judge returns the path of a program below scripts/judge. A judge states what a
// build must hold and shares no code with s2g.
func Judge(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(root(t), "scripts", "judge", name)
}

// Engine returns the path of the program that starts a server below
// scripts/engines: "rdfstore", "qdrant" or "embed".
func Engine(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(root(t), "scripts", "engines", name, "start")
}

// Dump returns the folder of a real dump, as "bioinformatics.stackexchange.com".
// S2G_TEST_DUMPS is the folder of the dumps. Dump skips the test where it is
// unset, also where CI is set, because no repository can hold real dumps; it
// fails the test where it is set and the dump is missing.
func Dump(t testing.TB, site string) string {
	t.Helper()
	dumps := os.Getenv("S2G_TEST_DUMPS")
	if dumps == "" {
		t.Skip("S2G_TEST_DUMPS is unset: no real dumps")
	}
	folder := filepath.Join(dumps, site)
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("S2G_TEST_DUMPS: %v", err)
	}
	return folder
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
