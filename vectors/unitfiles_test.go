package vectors

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// fullDisk is a sink without room for one of the files.
type fullDisk struct {
	*manifest.Run
	name string
}

var errNoRoom = errors.New("no room")

func (f fullDisk) Create(name string) (*manifest.Output, error) {
	if name == f.name {
		return nil, errNoRoom
	}
	return f.Run.Create(name)
}

// The files of a unit keep their order whoever writes them, those of an interrupted run among them. One that fails ends
// the unit, and no file is begun after it.
func TestUnitFiles(t *testing.T) {
	rows := slices.Values([]shard.Parent{{PostID: 1}, {PostID: 2}})
	for name, c := range map[string]struct {
		idle  int
		fails string
	}{"alone": {}, "with others": {idle: 2}, "alone, without room": {fails: "b"}, "with others, without room": {idle: 2, fails: "b"}} {
		dir := openDir(t, t.TempDir())
		entry, err := dir.Begin(manifest.Vectors, "key")
		if err != nil {
			t.Fatal(err)
		}
		r := &run{sink: fullDisk{entry, c.fails}, encoding: shard.NewEncoding(), idle: make(idleWorkers, c.idle)}
		r.committed = map[string]manifest.File{"a": {Name: "a", Size: 7}}
		for range c.idle {
			r.idle.add()
		}
		files, within := newUnitFiles(t.Context(), r, 5)
		writeFile(within, files, 4, "d", rows, 2)
		writeFile(within, files, 0, "a", rows, 2) // it is there
		writeFile(within, files, 1, "b", rows, 2)
		if c.fails != "" {
			<-within.Done()
		}
		writeFile(within, files, 3, "c", rows, 2)
		written, err := files.wait()
		var names []string
		for _, f := range written {
			names = append(names, f.Name)
		}
		switch {
		case c.fails == "" && (err != nil || !slices.Equal(names, []string{"a", "b", "c", "d"}) || written[0].Size != 7):
			t.Errorf("%s: %v, %v", name, names, err)
		case c.fails != "" && !errors.Is(err, errNoRoom):
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir.Out(), "c")); (err == nil) != (c.fails == "") {
			t.Errorf("%s: the file after it: %v", name, err)
		}
		if len(r.idle) != c.idle {
			t.Errorf("%s: %d of %d workers came back", name, len(r.idle), c.idle)
		}
		if err := entry.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An idle worker does the work and is idle again. Without one the caller does it.
func TestIdleWorkers(t *testing.T) {
	s := make(idleWorkers, 1)
	var group errgroup.Group
	inline := false
	if err := s.run(&group, func() error { inline = true; return nil }); err != nil || !inline {
		t.Errorf("without an idle worker: %v", err)
	}
	s.add()
	for range 3 {
		begun, end := make(chan bool), make(chan bool)
		err := s.run(&group, func() error { begun <- true; <-end; return nil })
		if err != nil {
			t.Fatal(err)
		}
		<-begun // so it is not the caller that works
		second := false
		if err := s.run(&group, func() error { second = true; return nil }); err != nil || !second {
			t.Errorf("with a busy worker: %v", err)
		}
		close(end)
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}
