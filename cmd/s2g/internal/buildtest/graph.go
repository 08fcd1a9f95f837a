package buildtest

import (
	"path/filepath"
	"testing"

	"s2g/graph"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Graph writes the graph of the tables in service, uncompressed, and returns the
// names of its batches and of the ontology.
func Graph(t testing.TB, db *tables.DB, o graph.Options) (batches []string, ontology string) {
	t.Helper()
	dir, err := manifest.Open(t.TempDir())
	check(t, err)
	defer dir.Close()
	check(t, dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Ingest] = &manifest.Stage{Key: "test"} }))
	o.Compress = "none"
	check(t, graph.Run(t.Context(), dir, db, o))
	batches, err = filepath.Glob(filepath.Join(dir.Out(), "graph", "batch-*"))
	check(t, err)
	return batches, filepath.Join(dir.Out(), "graph", "ontology.ttl")
}
