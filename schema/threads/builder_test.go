package threads

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

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

func TestBuild(t *testing.T) {
	db := tablestest.Open(t)
	t.Run("applies the rules to rows", func(t *testing.T) { testBuildRules(t, db) })
	t.Run("scans posts in order, each once", func(t *testing.T) { testScanOrder(t, db) })
}

func testBuildRules(t *testing.T, db *tables.DB) {
	load(t, db, map[string]string{"Id": "5", "PostTypeId": "1", "AcceptedAnswerId": "9", "Tags": "|c|c++|"},
		map[string]string{"Id": "6", "PostTypeId": "2", "ParentId": "5", "Score": "3"},
		map[string]string{"Id": "7", "PostTypeId": "4", "Tags": "|c|"},
		map[string]string{"Id": "9", "PostTypeId": "2", "ParentId": "5"})
	x, err := Build(t.Context(), db, langs, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{Post{ID: 5, Question: true, Answered: true, AcceptedAnswer: 9}, []int{0, 1}},
		{Post{ID: 6, Parent: 5, IsBetter: true}, []int{0, 1}},
		{Post{ID: 9, Parent: 5, IsAccepted: true}, []int{0, 1}},
	}
	if diff := cmp.Diff(want, entries(x)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func testScanOrder(t *testing.T, db *tables.DB) {
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
		err := scanPosts(t.Context(), db, n, func(r postRow) {
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
