package shard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

func somePoints(n int) []Point {
	var points []Point
	for i := range n {
		score := int32(i - 3)
		points = append(points, Point{
			PointID: PointID(int64(i/2), i%2), PostID: int64(i / 2), Chunk: int32(i % 2), Chunks: 2, Type: "question",
			Text: strings.Repeat("text ", i), Score: &score, Tags: []string{"a", "b"}[:i%3], Languages: []string{"c#"},
			LinkedTo: []int64{int64(i)}, DuplicateOf: []int64{}, CreationDate: int64(i),
			Dense: []float32{float32(i), 1}, SparseIndices: []uint32{1, 4e9}[:i%3], SparseValues: []float32{1, 2}[:i%3],
		})
	}
	return points
}

// write writes rows to a file of their own, and returns its name.
func write[T any](t *testing.T, rows []T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "part-00000.parquet")
	if err := parquet.WriteFile(name, rows); err != nil {
		t.Fatal(err)
	}
	return name
}

// A reader returns the rows that were written, from any row on, and the caller may keep them.
func TestReaderReturnsWhatWasWritten(t *testing.T) {
	want := somePoints(3 * readRows / 2)
	name := write(t, want)
	r, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows() != int64(len(want)) {
		t.Errorf("%d rows", r.Rows())
	}
	var got []*Point
	for r.Scan() {
		got = append(got, r.Point())
	}
	if r.Err() != nil || len(got) != len(want) {
		t.Fatalf("%d points: %v", len(got), r.Err())
	}
	for i := range got { // all of them still there at the end
		if diff := cmp.Diff(&want[i], got[i]); diff != "" {
			t.Fatal(diff)
		}
	}
	for _, row := range []int64{70, 0, 95, 95} {
		if err := r.SeekRow(row); err != nil || !r.Scan() {
			t.Fatal(err, r.Err())
		}
		if r.Point().PointID != want[row].PointID {
			t.Errorf("row %d is point %d", row, r.Point().PointID)
		}
	}
	if err := r.SeekRow(96); err == nil && r.Scan() {
		t.Error("there is a row after the last")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	ids, err := IDs(name)
	if err != nil || len(ids) != len(want) || ids[95] != want[95].PointID {
		t.Errorf("%d ids: %v", len(ids), err)
	}
	at := 0
	err = Texts(name, func(point uint64, hash string) error {
		if point != want[at].PointID || hash != want[at].ContentHash {
			t.Errorf("text %d is of point %d with the hash %q", at, point, hash)
		}
		at++
		return nil
	})
	if err != nil || at != len(want) {
		t.Errorf("%d texts: %v", at, err)
	}
	stop := errors.New("enough")
	if err := Texts(name, func(uint64, string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of use is lost: %v", err)
	}
}

// A reader of some columns leaves the other fields zero.
func TestReaderOfSomeColumns(t *testing.T) {
	want := somePoints(readRows + 9)
	name := write(t, want)
	r, err := Open(name, "score", "point_id", "sparse_values")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for ; r.Scan(); at++ {
		p := Point{PointID: want[at].PointID, Score: want[at].Score, SparseValues: want[at].SparseValues}
		if diff := cmp.Diff(&p, r.Point()); diff != "" {
			t.Fatal(diff)
		}
	}
	if err := errors.Join(r.Err(), r.Close()); err != nil || at != len(want) {
		t.Errorf("%d rows: %v", at, err)
	}
	p, err := ReadRow(name, readRows+2)
	if err != nil {
		t.Fatal(err)
	}
	row := want[readRows+2]
	row.Dense, row.SparseIndices, row.SparseValues = nil, nil, nil
	if diff := cmp.Diff(&row, p); diff != "" {
		t.Errorf("one row: %s", diff)
	}
	if _, err := ReadRow(name, int64(len(want))); err == nil {
		t.Error("there is a row after the last")
	}
}

// Damage is an error that names the file, whether rows or columns are read; parquet-go
// panics on some.
func TestReaderOfDamage(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	other := write(t, []struct {
		PointID uint64 `parquet:"point_id"`
	}{{7}})
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), "no column post_id") {
		t.Errorf("without columns: %v", err)
	}
	whole, err := os.ReadFile(write(t, somePoints(500)))
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 3, len(whole) / 2, len(whole) - 1} {
		name := filepath.Join(t.TempDir(), "cut.parquet")
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(name); err == nil {
			r.Close()
			t.Errorf("%d of %d bytes pass", cut, len(whole))
		}
	}
	// pages in the middle
	for at := 4; at < len(whole)/2; at += len(whole) / 40 {
		damaged := append([]byte(nil), whole...)
		for i := range 16 {
			damaged[at+i] ^= 0xff
		}
		name := filepath.Join(t.TempDir(), "damaged.parquet")
		if err := os.WriteFile(name, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(name)
		if err != nil {
			continue
		}
		for r.Scan() {
		}
		if err := r.Err(); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("the error of rows does not name the file: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Log(err)
		}
		if _, err := IDs(name); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("the error of a column does not name the file: %v", err)
		}
	}
}

func TestPointID(t *testing.T) {
	id := PointID(MaxPostID, 1<<ChunkBits-1)
	if id != 1<<63-1 || PostOf(id) != MaxPostID {
		t.Errorf("%d of %d", id, PostOf(id))
	}
}
