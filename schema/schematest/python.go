package schematest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Python returns the path of a Python interpreter with the given PyPI packages. It
// creates a virtual environment for each set of packages once, in the user's cache.
// Where that fails it skips the test (see [Need]).
func Python(t testing.TB, packages ...string) string {
	t.Helper()
	python := Tool(t, "python3")
	cache, err := os.UserCacheDir()
	Need(t, err == nil, "no cache folder for a Python environment")
	names := slices.Sorted(slices.Values(packages))
	sum := sha256.Sum256([]byte(strings.Join(names, " ")))
	home := filepath.Join(cache, "s2g-test", "python-"+hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock := lock(t, home)
	defer unlock()
	interpreter, ready := filepath.Join(home, "bin", "python"), filepath.Join(home, "ready")
	if _, err := os.Stat(ready); err == nil {
		return interpreter
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	for _, args := range [][]string{
		{python, "-m", "venv", home},
		append([]string{interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check"}, names...),
	} {
		out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
		Need(t, err == nil, "no Python environment with "+strings.Join(names, " ")+": "+string(out))
	}
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return interpreter
}

// lock excludes the tests of other packages, which run at the same time, from
// creating the same files in home.
func lock(t testing.TB, home string) (unlock func()) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(home, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { f.Close() }
}
