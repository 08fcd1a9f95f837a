package ingest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"s2g/schema"
)

// The key distinguishes two sites of one folder whose files have the same names,
// sizes and times.
func TestPlanKeyTellsSitesApart(t *testing.T) {
	dir, when := t.TempDir(), time.Unix(1_700_000_000, 0)
	for _, site := range []string{"a.stackexchange.com", "b.stackexchange.com"} {
		for _, table := range schema.Tables() {
			file := filepath.Join(dir, site, table.Name+".xml")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(site), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	key := func(o Options) string {
		t.Helper()
		o.Dump = dir
		plan, err := NewPlan(o)
		if err != nil {
			t.Fatal(err)
		}
		return plan.Key
	}
	a, b := key(Options{DumpSite: "a.stackexchange.com"}), key(Options{DumpSite: "b.stackexchange.com"})
	if a == b {
		t.Error("two sites have one key")
	}
	if again := key(Options{DumpSite: "a.stackexchange.com"}); a != again {
		t.Error("the same site has two keys")
	}
	if less := key(Options{DumpSite: "a.stackexchange.com", Without: []string{"votes"}}); a == less {
		t.Error("--without does not change the key")
	}
}
