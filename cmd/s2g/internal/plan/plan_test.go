package plan

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/postscan"
	"s2g/schema/schematest"
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

func planOf(t *testing.T, in estimateInput) *Plan {
	t.Helper()
	if in.Out == "" {
		in.Out = filepath.Join(t.TempDir(), "not", "there", "yet")
	}
	p, err := estimate(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const pool = 1 << 20 // a private server's

func TestPlanGrowsWithTheDump(t *testing.T) {
	small := planOf(t, estimateInput{Dump: findDump(t, 100<<20), Stale: all(true), Pool: pool})
	large := planOf(t, estimateInput{Dump: findDump(t, 400<<20), Stale: all(true), Pool: pool})
	if small.XML != 100<<20 || small.Estimated || large.Disk.Needs <= small.Disk.Needs || large.Steps[1].Memory <= small.Steps[1].Memory {
		t.Errorf("small %+v, large %+v", small, large)
	}
	if small.Disk.Has == 0 || small.Tables != nil || small.Err() != nil {
		t.Errorf("disk %+v, error %v", small.Disk, small.Err())
	}
	// what is asked for changes what it takes
	for name, in := range map[string]estimateInput{
		"plain":        {Shape: manifest.Options{Compress: "none"}, Dimensions: builtinDimensions},
		"materialized": {Shape: manifest.Options{Materialize: true}, Dimensions: builtinDimensions},
		"answers":      {Shape: manifest.Options{Units: "question,answer"}, Dimensions: builtinDimensions},
		"an endpoint":  {},
	} {
		in.Dump, in.Stale, in.Pool = findDump(t, 100<<20), all(true), pool
		usual := planOf(t, estimateInput{Dump: in.Dump, Stale: in.Stale, Pool: pool, Dimensions: builtinDimensions})
		if p := planOf(t, in); p.Disk.Needs <= usual.Disk.Needs {
			t.Errorf("%s takes %d, not more than %d", name, p.Disk.Needs, usual.Disk.Needs)
		}
	}
	// the whole site beside languages takes nearly the disk of the languages again; alone it takes nearly the same
	both := planOf(t, estimateInput{Dump: findDump(t, 100<<20), Stale: all(true), Pool: pool, Shape: manifest.Options{WholeSite: true, Languages: schema.DefaultLanguages()}})
	alone := planOf(t, estimateInput{Dump: findDump(t, 100<<20), Stale: all(true), Pool: pool, Shape: manifest.Options{WholeSite: true}})
	languages := planOf(t, estimateInput{Dump: findDump(t, 100<<20), Stale: all(true), Pool: pool})
	near := func(a, b int64) bool { return a > b*9/10 && a < b*11/10 }
	if !near(both.Disk.Needs, languages.Disk.Needs+both.wholeSite()) || both.wholeSite() == 0 || !near(alone.Disk.Needs, languages.Disk.Needs) || !near(alone.wholeSite(), both.wholeSite()) {
		t.Errorf("languages %+v, with the whole site %+v, the whole site alone %+v", small, both, alone)
	}
	var text strings.Builder
	if err := both.Write(&text); err != nil || !strings.Contains(text.String(), "the graph and the collection of all questions take "+size(both.wholeSite())) {
		t.Errorf("%v\n%s", err, text.String())
	}
	// the tables of a server elsewhere take nothing here
	if p := planOf(t, estimateInput{Dump: findDump(t, 100<<20), Stale: all(true)}); p.Steps[0].Disk != 0 || p.Disk.Needs >= small.Disk.Needs {
		t.Errorf("with a server of the user's: %+v", p)
	}
}

// A UTF-16 dump has two bytes for most characters, which the tables have not.
func TestPlanOfUTF16(t *testing.T) {
	p := planOf(t, estimateInput{Dump: findDump(t, 200<<20), UTF8: 0.5, Stale: all(true), Pool: pool})
	if p.XML != 100<<20 || !p.Estimated {
		t.Errorf("%+v", p)
	}
	read := manifest.Dump{Tables: map[string]manifest.DumpTable{"Posts": {Bytes: 160 << 20, Rows: 1000}, "Votes": {Bytes: 40 << 20}}}
	p = planOf(t, estimateInput{Read: read, Sent: 66 << 20, Stale: map[string]bool{manifest.Graph: true}})
	if p.XML < 100<<20 || p.XML > 115<<20 || !p.Estimated || p.Steps[1].Memory != 128<<20+24*1000 {
		t.Errorf("after it was read: %+v", p)
	}
	both := map[string]bool{manifest.Graph: true, manifest.Vectors: true}
	p = planOf(t, estimateInput{Read: read, Sent: 66 << 20, Stale: both})
	remote := planOf(t, estimateInput{Read: read, Sent: 66 << 20, Stale: both, Shape: manifest.Options{Dense: "openai+http://host/v1?model=m"}, Dimensions: 256})
	if one, two := p.Steps[1].Memory, remote.Steps[1].Memory+remote.Steps[2].Memory; one != p.Steps[2].Memory || p.Memory.Needs != one || one < two || one > two+postscan.SharedBytes {
		t.Errorf("graph and vectors in one pass take %d bytes of memory, one after the other %+v", one, remote.Steps)
	}
	p = planOf(t, estimateInput{Read: read, Sent: 150 << 20, Stale: map[string]bool{manifest.Graph: true}})
	if p.XML != 200<<20 || p.Estimated {
		t.Errorf("a dump in UTF-8: %+v", p)
	}
}

// What an interrupted run has made, or what is replaced, need not be free again.
func TestWhatIsThereCounts(t *testing.T) {
	out := t.TempDir()
	in := estimateInput{Out: out, Dump: findDump(t, 100<<20), Stale: all(true), Pool: pool, Dimensions: builtinDimensions}
	empty := planOf(t, in)
	fill := func(name string, size int) {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fill(".s2g/db/s2g/Posts.ibd", 8<<20)
	begun := planOf(t, in)
	if got := empty.Disk.Needs - begun.Disk.Needs; got < 8<<20 || got > 9<<20 {
		t.Errorf("8 MiB of tables are there, %d less are needed", got)
	}
	in.Stale = map[string]bool{manifest.Ingest: true}
	begun = planOf(t, in)
	in.Held = true // they are those of the dump before, and stay until the new ones are complete
	if held := planOf(t, in); held.Disk.Needs-begun.Disk.Needs < 8<<20 || held.Steps[0].Temporary <= begun.Steps[0].Temporary {
		t.Errorf("%+v beside tables in service, %+v without", held, begun)
	}
	in.Held, in.Stale = false, map[string]bool{manifest.Graph: true}
	before := planOf(t, in)
	fill("graph/batch-000001.trig.gz", 4<<20)
	fill("vectors/python/part-00000.parquet", 4<<20) // of a stage that is not run
	if got := before.Disk.Needs - planOf(t, in).Disk.Needs; got < 4<<20 || got > 5<<20 {
		t.Errorf("4 MiB of the graph are there, %d less are needed", got)
	}
}

func TestTablesOnTheirOwnDisk(t *testing.T) {
	other, err := os.MkdirTemp("/dev/shm", "s2g-test")
	schematest.Need(t, err == nil, fmt.Sprint("no second file system: ", err))
	t.Cleanup(func() { os.RemoveAll(other) })
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, ".s2g"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, databaseFolder(out)); err != nil {
		t.Fatal(err)
	}
	apart, err := tablesHaveOwnDisk(out)
	if err != nil {
		t.Fatal(err)
	}
	schematest.Need(t, apart, "/dev/shm is on the disk of "+out)
	in := estimateInput{Out: out, Dump: findDump(t, 100<<20), Stale: all(true), Pool: pool}
	p := planOf(t, in)
	together := planOf(t, estimateInput{Dump: in.Dump, Stale: in.Stale, Pool: pool})
	if p.Tables == nil || p.Tables.Needs < 150<<20 || p.Tables.Has == 0 || p.Disk.Needs >= together.Disk.Needs {
		t.Fatalf("%+v, together %+v", p, together)
	}
	in.Dump = findDump(t, 1<<40)
	p = planOf(t, in)
	p.Disk.Has = 1 << 60
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "too little disk for the tables") {
		t.Errorf("%v", err)
	}
}

func TestNothingToDoNeedsNothing(t *testing.T) {
	p := planOf(t, estimateInput{Dump: findDump(t, 1<<40), Stale: all(false), Pool: 1 << 40})
	if p.Disk.Needs != 0 || p.Memory.Needs != 0 || p.Err() != nil {
		t.Errorf("%+v, %v", p, p.Err())
	}
}

func TestTooLittle(t *testing.T) {
	for name, in := range map[string]estimateInput{
		"disk":   {Dump: findDump(t, 1<<42), Stale: all(true)},
		"memory": {Dump: findDump(t, 1<<20), Stale: all(true), Pool: 1 << 50},
	} {
		err := planOf(t, in).Err()
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultResources || remedy == "" || !strings.Contains(err.Error(), "too little "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	p := &Plan{XML: 1 << 30, Estimated: true, Disk: Need{3 << 30, 1 << 30}, Memory: Need{1 << 30, 4 << 30}, Tables: &Need{2 << 30, 5 << 30},
		Steps: []Step{{Stage: "ingest", Fresh: true}, {Stage: "graph", Disk: 1 << 30, Existing: 1 << 20, Memory: 128 << 20}}}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ingest    no        -", "graph   yes  1.0 GiB", "1.0 MiB  128 MiB", "about 1.0 GiB of XML", "3.0 GiB of disk (1.0 GiB free)", "2.0 GiB on the disk of the tables (5.0 GiB free)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
