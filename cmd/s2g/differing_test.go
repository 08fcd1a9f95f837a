package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/verify"
)

func TestDifferencesNameTheStagesToMakeAgain(t *testing.T) {
	for name, c := range map[string]struct {
		checks []verify.Check
		want   map[string]bool
	}{
		"nothing":              {[]verify.Check{{Name: "graph", OK: true}}, map[string]bool{}},
		"tables, so all":       {[]verify.Check{{Name: "tables"}, {Name: "graph"}, {Name: "manifest"}}, map[string]bool{"ingest": true}},
		"files":                {[]verify.Check{{Name: "files"}, {Name: "shards"}, {Name: "manifest"}}, map[string]bool{"graph": false, "vectors": false}},
		"quads":                {[]verify.Check{{Name: "files", OK: true}, {Name: "graph"}, {Name: "manifest"}}, map[string]bool{"graph": true}},
		"vectors and quads":    {[]verify.Check{{Name: "batches"}, {Name: "model"}}, map[string]bool{"graph": true, "vectors": true}},
		"a count of the graph": {[]verify.Check{{Name: "manifest", Difference: "manifest.json: stages.graph.counts[tags] is 7, it must be 8"}}, map[string]bool{"graph": true}},
		"a size of the dump":   {[]verify.Check{{Name: "manifest", Difference: "manifest.json: dump.tables[Posts].rows is 7, it must be 8"}}, map[string]bool{"ingest": true}},
		"documents alone":      {[]verify.Check{{Name: "documents"}}, map[string]bool{}},
	} {
		if diff := cmp.Diff(c.want, differingStages(c.checks)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
