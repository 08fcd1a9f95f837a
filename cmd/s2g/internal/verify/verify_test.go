package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

// miniTables returns the server with the tables of the mini dump.
func miniTables(t testing.TB) *tables.DB {
	t.Helper()
	db := server.Open(t)
	buildtest.Load(t, db, miniDump)
	return db
}

const (
	miniDump  = "../oracle/testdata/mini"
	miniBatch = "graph/batch-000001.trig.gz"
)

func TestWholeBuildAgreesWithTables(t *testing.T) {
	db := miniTables(t)
	out := newFixture(t).write(t)
	var reported int64
	report, err := Run(t.Context(), out, db, Options{Workers: 3, Progress: func(_ string, done, total int64) {
		if reported = done; done > total {
			t.Errorf("progress %d of %d", done, total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if reported == 0 {
		t.Error("no progress was reported")
	}
	counts := map[string]int64{}
	for _, c := range report.Checks {
		counts[c.Name] = c.Count
	}
	want := map[string]int64{"files": 9, "batches": 329, "graph": 126, "shards": 7, "questions": 5, "parents": 3, "model": 3, "payload": 60, "description": 2, "manifest": 187, "documents": 5}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	if report, err := Run(t.Context(), out, nil, Options{}); err != nil || len(report.Checks) != 9 {
		t.Errorf("without tables: %+v, %v", report, err)
	}
}

// A build made with option site, or of a dump that names its site, is verified
// without that option.
func TestSiteIsTheManifests(t *testing.T) {
	db := miniTables(t)
	for name, f := range map[string]func(*fixture){
		"option site":                       func(f *fixture) { f.options.Site = "https://example.org" },
		"the dump's site":                   func(f *fixture) { f.dump.Site = "https://example.org" },
		"option site before the dump's one": func(f *fixture) { f.options.Site, f.dump.Site = "https://example.org", "askubuntu.com" },
	} {
		t.Run(name, func(t *testing.T) {
			build := newFixture(t)
			f(build)
			out := build.write(t)
			if _, err := Run(t.Context(), out, db, Options{}); err == nil {
				t.Error("no difference where the IRIs are those of another site")
			}
			build.setSite("https://example.org")
			out = build.write(t)
			if _, err := Run(t.Context(), out, db, Options{}); err != nil {
				t.Error(err)
			}
			if _, err := Sample(t.Context(), out, db, Options{Sample: 100}); err != nil {
				t.Errorf("sample: %v", err)
			}
		})
	}
}

func TestChangedRowIsFound(t *testing.T) {
	db := miniTables(t)
	out := newFixture(t).write(t)
	if _, err := db.SQL().ExecContext(t.Context(), "UPDATE Posts SET Score=8 WHERE Id=1"); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), out, db, Options{})
	if err == nil || !strings.Contains(err.Error(), "/questions/1") || !strings.Contains(err.Error(), "so:score") {
		t.Errorf("error %v", err)
	}
}

func TestNoBuildIsAUsageFault(t *testing.T) {
	out := t.TempDir()
	_, err := Run(t.Context(), out, nil, Options{})
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
		t.Errorf("empty folder: error %v, want a usage fault", err)
	}
	save(t, out, "manifest.json", fmt.Appendf(nil, `{"format":%d,"stages":{}}`, manifest.Format))
	_, err = Run(t.Context(), out, nil, Options{})
	if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultUsage {
		t.Errorf("nothing built: error %v, want a usage fault", err)
	}
}
