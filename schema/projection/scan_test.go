package projection

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

// The ranges follow each other without a gap from the first number to the last.
func TestIDRangesCoverAllNumbers(t *testing.T) {
	for _, c := range [][3]int64{{1, 1, 1}, {1, 1, 9}, {-3, 12, 4}, {7, 1000, 3}, {1, math.MaxInt64, 5}, {math.MinInt64, math.MaxInt64, 1}, {math.MinInt64, math.MaxInt64, 7}} {
		next, n := c[0], int64(0)
		for from, to := range idRanges(c[0], c[1], c[2]) {
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

func TestScanOrder(t *testing.T) {
	db := server.Database(t)
	var posts []map[string]string
	var want []int64
	for i := range int64(2*batchRows + 100) { // most are in one range
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
		err := scanRanges(t.Context(), db, n, func(p *Post) {
			if !p.Question() || string(p.Tags) != "|c|" {
				t.Fatalf("%+v", p)
			}
			got = append(got, p.ID)
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d queries: %d posts of %d, %v", n, len(got), len(want), err)
		}
	}
}

// load puts Posts with the given columns in service.
func load(t *testing.T, db *tables.DB, rows ...map[string]string) {
	t.Helper()
	posts, _ := schema.TableByName("Posts")
	var tsv strings.Builder
	for _, r := range rows {
		r["CreationDate"] = "2008-07-31 21:42:52.667"
		for i, c := range posts.Columns {
			if i > 0 {
				tsv.WriteByte('\t')
			}
			if v, ok := r[c.Name]; ok {
				tsv.WriteString(v)
			} else {
				tsv.WriteString(`\N`)
			}
		}
		tsv.WriteByte('\n')
	}
	if err := db.Stage(t.Context(), posts); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Load(t.Context(), posts, strings.NewReader(tsv.String())); err != nil {
		t.Fatal(err)
	}
	if err := db.Swap(t.Context(), "test", []schema.Table{posts}); err != nil {
		t.Fatal(err)
	}
}
