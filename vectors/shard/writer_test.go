package shard

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"s2g/schema/schematest"
)

// The same rows give the same bytes, and reading them gives the rows.
func TestParquetRoundTrip(t *testing.T) {
	want := somePoints(96)
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Write(b, NewEncoding(), slices.Values(want)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same rows gave other bytes")
	}
	got, err := parquet.Read[Point](bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Other readers see lists, unsigned ids, dates in UTC and paths of columns.
func TestReadByPyArrow(t *testing.T) {
	schematest.Long(t)
	python := schematest.Python(t, "duckdb==1.4.2", "pandas==2.3.3", "pyarrow==21.0.0", "datasets==4.4.1") // as the other readers, which share it
	file := filepath.Join(t.TempDir(), "points.parquet")
	var b bytes.Buffer
	if err := Write(&b, NewEncoding(), slices.Values(somePoints(5))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", `
import sys, pyarrow.parquet as pq
f = pq.ParquetFile(sys.argv[1])
t = f.read()
for c in "point_id", "tags", "creation_date", "dense", "sparse_indices", "accepted_answer_id":
    print(c, t.schema.field(c).type, t[c][4].as_py())
print(f.metadata.row_group(0).column(0).path_in_schema)
`, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := `point_id uint64 131072
tags list<element: string> ['a']
creation_date timestamp[ms, tz=UTC] 1970-01-01 00:00:00.004000+00:00
dense list<element: float> [4.0, 1.0]
sparse_indices list<element: uint32> [1]
accepted_answer_id int64 None
point_id
`
	if diff := cmp.Diff(want, strings.ReplaceAll(string(out), " not null", "")); diff != "" {
		t.Error(diff)
	}
}

// An optional column is NULL exactly where a row has no value, whatever rows are
// around it.
func TestParquetNulls(t *testing.T) {
	for pattern := range 1 << 8 {
		var points []Point
		for i := range 8 {
			p := somePoints(1)[0]
			p.PointID = uint64(i)
			if pattern>>i&1 != 0 {
				p.AcceptedAnswerID, p.Author = 7, "someone"
			}
			points = append(points, p)
		}
		var out bytes.Buffer
		if err := Write(&out, NewEncoding(), slices.Values(points)); err != nil {
			t.Fatal(err)
		}
		type nullable struct {
			AcceptedAnswerID *int64  `parquet:"accepted_answer_id,optional"`
			Author           *string `parquet:"author,optional"`
		}
		rows, err := parquet.Read[nullable](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			if has := pattern>>i&1 != 0; (r.AcceptedAnswerID != nil) != has || (r.Author != nil) != has {
				t.Fatalf("pattern %08b: row %d has %v and %v", pattern, i, r.AcceptedAnswerID, r.Author)
			}
		}
	}
}
