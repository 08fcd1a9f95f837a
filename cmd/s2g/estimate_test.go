package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"s2g/schema/schematest"
)

// The plan of a build estimates the disk of each stage within a fifth.
func TestEstimatesOfDisk(t *testing.T) {
	schematest.Long(t)
	schematest.Tool(t, "mariadbd")
	for _, c := range []struct {
		name  string
		dump  func(t *testing.T) string
		flags []string
	}{
		{"bioinformatics", func(t *testing.T) string { return schematest.Dump(t, "bioinformatics.stackexchange.com") }, []string{"--whole-site", "--units", "question,answer"}},
		{"bicycles.meta", func(t *testing.T) string { return schematest.Dump(t, "bicycles.meta.stackexchange.com") }, []string{"--whole-site"}},
		{"whole sample", func(t *testing.T) string { return sampleDump(t, "--posts", "20000") }, []string{"--whole-site"}},
		{"sample", func(t *testing.T) string { return sampleDump(t, "--posts", "100000") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "o")
			args := append([]string{"build", "--dump", c.dump(t), "--out", out, "--stages", "ingest,graph,vectors", "--json"}, c.flags...)
			var planned struct {
				Plan struct {
					Steps []struct {
						Stage string
						Disk  int64
					}
				}
			}
			if err := json.Unmarshal([]byte(s2g(t, append(args, "--dry-run")...)), &planned); err != nil {
				t.Fatal(err)
			}
			s2g(t, args...)
			taken := map[string]int64{
				"ingest": blocksBelow(t, filepath.Join(out, ".s2g", "db")), "graph": blocksBelow(t, filepath.Join(out, "graph")),
				"vectors": blocksBelow(t, filepath.Join(out, "vectors")) + blocksBelow(t, filepath.Join(out, "parents")) + blocksBelow(t, filepath.Join(out, "model.bin")),
			}
			for _, step := range planned.Plan.Steps {
				took := taken[step.Stage]
				t.Logf("%s takes %d, planned are %d", step.Stage, took, step.Disk)
				if step.Disk < took*8/10 || step.Disk > took*12/10 {
					t.Errorf("%s takes %d, planned are %d", step.Stage, took, step.Disk)
				}
			}
		})
	}
}

// blocksBelow adds up the disk of the files below a path.
func blocksBelow(t *testing.T, path string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			n += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
