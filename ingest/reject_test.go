package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/dump"
	"s2g/schema"
	"s2g/schema/manifest"
)

// badRows are rows of each class, and whether they are loaded. They are written
// beside 100 good comments.
var badRows = []struct {
	table string
	row   string
	class dump.Class
	kept  bool
}{
	{"Comments", `<row PostId="1" Text="a" CreationDate="2020-01-02T03:04:05.678" />`, noID, false},
	{"Comments", `<row Id="x" PostId="1" CreationDate="2020-01-02T03:04:05.678" />`, badNumber, false},
	{"Comments", `<row Id="200" PostId="" CreationDate="2020-01-02T03:04:05.678" />`, missingAttribute, false},
	{"Comments", `<row Id="201" PostId="1" />`, missingAttribute, false},
	{"Comments", `<row Id="202" PostId="1" CreationDate="2020-02-30T00:00:00.000" />`, badDate, false},
	{"Comments", `<row Id="203" PostId="99999999999999999999" CreationDate="2020-01-02T03:04:05.678" />`, outOfRange, false},
	{"Comments", `<row Id="-1" PostId="1" CreationDate="2020-01-02T03:04:05.678" />`, outOfRange, false},
	{"Comments", `<row Id="204" PostId="1" Score="2147483648" CreationDate="2020-01-02T03:04:05.678" />`, outOfRange, true},
	{"Comments", `<row Id="205" PostId="1" UserId="nobody" CreationDate="2020-01-02T03:04:05.678" />`, badNumber, true},
	{"Comments", `<row Id="1" PostId="2" CreationDate="2020-01-02T03:04:05.678" />`, duplicateID, false},
	{"Comments", `<row Id="206" PostId="1" Text="&#x1;" CreationDate="2020-01-02T03:04:05.678" />`, dump.IllegalReference, true},
	{"Comments", "<row Id=\"207\" PostId=\"1\" Text=\"\xe9\" CreationDate=\"2020-01-02T03:04:05.678\" />", dump.InvalidUTF8, true},
	{"Comments", `<row Id="208" PostId="1" Text=a CreationDate="2020-01-02T03:04:05.678" />`, dump.Malformed, false},
	{"Votes", `<row Id="100" PostId="1" VoteTypeId="34" CreationDate="2020-01-02T00:00:00.000" />`, "unknown_type", true},
	{"Votes", `<row Id="101" PostId="1" VoteTypeId="40000" />`, outOfRange, false},
	{"Votes", `<row Id="102" PostId="1" VoteTypeId="2" CreationDate="then" />`, badDate, true},
	{"PostLinks", `<row Id="103" PostId="1" RelatedPostId="2" LinkTypeId="2" />`, "unknown_type", true},
	{"Tags", `<row Id="104" TagName="` + strings.Repeat("é", 256) + `" />`, outOfRange, false},
	{"Tags", `<row Id="105" TagName="x" IsRequired="perhaps" />`, badBool, true},
	{"Tags", `<row Id="106" TagName="a|b" />`, badTag, true},
	{"Posts", `<row Id="107" PostTypeId="1" Tags="&lt;a&gt;&lt;b|c&gt;" CreationDate="2025-06-30T00:00:00.000" />`, badTag, true},
	{"Posts", `<row Id="140737488355328" PostTypeId="1" CreationDate="2025-06-30T00:00:00.000" />`, outOfRange, false},
	{"Posts", `<row Id="140737488355327" PostTypeId="18" CreationDate="2025-06-30T00:00:00.000" />`, "unknown_type", true},
	{"Posts", `<row Id="1000000010" PostTypeId="1" CreationDate="2025-06-30T00:00:00.000" />`, "fabricated_post", false},
	{"Posts", `<row Id="106" PostTypeId="18" CreationDate="2025-06-30T00:00:00.000" />`, "unknown_type", true},
}

// comments returns n good rows of comments.
func comments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<row Id=\"%d\" PostId=\"1\" Score=\"0\" Text=\"t\" CreationDate=\"2020-01-02T03:04:05.678\" />\n", i+1)
	}
	return b.String()
}

// Rows of each class are counted, listed, and dropped or kept as the table of classes
// requires.
func TestFateOfEachClass(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	rows := small()
	rows["Comments"] = comments(100)
	wantCounts := make(map[string]int64)
	wantRows := map[string]int{"Posts": 2, "Comments": 100, "Votes": 1, "PostLinks": 1, "Tags": 2}
	var wantListed, listed []string
	for _, bad := range badRows {
		rows[bad.table] += bad.row
		wantCounts[string(bad.class)]++
		if bad.kept {
			wantRows[bad.table]++
		}
		wantListed = append(wantListed, fmt.Sprintln(bad.table, bad.class, bad.kept))
	}
	if err := g.run(Options{Dump: write(t, rows), MaxRejects: new(1.0)}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(wantCounts, g.dir.Manifest().Stages[manifest.Ingest].Errors); d != "" {
		t.Errorf("classes (-want +got):\n%s", d)
	}
	for table, n := range wantRows {
		if got := g.value("SELECT COUNT(*) FROM " + table); got != fmt.Sprint(n) {
			t.Errorf("%s: %s rows, want %d", table, got, n)
		}
	}
	for _, r := range g.rejects() {
		listed = append(listed, fmt.Sprintln(r.Table, r.Class, r.Kept))
	}
	slices.Sort(wantListed)
	slices.Sort(listed)
	if d := cmp.Diff(wantListed, listed); d != "" {
		t.Errorf("listed (-want +got):\n%s", d)
	}
}

// With option strict each class is an error; with max-rejects 0 each class that
// valid dumps do not have.
func TestLimitsOfBadRows(t *testing.T) {
	for _, bad := range badRows {
		if bad.class == duplicateID {
			continue // is found by the idOrderer; see TestBadRowsAreCountedListedAndLimited
		}
		table, _ := schema.TableByName(bad.table)
		root, file := strings.ToLower(table.Name), table.Name+".xml"
		b := convertDocument(t, table, []byte("<"+root+">"+bad.row+"</"+root+">"))
		err := Options{Strict: true, MaxRejects: new(1.0)}.checkRejects(file, &b.rejects)
		if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), string(bad.class)) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s, strict: fault %v: %v", bad.class, f, err)
		}
		if err := (Options{MaxRejects: new(0.0)}).checkRejects(file, &b.rejects); (err == nil) != classOf(bad.class).expected {
			t.Errorf("%s, no bad rows allowed: %v", bad.class, err)
		}
	}
}

// rejects reads rejects.jsonl.
func (g target) rejects() []Reject {
	g.t.Helper()
	all, err := ReadRejects(g.dir.Out())
	if err != nil {
		g.t.Fatal(err)
	}
	return all
}

func TestDamagedRejectsAreAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, RejectsFile), []byte("{\"table\":\"Posts\"}\n{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRejects(dir); err == nil {
		t.Error("half a line is read")
	}
}

// All bad rows are counted, the first of each class are listed, and the limit applies
// to each table.
func TestBadRowsAreCountedListedAndLimited(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	rows := small()
	rows["Comments"] = comments(1000 - 25)
	for range 25 {
		rows["Comments"] += `<row Id="x" PostId="1" CreationDate="2020-01-02T03:04:05.678" Text="` + strings.Repeat("y", 300) + `" />`
	}
	rows["Votes"] += rows["Votes"] // one duplicate in two rows
	path := write(t, rows)
	err := g.run(Options{Dump: path, MaxRejects: new(0.1)})
	if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), "duplicate_id") {
		t.Errorf("a table of which half are duplicates: %v", err)
	}
	for limit, good := range map[float64]bool{0.024: false, 0.5: true} {
		if err := g.run(Options{Dump: path, MaxRejects: &limit}); (err == nil) != good {
			t.Errorf("limit %g: %v", limit, err)
		}
	}
	if n := g.dir.Manifest().Stages[manifest.Ingest].Errors[string(badNumber)]; n != 25 {
		t.Errorf("%d bad rows counted, want 25", n)
	}
	if listed := g.rejects(); len(listed) != examples+1 { // plus the duplicate
		t.Errorf("%d listed, want %d", len(listed), examples+1)
	}
}

// Long texts are loaded in full, and empty texts are not NULL.
func TestLongAndEmptyTexts(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	long := strings.Repeat("long é ", 20_000)
	rows := small()
	rows["Posts"] = `<row Id="3000000000" PostTypeId="1" CreationDate="2020-01-02T03:04:05.678" OwnerUserId="-2" OwnerDisplayName="` + long + `"
		Title="` + long + `" Tags="|` + long + `|" LastEditorDisplayName="" ContentLicense="` + long + `" Score="-2147483648" ViewCount="2147483647" />`
	rows["Comments"] = `<row Id="1" PostId="3000000000" Text="" UserDisplayName="` + long + `" CreationDate="2020-01-02T03:04:05.678" />`
	rows["Votes"] = `<row Id="1" PostId="3000000000" VoteTypeId="8" UserId="-1" BountyAmount="100000" />`
	rows["Tags"] = `<row Id="1" TagName="c" /><row Id="2" TagName="C" /><row Id="3" TagName="c " />`
	if err := g.run(Options{Dump: write(t, rows), Strict: true}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"SELECT OwnerDisplayName FROM Posts":                                  long,
		"SELECT Title FROM Posts":                                             long,
		"SELECT Tags FROM Posts":                                              "|" + long + "|",
		"SELECT ContentLicense FROM Posts":                                    long,
		"SELECT UserDisplayName FROM Comments":                                long,
		"SELECT CONCAT(LastEditorDisplayName, '.') FROM Posts":                ".",
		"SELECT Body FROM Posts":                                              "NULL",
		"SELECT CONCAT(Text, '.') FROM Comments":                              ".",
		"SELECT CONCAT_WS(',', Id, Score, ViewCount, OwnerUserId) FROM Posts": "3000000000,-2147483648,2147483647,-2",
		"SELECT CONCAT_WS(',', PostId, UserId, BountyAmount) FROM Votes":      "3000000000,-1,100000",
		"SELECT Id FROM Tags WHERE TagName = 'c'":                             "1",
		"SELECT Id FROM Tags WHERE TagName = 'c '":                            "3",
		"SELECT COUNT(*) FROM Questions":                                      "1",
	} {
		if got := g.value(query); got != want {
			t.Errorf("%s: %.40q (%d bytes), want %.40q", query, got, len(got), want)
		}
	}
}
