package build

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckOutside(t *testing.T) {
	root := t.TempDir()
	out := filepath.Join(root, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for path, inside := range map[string]bool{
		"out": true, "out/m.prom": true, "out/offline/a": true, "link/m.prom": true,
		"out/.m.prom": false, "m.prom": false, "output/m.prom": false, "": false,
	} {
		at := path
		if path != "" {
			at = filepath.Join(root, path)
		}
		if err := CheckOutside("metrics", at, out); (err != nil) != inside {
			t.Errorf("%q: %v", path, err)
		}
	}
}
