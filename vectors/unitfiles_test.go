package vectors

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// fullDisk is where a run writes, with no room for one of the files.
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

// A unit's files come in their order whoever writes them, those of an interrupted run among them; one that fails ends
// the unit, and those behind it are not begun.
func TestUnitFiles(t *testing.T) {
	rows := slices.Values([]shard.Parent{{PostID: 1}, {PostID: 2}})
	for name, c := range map[string]struct {
		spares int
		fails  string
	}{"alone": {}, "with others": {spares: 2}, "alone, without room": {fails: "b"}, "with others, without room": {spares: 2, fails: "b"}} {
		dir := openDir(t, t.TempDir())
		run, err := dir.Begin(manifest.Vectors, "key")
		if err != nil {
			t.Fatal(err)
		}
		s := &stage{outputs: fullDisk{run, c.fails}, encoding: shard.NewEncoding(), spare: make(spare, c.spares)}
		s.files = map[string]manifest.File{"a": {Name: "a", Size: 7}}
		for range c.spares {
			s.spare.lend()
		}
		files := s.newFiles(context.Background(), 5)
		begin(files, 4, "d", rows, 2)
		begin(files, 0, "a", rows, 2) // it is there
		begin(files, 1, "b", rows, 2)
		if c.fails != "" {
			<-files.ctx.Done()
		}
		begin(files, 3, "c", rows, 2)
		made, err := files.wait()
		var names []string
		for _, f := range made {
			names = append(names, f.Name)
		}
		switch {
		case c.fails == "" && (err != nil || !slices.Equal(names, []string{"a", "b", "c", "d"}) || made[0].Size != 7):
			t.Errorf("%s: %v, %v", name, names, err)
		case c.fails != "" && !errors.Is(err, errNoRoom):
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir.Out(), "c")); (err == nil) != (c.fails == "") {
			t.Errorf("%s: the file behind it: %v", name, err)
		}
		if len(s.spare) != c.spares {
			t.Errorf("%s: %d of %d workers came back", name, len(s.spare), c.spares)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
