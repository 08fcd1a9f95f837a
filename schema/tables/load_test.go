package tables

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
)

// Votes: Id, PostId, VoteTypeId, UserId, CreationDate, BountyAmount.
const (
	vote1 = "1\t10\t2\t\\N\t2008-07-31 00:00:00.000\t\\N\n"
	vote2 = "2\t10\t8\t-1\t2008-08-01 21:42:52.667\t50\n"
)

func TestLoad(t *testing.T) {
	db := open(t)
	votes := table(t, "Votes")
	cases := []struct {
		name string
		tsv  string
		want Loaded
		rows int64  // in the table afterwards
		err  string // part of the error, empty: none
	}{
		{"nothing", "", Loaded{}, 0, ""},
		{"good rows", vote1 + vote2, Loaded{Affected: 2}, 2, ""},
		{"duplicate key", vote1 + vote2 + vote1, Loaded{Affected: 2, Warnings: 1}, 2, "Duplicate entry '1'"},
		{"number out of range", strings.Replace(vote2, "50", "5000000000", 1), Loaded{Affected: 1, Warnings: 1}, 1, "Out of range"},
		{"not a date", strings.Replace(vote1, "2008-07-31", "2008-07-41", 1), Loaded{Affected: 1, Warnings: 1}, 1, "CreationDate"},
		{"user id is not a number", strings.Replace(vote2, "-1", "-1\xff", 1), Loaded{Affected: 1, Warnings: 1}, 1, "UserId"},
		{"missing fields", "1\t10\n", Loaded{Affected: 1, Warnings: 4}, 1, "doesn't contain data for all columns"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := db.Stage(t.Context(), votes); err != nil {
				t.Fatal(err)
			}
			got, err := db.Load(t.Context(), votes, strings.NewReader(c.tsv))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, indexed := range []bool{false, true} {
				if rows, err := db.Count(t.Context(), votes); err != nil || rows != c.rows {
					t.Errorf("indexed %t: %d rows, want %d; error %v", indexed, rows, c.rows, err)
				}
				if err := db.Index(t.Context(), votes); !indexed && err != nil {
					t.Fatal(err)
				}
			}
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

func TestLoadKeepsText(t *testing.T) {
	db := open(t)
	comments := table(t, "Comments")
	texts := []string{"", "plain", "tab\tlf\ncr\rback\\slash nul\x00.", `\N`, `"quoted"`, "naïve 𝄞 \u2028", strings.Repeat("é", 1<<20), "trailing "}
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	var tsv strings.Builder
	for i, text := range texts {
		tsv.WriteString(string(rune('1'+i)) + "\t10\t0\t" + escape.Replace(text) + "\t2008-07-31 00:00:00.000\t\\N\t\\N\t\\N\n")
	}
	serve(t, db, "k", map[string]string{comments.Name: tsv.String()})
	var got []string
	for _, r := range all(t, db, "SELECT Text FROM Comments ORDER BY Id") {
		got = append(got, r[0])
	}
	if diff := cmp.Diff(texts, got); diff != "" {
		t.Errorf("(-want +got)\n%.1000s", diff)
	}
}

func TestLoadRefusesBadUTF8(t *testing.T) {
	db := open(t)
	tags := table(t, "Tags")
	for _, text := range []string{"\xff", "ab\xc3", "\xc0\xaf"} {
		if err := db.Stage(t.Context(), tags); err != nil {
			t.Fatal(err)
		}
		row := "1\t" + text + strings.Repeat("\t\\N", len(tags.Columns)-2) + "\n"
		if got, err := db.Load(t.Context(), tags, strings.NewReader(row)); err == nil {
			t.Errorf("%q was loaded: %+v", text, got)
		}
	}
}

func TestLoadFailsWithItsReader(t *testing.T) {
	db := open(t)
	votes := table(t, "Votes")
	broken := errors.New("the archive is damaged")
	for name, end := range map[string]error{"own error": broken, "unexpected end": io.ErrUnexpectedEOF} {
		t.Run(name, func(t *testing.T) {
			if err := db.Stage(t.Context(), votes); err != nil {
				t.Fatal(err)
			}
			_, err := db.Load(t.Context(), votes, io.MultiReader(strings.NewReader(vote1), iotest.ErrReader(end)))
			if !errors.Is(err, end) {
				t.Errorf("error %v, want %v", err, end)
			}
		})
	}
	if _, err := db.Load(t.Context(), votes, strings.NewReader(vote2)); err != nil {
		t.Errorf("loading after a failure: %v", err)
	}
}

func TestLoadNeedsLocalInfile(t *testing.T) {
	db := open(t)
	if _, err := db.SQL().Exec("SET GLOBAL local_infile=0"); err != nil {
		t.Fatal(err)
	}
	defer db.SQL().Exec("SET GLOBAL local_infile=1")
	votes := table(t, "Votes")
	if err := db.Stage(t.Context(), votes); err != nil {
		t.Fatal(err)
	}
	_, err := db.Load(t.Context(), votes, strings.NewReader(vote1))
	if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "local_infile") {
		t.Errorf("%v: fault %v, remedy %q", err, fault, remedy)
	}
}

func TestSwap(t *testing.T) {
	db := open(t)
	key := func() string {
		t.Helper()
		k, err := db.DumpKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if got := key(); got != "" {
		t.Errorf("key of no tables: %q", got)
	}
	serve(t, db, "first", map[string]string{"Votes": vote1, "Tags": ""})
	if got := key(); got != "first" {
		t.Errorf("key %q", got)
	}
	votes := table(t, "Votes")
	if err := db.Stage(t.Context(), votes); err != nil {
		t.Fatal(err)
	}
	if got := all(t, db, "SELECT COUNT(*) FROM Votes"); got[0][0] != "1" {
		t.Errorf("staging has touched the table in service: %v", got)
	}
	serve(t, db, "second", map[string]string{"Votes": vote1 + vote2})
	if got := key(); got != "second" {
		t.Errorf("key %q", got)
	}
	want := [][]string{{"S2GDump"}, {"Votes"}}
	got := all(t, db, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables: (-want +got)\n%s", diff)
	}
	if got := all(t, db, "SHOW INDEX FROM Votes WHERE Key_name <> 'PRIMARY'"); len(got) != 2 {
		t.Errorf("secondary index columns: %v", got)
	}
	if err := db.Swap(t.Context(), "third", []schema.Table{votes}); err == nil || key() != "second" {
		t.Errorf("swap without a staging table: %v, key %q", err, key())
	}
}
