// Package schematest provides what the tests of several packages share: skips, real
// dumps, programs, and servers.
package schematest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Need skips the test with the reason where ok is false. Where the environment
// variable CI is set it fails the test instead.
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

// Long skips the test in a run of make test, which passes -short: kills, outages,
// engines, browsers and large samples belong to make test-all.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long test: make test-all runs it")
	}
}

// Tool returns the path of a program on PATH or in /usr/sbin, where Debian installs
// servers. Without the program it skips the test (see [Need]).
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name)
	}
	Need(t, err == nil, "program "+name+" is not installed")
	return path
}

// EnvInt returns the integer in an environment variable, as the size of a benchmark
// or the number of a test's tries, or fallback if the variable is unset.
func EnvInt(t testing.TB, name string, fallback int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return fallback
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Judge returns the path of a program in scripts/judge. A judge computes the required
// content of a build, and shares no code with s2g.
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
