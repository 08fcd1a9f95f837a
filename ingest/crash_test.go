package ingest

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// A server that dies in the middle of a load is named as what failed, with the
// end of its log, and the next run goes on.
func TestServerCrash(t *testing.T) {
	path := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 2000, Out: path}); err != nil {
		t.Fatal(err)
	}
	g := newTarget(t)
	if err := g.run(Options{Dump: path}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	var once sync.Once
	kill := func(string, int64, int64) {
		once.Do(func() {
			for _, pid := range schematest.ServerPIDs(g.dir.Out()) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
	err := g.run(Options{Dump: path, Progress: kill})
	if f, _ := schema.FaultOf(err); f != schema.FaultService || !strings.Contains(err.Error(), "mariadbd has ended") ||
		!strings.Contains(err.Error(), "ready for connections") {
		t.Errorf("fault %v: %v", f, err)
	}
	db, err := tables.Open(t.Context(), tables.Options{Dir: g.dir.Private(), Memory: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	again := target{t, g.dir, db}
	if err := again.run(Options{Dump: path}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, again.state()); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
}

// A full disk is a lack of resources wherever it shows, and the run goes on when
// there is room.
func TestFullDisk(t *testing.T) {
	path := t.TempDir()
	if _, err := sample.Write(t.Context(), sample.Options{Posts: 12_000, Out: path, Shuffle: true}); err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	resize := func(flags, size string) error {
		out, err := exec.Command("mount", "-t", "tmpfs", "-o", flags+"size="+size, "none", disk).CombinedOutput()
		if err != nil {
			t.Logf("mount: %v: %s", err, out)
		}
		return err
	}
	schematest.Need(t, os.Getuid() == 0 && resize("", "100m") == nil, "a file system of a test's own, which root may mount")
	defer exec.Command("umount", disk).Run()
	for _, size := range []string{"100m", "300m", "320m"} {
		if err := resize("remount,", size); err != nil {
			t.Fatal(err)
		}
		err := ingestOnce(path, disk)
		if f, _ := schema.FaultOf(err); f != schema.FaultResources {
			t.Errorf("%s: fault %v: %v", size, f, err)
		}
	}
	if err := resize("remount,", "800m"); err != nil {
		t.Fatal(err)
	}
	if err := ingestOnce(path, disk); err != nil {
		t.Error(err)
	}
}
