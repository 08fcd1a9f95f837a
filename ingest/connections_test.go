package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

func TestConnectionsFollowTheCores(t *testing.T) {
	for cores, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 8: 4, 64: 4} {
		if got := Connections(cores); got != want {
			t.Errorf("%d on %d cores, want %d", got, cores, want)
		}
	}
}

// Tables that several statements have loaded are those of one, whatever the order of the dump.
func TestConnections(t *testing.T) {
	schematest.Long(t)
	ordered := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 6000, Out: ordered}); err != nil {
		t.Fatal(err)
	}
	g := privateTarget(t, t.TempDir())
	defer g.close()
	loads := func() (n int) {
		var name string
		if err := g.db.SQL().QueryRow("SHOW GLOBAL STATUS LIKE 'Com_load'").Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := g.run(Options{Dump: ordered, Connections: 1}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	shuffled := t.TempDir()
	for _, d := range sample.Dressings() {
		if d.Shuffled {
			path, err := d.Write(ordered, shuffled)
			if err != nil {
				t.Fatal(err)
			}
			shuffled = path
		}
	}
	for name, dump := range map[string]string{"in order": ordered, "shuffled": shuffled} {
		before := loads()
		if err := g.run(Options{Dump: dump, Connections: 3}); err != nil {
			t.Fatal(name, err)
		}
		if got := loads() - before; got != 3*len(schema.Tables()) {
			t.Errorf("%s: %d statements", name, got)
		}
		if d := cmp.Diff(want, g.state()); d != "" {
			t.Errorf("%s: tables differ (-want +got):\n%s", name, d)
		}
	}
}
