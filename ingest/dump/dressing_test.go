package dump

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

// tinyDump writes the tiny dump into a folder.
func tinyDump(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	if err := sample.WriteTiny(folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// dress writes the dump of a folder in a dressing and returns its path.
func dress(t testing.TB, d sample.Dressing, from string) string {
	t.Helper()
	if d.Needs != "" {
		schematest.Tool(t, d.Needs)
	}
	path, err := d.Write(from, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// sevenZip packs files into an archive.
func sevenZip(t testing.TB, archive string, files []string, args ...string) {
	t.Helper()
	schematest.Tool(t, "7z")
	if err := sample.SevenZip(archive, files, args...); err != nil {
		t.Fatal(err)
	}
}

// rowsOf returns the rows of all tables of a dump in the form of describe, tags in one
// spelling.
func rowsOf(ctx context.Context, d *Dump) (map[string][]string, error) {
	all := make(map[string][]string)
	err := eachTable(ctx, d, func(m Member, r io.Reader) (err error) {
		all[m.Table], err = rowsOfTable(m, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// eachTable reads all streams of a dump, and checks where their progress ends.
func eachTable(ctx context.Context, d *Dump, read func(Member, io.Reader) error) error {
	for _, s := range d.Streams {
		if err := s.Each(ctx, read); err != nil {
			return err
		}
		if s.Done() != s.Size {
			return fmt.Errorf("%s: progress ends at %d of %d", s.File.Name, s.Done(), s.Size)
		}
	}
	return nil
}

func rowsOfTable(m Member, r io.Reader) ([]string, error) {
	t, _ := schema.TableByName(m.Table)
	c := ScanConfig{Name: m.Name, Root: strings.ToLower(t.Name), Columns: columns(t), Block: 10_000}
	tags, hasTags := t.Column("Tags")
	var rows []string
	s := NewScanner(r, c)
	for s.Scan() {
		rec := s.Record()
		if hasTags && rec.Value(tags) != nil {
			rec.values[tags] = []byte(strings.NewReplacer("><", "|", "<", "|", ">", "|").Replace(string(rec.Value(tags))))
		}
		rows = append(rows, describe(c, rec))
	}
	return rows, s.Err()
}

// All dressings of a dump hold the same rows, read with programs and with the built-in
// decoders. The latter are slow and read the small dump only.
func TestDressingsHoldTheSameRows(t *testing.T) {
	small := tinyDump(t)
	t.Run("small", func(t *testing.T) { testDressings(t, small, false, true) })
	t.Run("real", func(t *testing.T) {
		schematest.Long(t)
		testDressings(t, schematest.Dump(t, "bioinformatics.stackexchange.com"), false)
	})
}

func testDressings(t *testing.T, from string, decoders ...bool) {
	plain, err := Find(from, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := rowsOf(t.Context(), plain)
	if err != nil || len(want) != len(schema.Tables()) {
		t.Fatalf("%d tables, error %v", len(want), err)
	}
	for _, dressing := range sample.Dressings() {
		t.Run(dressing.Name, func(t *testing.T) {
			path, tmp := dress(t, dressing, from), t.TempDir()
			for _, builtIn := range decoders {
				d, err := Find(path, Options{builtIn: builtIn, Tmp: tmp})
				if err != nil {
					t.Fatal(err)
				}
				got, err := rowsOf(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				compareRows(t, want, got, dressing.Shuffled)
			}
			if left, _ := os.ReadDir(tmp); len(left) > 0 {
				t.Errorf("spooled archives are left: %v", left)
			}
		})
	}
}

func compareRows(t *testing.T, want, got map[string][]string, shuffled bool) {
	t.Helper()
	for table, rows := range want {
		have := got[table]
		if shuffled {
			rows, have = slices.Sorted(slices.Values(rows)), slices.Sorted(slices.Values(have))
		}
		for i := range max(len(rows), len(have)) {
			if i >= len(rows) || i >= len(have) || rows[i] != have[i] {
				t.Errorf("%s: %d rows, want %d, the first difference at %d:\n%s", table, len(have), len(rows), i,
					cmp.Diff(rows[min(i, len(rows)):min(i+1, len(rows))], have[min(i, len(have)):min(i+1, len(have))]))
				break
			}
		}
	}
}
