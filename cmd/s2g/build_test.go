package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema/memory"
	"s2g/schema/schematest"
)

// plannedXML is the size that a dry run gives a dump, in bytes of XML.
func plannedXML(t *testing.T, dump string) int64 {
	t.Helper()
	var says struct {
		Plan struct {
			XML       int64
			Estimated bool
		}
	}
	out := s2g(t, "build", "--dry-run", "--json", "--dump", dump, "--site", "stackoverflow.com", "--out", filepath.Join(t.TempDir(), "o"))
	if err := json.Unmarshal([]byte(out), &says); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return says.Plan.XML
}

// The plan of a dump depends on its text, not on its encoding.
func TestPlanDependsOnTextNotEncoding(t *testing.T) {
	small := t.TempDir()
	if err := sample.WriteTiny(small); err != nil {
		t.Fatal(err)
	}
	plain := plannedXML(t, small)
	for _, dressing := range sample.Dressings() {
		if !strings.Contains(dressing.Name, "UTF-16") {
			continue
		}
		t.Run(dressing.Name, func(t *testing.T) {
			if dressing.Needs != "" {
				schematest.Tool(t, dressing.Needs)
			}
			path, err := dressing.Write(small, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if got := plannedXML(t, path); got < plain*8/10 || got > plain*12/10 {
				t.Errorf("%d bytes of XML, in UTF-8 %d", got, plain)
			}
		})
	}
}

// allMemory is a --db-memory that leaves no memory to a stage.
func allMemory() string { return fmt.Sprintf("%dB", memory.Machine()) }

// Each stage is looked at before it begins, by itself.
func TestStagesRefuseAMachineThatIsTooSmall(t *testing.T) {
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "o")
	s2g(t, "sample", "--posts", "300", "--out", dump)
	refused := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), append(args, "--out", out, "--db-memory", allMemory()), &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "too little memory") {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr.String())
		}
	}
	refused("ingest", "--dump", dump)
	s2g(t, "ingest", "--dump", dump, "--out", out)
	refused("graph")
	refused("vectors")
	refused("vectors", "--rank", "0", "--world", "2")
	if plan := s2g(t, "vectors", "--out", out, "--rank", "0", "--world", "2", "--dry-run"); !strings.Contains(plan, "of disk") {
		t.Errorf("the plan of a rank: %s", plan)
	}
	if _, err := os.Stat(filepath.Join(out, "vectors")); err == nil {
		t.Error("the plan of a rank made vectors")
	}
	s2g(t, "graph", "--out", out)
	s2g(t, "graph", "--out", out, "--db-memory", allMemory(), "--dry-run") // there is nothing to do
}
