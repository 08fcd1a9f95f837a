package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"s2g/cmd/s2g/internal/build"
	"s2g/schema"
	"s2g/schema/projection"
	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// projections returns the files of the projection of Posts of a build.
func projections(t *testing.T, out string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(out, ".s2g", "posts-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A projection of Posts that is whole and wrong makes a wrong graph. verify finds that, because it reads the tables, and
// the next build makes both again. db --write leaves no projection.
func TestWrongProjectionIsFoundAndMadeAgain(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	out, dump := smallBuild(t)
	right := projections(t, out)
	if len(right) != 1 {
		t.Fatalf("the ingest has left the projections %v", right)
	}
	want, err := os.ReadFile(right[0])
	if err != nil {
		t.Fatal(err)
	}
	o := build.Options{Out: out}
	db, err := o.OpenTables(t.Context(), tables.Read)
	if err != nil {
		t.Fatal(err)
	}
	key, err := db.DumpKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := projection.NewWriter(t.TempDir(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	left := 0
	err = projection.Read(t.Context(), db, func(int64) (func(*projection.Post), error) {
		return func(p *projection.Post) {
			if p.Type == schema.PostQuestion && left < 5 {
				left++ // these lose their tags
				p.Tags = nil
			}
			if err := w.Add(p); err != nil {
				t.Error(err)
			}
		}, nil
	})
	if err == nil {
		err = w.Commit(filepath.Join(out, ".s2g"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	build := []string{"build", "--dump", dump, "--out", out, "--stages", "ingest,graph,verify"}
	s2gExits(t, 5, build...)
	if left := projections(t, out); len(left) > 0 {
		t.Errorf("after the verification there are %v", left)
	}
	s2g(t, build...)
	if now, err := os.ReadFile(right[0]); err != nil || !slices.Equal(now, want) {
		t.Errorf("the projection is not made again: %d bytes, %v", len(now), err)
	}
	s2g(t, "db", "--write", "--out", out, "SELECT 1")
	if left := projections(t, out); len(left) > 0 {
		t.Errorf("after db --write there are %v", left)
	}
}
