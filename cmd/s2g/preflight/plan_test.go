package preflight

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
)

func findDump(t *testing.T, bytesOfPosts int) *dump.Dump {
	t.Helper()
	dir := t.TempDir()
	for _, table := range schema.Tables() {
		if err := os.WriteFile(filepath.Join(dir, table.Name+".xml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// a sparse file: nothing is read
	if err := os.Truncate(filepath.Join(dir, "Posts.xml"), int64(bytesOfPosts)); err != nil {
		t.Fatal(err)
	}
	d, err := dump.Find(dir, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func all(stale bool) map[string]bool {
	return map[string]bool{manifest.Ingest: stale, manifest.Graph: stale, manifest.Vectors: stale}
}

func newPlan(t *testing.T, in Input) *Plan {
	t.Helper()
	in.Out = filepath.Join(t.TempDir(), "not", "there", "yet")
	p, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanGrowsWithTheDump(t *testing.T) {
	small := newPlan(t, Input{Dump: findDump(t, 100<<20), Stale: all(true)})
	large := newPlan(t, Input{Dump: findDump(t, 400<<20), Stale: all(true)})
	if small.XML != 100<<20 || small.Estimated || large.Disk.Needs <= small.Disk.Needs || large.Steps[1].Memory <= small.Steps[1].Memory {
		t.Errorf("small %+v, large %+v", small, large)
	}
	if small.Disk.Has == 0 || small.Err() != nil {
		t.Errorf("disk %+v, error %v", small.Disk, small.Err())
	}
	held := newPlan(t, Input{Dump: findDump(t, 100<<20), Stale: all(true), Held: true})
	if held.Disk.Needs <= small.Disk.Needs {
		t.Error("the tables in service take no room beside the new ones")
	}
	plain := newPlan(t, Input{Dump: findDump(t, 100<<20), Stale: all(true), Compress: "none"})
	if plain.Disk.Needs <= small.Disk.Needs {
		t.Error("an uncompressed graph takes no more than a compressed one")
	}
}

func TestNothingToDoNeedsNothing(t *testing.T) {
	p := newPlan(t, Input{Dump: findDump(t, 1<<40), Stale: all(false), Pool: 1 << 40})
	if p.Disk.Needs != 0 || p.Memory.Needs != 0 || p.Err() != nil {
		t.Errorf("%+v, %v", p, p.Err())
	}
}

func TestTooLittle(t *testing.T) {
	for name, in := range map[string]Input{
		"disk":   {Dump: findDump(t, 1<<42), Stale: all(true)},
		"memory": {Dump: findDump(t, 1<<20), Stale: all(true), Pool: 1 << 50},
	} {
		err := newPlan(t, in).Err()
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultResources || remedy == "" || !strings.Contains(err.Error(), "too little "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	p := &Plan{XML: 1 << 30, Estimated: true, Disk: Need{3 << 30, 1 << 30}, Memory: Need{1 << 30, 4 << 30},
		Steps: []Step{{Stage: "ingest", Fresh: true}, {Stage: "graph", Disk: 1 << 30, Memory: 128 << 20}}}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ingest     no        -", "graph    yes  1.0 GiB", "about 1.0 GiB of XML", "3.0 GiB of disk (1.0 GiB free)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
