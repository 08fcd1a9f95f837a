package threads

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"s2g/schema/schematest"
	"s2g/schema/tables"
)

// Whatever the numbers and however far apart, the ranges follow each other without a gap from the first to the last.
func TestRanges(t *testing.T) {
	for _, c := range [][3]int64{{1, 1, 1}, {1, 1, 9}, {-3, 12, 4}, {7, 1000, 3}, {1, math.MaxInt64, 5}, {math.MinInt64, math.MaxInt64, 1}, {math.MinInt64, math.MaxInt64, 7}} {
		next, n := c[0], int64(0)
		for from, to := range ranges(c[0], c[1], c[2]) {
			if from != next || to < from {
				t.Fatalf("%v: a range from %d to %d after %d", c, from, to, next-1)
			}
			next, n = to+1, n+1
			if n == c[2] || to == c[1] {
				break
			}
		}
		if next-1 != c[1] || n > c[2] {
			t.Errorf("%v: %d ranges, up to %d", c, n, next-1)
		}
	}
}

// However many queries read them, posts come in the order of their ids, and each once.
func TestEachRow(t *testing.T) {
	schematest.Tool(t, "mariadbd")
	db, err := tables.Open(t.Context(), tables.Options{Dir: t.TempDir(), Memory: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var posts []map[string]string
	var want []int64
	for i := range int64(2*batchRows + 100) { // most of them in one of the ranges
		id := i + 5
		if i%1000 == 999 {
			id = i * i
		}
		want = append(want, id)
		posts = append(posts, map[string]string{"Id": strconv.FormatInt(id, 10), "PostTypeId": "1", "Tags": "|c|"})
	}
	slices.Sort(want)
	load(t, db, posts...)
	for _, n := range []int64{1, 3, 40} {
		var got []int64
		err := eachRow(t.Context(), db, n, func(r postRow) {
			if !r.question || string(r.tags) != "|c|" {
				t.Fatalf("%+v", r)
			}
			got = append(got, r.id)
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d queries: %d posts of %d, %v", n, len(got), len(want), err)
		}
	}
}
