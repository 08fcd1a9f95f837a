// Package schematest holds what the tests of several packages share: skips, real
// dumps, programs, and servers.
package schematest

import (
	"os"
	"os/exec"
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
// or the number of a test's tries, or otherwise where it is unset.
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
