package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema/schematest"
)

// stats reads the counts of the graph, which a copy of a build has, too. Without a graph it counts the tables.
func TestStatsOfACopy(t *testing.T) {
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	out, copied := filepath.Join(t.TempDir(), "out"), t.TempDir()
	s2g(t, "ingest", "--dump", buildtest.Sample(t, 300), "--out", out, "--quiet")
	ofTables, said := s2gExits(t, 0, "stats", "--out", out, "--as", "json")
	if !strings.Contains(said, "counts the rows") {
		t.Errorf("stats of tables alone: %s", said)
	}
	if printed, _ := s2gExits(t, 0, "graph", "--out", out, "--json"); !strings.Contains(printed, `"triples"`) || strings.Contains(printed, "figures") {
		t.Errorf("the outcome of the graph: %s", printed)
	}
	for _, name := range []string{"graph", "manifest.json"} {
		if err := os.Rename(filepath.Join(out, name), filepath.Join(copied, name)); err != nil {
			t.Fatal(err)
		}
	}
	ofGraph, said := s2gExits(t, 0, "stats", "--out", copied, "--as", "json")
	if ofGraph != ofTables || strings.Contains(said, "counts the rows") {
		t.Errorf("stats of the graph: %s\n%s\nof the tables: %s", said, ofGraph, ofTables)
	}
	void := filepath.Join(copied, "graph", "void.ttl")
	text, err := os.ReadFile(void)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(void, []byte(replaced(t, text, `void:triples `, `void:triples 1`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, said := s2gExits(t, 5, "stats", "--out", copied); !strings.Contains(said, "void.ttl: its SHA-256 is not that of the manifest") {
		t.Error(said)
	}
}
