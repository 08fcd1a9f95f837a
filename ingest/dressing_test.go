package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema/schematest"
)

// A dump makes the same tables in whatever format, encoding, order and spelling
// it comes.
func TestDressingsMakeTheSameTables(t *testing.T) {
	source := schematest.Dump(t, "bioinformatics.stackexchange.com")
	g := newTarget(t)
	if err := g.run(Options{Dump: source}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	for _, dressing := range sample.Dressings() {
		t.Run(dressing.Name, func(t *testing.T) {
			if dressing.Needs != "" {
				schematest.Tool(t, dressing.Needs)
			}
			path, err := dressing.Write(source, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := g.run(Options{Dump: path}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, g.state()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
