package threads

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

func TestBuild(t *testing.T) {
	db := tablestest.Open(t)
	load(t, db, map[string]string{"Id": "5", "PostTypeId": "1", "AcceptedAnswerId": "9", "Tags": "|c|c++|"},
		map[string]string{"Id": "6", "PostTypeId": "2", "ParentId": "5", "Score": "3"},
		map[string]string{"Id": "7", "PostTypeId": "4", "Tags": "|c|"},
		map[string]string{"Id": "9", "PostTypeId": "2", "ParentId": "5"},
		map[string]string{"Id": "10", "PostTypeId": "1", "Tags": "|c|"},
		map[string]string{"Id": "11", "PostTypeId": "2"})
	x, err := Build(t.Context(), db, langs, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{Post{ID: 5, Question: true, Answered: true, Answers: 2, HasBetter: true, AcceptedAnswer: 9}, []int{0, 1}},
		{Post{ID: 6, Parent: 5, IsBetter: true}, []int{0, 1}},
		{Post{ID: 9, Parent: 5, IsAccepted: true}, []int{0, 1}},
		{Post{ID: 10, Question: true}, []int{0}},
	}
	if diff := cmp.Diff(want, entries(x)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	folder := t.TempDir()
	for _, from := range []string{"a scan that writes the projection", "the projection"} {
		beside, err := tables.Open(t.Context(), tables.ServerOptions{DSN: db.DSN(), Dir: folder, Locked: true})
		if err != nil {
			t.Fatal(err)
		}
		y, err := Build(t.Context(), beside, langs, false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(entries(x), entries(y)); diff != "" || x.Bytes() != y.Bytes() {
			t.Errorf("from %s, %d and %d bytes (-table +got)\n%s", from, x.Bytes(), y.Bytes(), diff)
		}
		if err := beside.Close(); err != nil {
			t.Error(err)
		}
		if files, _ := os.ReadDir(folder); len(files) != 1 {
			t.Errorf("from %s: the folder has %v", from, files)
		}
	}
	for _, c := range []struct {
		ids  []int64
		want []entry
	}{
		{nil, nil}, {[]int64{7, 8, 11}, nil}, {[]int64{5}, want[:3]}, {[]int64{9}, want[:3]}, {[]int64{10}, want[3:]}, {[]int64{10, 6, 9}, want},
	} {
		x, err := BuildOf(t.Context(), db, langs, false, c.ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, entries(x)); diff != "" {
			t.Errorf("threads of %v (-want +got)\n%s", c.ids, diff)
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
