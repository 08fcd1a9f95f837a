package vectors

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"s2g/schema/schematest"
)

// The examples of docs/vectors.md read the shards of a build without a change.
func TestReaders(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	python := schematest.Python(t, "duckdb==1.4.2", "pandas==2.3.3", "pyarrow==21.0.0", "datasets==4.4.1")
	doc, err := os.ReadFile(filepath.Join("..", "docs", "vectors.md"))
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	if err := smallRun(loadFixture(t), smallOptions()).intoBuild(t.Context(), openDir(t, filepath.Join(work, "build"))); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(blocks) < 3 {
		t.Fatalf("docs/vectors.md has %d examples in Python", len(blocks))
	}
	for _, b := range blocks {
		run := exec.Command(python, "-c", b[1])
		run.Dir = work
		run.Env = append(os.Environ(), "HF_HOME="+filepath.Join(work, "hf"), "HF_HUB_OFFLINE=1")
		out, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "How do I merge two dictionaries") {
			t.Errorf("%s\nprints: %s (%v)", b[1], out, err)
		}
	}
}
