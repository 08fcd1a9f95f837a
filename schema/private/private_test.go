package private

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"s2g/schema"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestMakeFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", ".s2g")
	for _, before := range []os.FileMode{0, 0o700, 0o777, 0o750, 0o500} {
		if before != 0 {
			if err := os.Chmod(dir, before); err != nil {
				t.Fatal(err)
			}
		}
		tightened, err := MakeFolder(dir)
		if err != nil || tightened != (before&0o077 != 0) || mode(t, dir)&0o077 != 0 {
			t.Errorf("from %o: tightened %v, mode %o, %v", before, tightened, mode(t, dir), err)
		}
	}
}

func TestMakeFolderRefusesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "broken")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "broken", "file"} {
		if _, err := MakeFolder(filepath.Join(dir, name)); fault(err) != schema.FaultUsage {
			t.Errorf("%s: %v", name, err)
		}
		if err := CheckFolder(filepath.Join(dir, name)); fault(err) != schema.FaultUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckFolder(dir); err != nil {
		t.Error(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(foreign, 4711, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := MakeFolder(foreign); fault(err) != schema.FaultUsage || !strings.Contains(err.Error(), "4711") {
		t.Errorf("another user's folder: %v", err)
	}
}

func fault(err error) schema.Fault {
	f, _ := schema.FaultOf(err)
	return f
}

func TestEnvironmentHoldsNoSecrets(t *testing.T) {
	for _, name := range []string{"S2G_DSN", "S2G_QDRANT_API_KEY", "HF_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "MYSQL_PWD", "https_proxy"} {
		t.Setenv(name, "secret of "+name)
	}
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("PATH", "/bin")
	got := Environment("LC_ALL=C", "OWN=1")
	if joined := strings.Join(got, "\n"); strings.Contains(joined, "secret") {
		t.Errorf("a secret in:\n%s", joined)
	}
	for _, want := range []string{"PATH=/bin", "LC_ALL=C.UTF-8", "OWN=1"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	if got[len(got)-1] != "OWN=1" || slices.Index(got, "LC_ALL=C.UTF-8") > slices.Index(got, "LC_ALL=C") {
		t.Errorf("own variables do not come last: %q", got)
	}
}
