package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/projection"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

var server tablestest.Server

func TestMain(m *testing.M) {
	tables.Supervise()
	ingestInstead()
	server.Main(m)
}

// A target is an OUT folder and the database that belongs to it.
type target struct {
	t   testing.TB
	dir *manifest.Dir
	db  *tables.DB
}

// newTarget returns an empty target on the server of the package's tests.
func newTarget(t testing.TB) target {
	t.Helper()
	dir, err := manifest.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	return target{t, dir, server.Database(t)}
}

const serverMemory = 256 << 20

// privateTarget opens an OUT folder with a server of its own; the caller closes it.
func privateTarget(t testing.TB, out string) target {
	t.Helper()
	schematest.Tool(t, "mariadbd")
	dir, err := manifest.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	db, err := tables.Open(t.Context(), tables.ServerOptions{Dir: dir.Private(), Memory: serverMemory, Access: tables.Load})
	if err != nil {
		t.Fatal(err)
	}
	return target{t, dir, db}
}

func (g target) close() {
	if err := errors.Join(g.db.Close(), g.dir.Close()); err != nil {
		g.t.Error(err)
	}
}

func (g target) run(o Options) error { return Run(g.t.Context(), g.dir, g.db, o) }

// state returns the number of rows and the checksum of each table. It checks that the
// rows have the fingerprint in the manifest, and that the projection of Posts is that of
// the table.
func (g target) state() map[string]string {
	g.t.Helper()
	g.checkProjection()
	state := make(map[string]string)
	for _, t := range schema.Tables() {
		var n int64
		var name string
		var sum *int64
		if err := g.db.SQL().QueryRow("SELECT COUNT(*) FROM " + t.Name).Scan(&n); err != nil {
			g.t.Fatal(err)
		}
		if err := g.db.SQL().QueryRow("CHECKSUM TABLE "+t.Name+" EXTENDED").Scan(&name, &sum); err != nil {
			g.t.Fatal(err)
		}
		state[t.Name] = fmt.Sprintf("%d rows, checksum %d", n, *sum)
		got, err := g.db.FingerprintOf(g.t.Context(), t, 2, nil)
		if err != nil {
			g.t.Fatal(err)
		}
		if want := g.dir.Manifest().Dump.Tables[t.Name].Fingerprint; got.String() != want {
			g.t.Errorf("%s has the fingerprint %s, the manifest %q", t.Name, got, want)
		}
	}
	return state
}

// checkProjection checks that the projection of Posts that ingest has written has the
// bytes of one that a scan of the table makes.
func (g target) checkProjection() {
	g.t.Helper()
	files := func() map[string]string {
		names, _ := filepath.Glob(filepath.Join(g.dir.Private(), "posts-*"))
		content := map[string]string{}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				g.t.Fatal(err)
			}
			content[name] = string(text)
		}
		return content
	}
	written := files() // also of a dump that was loaded and is not in service
	if err := projection.RemoveOthers(g.dir.Private(), ""); err != nil {
		g.t.Fatal(err)
	}
	db, err := tables.Open(g.t.Context(), tables.ServerOptions{DSN: g.db.DSN(), Dir: g.dir.Private(), Locked: true})
	if err != nil {
		g.t.Fatal(err)
	}
	defer db.Close()
	err = projection.Read(g.t.Context(), db, func(int64) (func(*projection.Post), error) { return func(*projection.Post) {}, nil })
	if err != nil {
		g.t.Fatal(err)
	}
	scanned := files()
	if len(scanned) != 1 {
		g.t.Errorf("a scan has written %d projections of Posts", len(scanned))
	}
	for name, text := range scanned {
		if other, ok := written[name]; !ok || other != text {
			g.t.Errorf("the projection of Posts that ingest has written (%v, %d bytes) is not that of the table (%d bytes)", ok, len(other), len(text))
		}
	}
	for name, text := range written {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g target) value(query string) string {
	g.t.Helper()
	var v *string
	if err := g.db.SQL().QueryRow(query).Scan(&v); err != nil {
		g.t.Fatal(err)
	}
	if v == nil {
		return "NULL"
	}
	return *v
}

func TestRealDumpInAllDressings(t *testing.T) {
	t.Parallel()
	const site = "bioinformatics.stackexchange.com"
	source := schematest.Dump(t, site)
	g := newTarget(t)
	if err := g.run(Options{Dump: source}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	for table, rows := range map[string]int{"Posts": 1300, "Comments": 2158, "Votes": 6034, "PostLinks": 36, "Tags": 288} {
		if !strings.HasPrefix(want[table], fmt.Sprint(rows, " ")) {
			t.Errorf("%s has %s, want %d", table, want[table], rows)
		}
	}
	m := g.dir.Manifest()
	if m.Dump.Site != site || m.Dump.Newest[:10] != "2017-08-27" || len(m.Dump.Tables) != 5 || len(m.Stages[manifest.Ingest].Errors) != 0 {
		t.Errorf("manifest: %+v, errors %v", m.Dump, m.Stages[manifest.Ingest].Errors)
	}
	plan, err := NewPlan(Options{Dump: source})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Fresh(manifest.Ingest, plan.Key) {
		t.Error("the same dump is not fresh")
	}

	t.Run("rows shuffled, some of them twice", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		folder := t.TempDir()
		for _, table := range schema.Tables() {
			doc, err := os.ReadFile(filepath.Join(source, table.Name+".xml"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(doc), "\n")
			head, rows, tail := lines[:2], lines[2:len(lines)-1], lines[len(lines)-1]
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			text := strings.Join(head, "") + strings.Join(rows, "") + strings.Join(rows[:2], "") + tail
			if err := os.WriteFile(filepath.Join(folder, table.Name+".xml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.run(Options{Dump: folder, MaxRejects: new(0.1)}); err != nil { // duplicates are bad rows
			t.Fatal(err)
		}
		if d := cmp.Diff(want, g.state()); d != "" {
			t.Errorf("tables differ from those of the plain dump (-want +got):\n%s", d)
		}
	})
	for _, dressing := range sample.Dressings() {
		t.Run(dressing.Name, func(t *testing.T) {
			schematest.Long(t)
			if dressing.Needs != "" {
				schematest.Tool(t, dressing.Needs)
			}
			path, err := dressing.Write(source, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := g.run(Options{Dump: path}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, g.state()); d != "" {
				t.Errorf("tables differ from those of the plain dump (-want +got):\n%s", d)
			}
		})
	}
}

// small is a dump of a few rows.
func small() map[string]string {
	return map[string]string{
		"Posts": `<row Id="1" PostTypeId="1" CreationDate="2020-01-02T03:04:05.678" Score="-3" Body="&lt;p&gt;a\b&#xA;&#9;c&lt;/p&gt;" Title="" Tags="&lt;go&gt;&lt;c++&gt;&lt;go&gt;" AnswerCount="" />
			<row Id="2" PostTypeId="2" ParentId="1" CreationDate="2020-01-02T03:04:06" Score="0" Body="b" OwnerUserId="-1" />`,
		"Comments":  `<row Id="1" PostId="1" Score="0" Text="t" CreationDate="2020-01-02T03:04:05.678" />`,
		"Votes":     `<row Id="1" PostId="1" VoteTypeId="2" CreationDate="2020-01-02T00:00:00.000" />`,
		"PostLinks": `<row Id="1" CreationDate="2020-01-02T03:04:05.678" PostId="1" RelatedPostId="2" LinkTypeId="1" />`,
		"Tags":      `<row Id="1" TagName="go" Count="1" IsRequired="True" IsModeratorOnly="False" /><row Id="2" TagName="c++" Count="1" />`,
	}
}

// write writes the rows of a dump into a folder.
func write(t testing.TB, rows map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for table, r := range rows {
		root := strings.ToLower(table)
		doc := "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<" + root + ">\n" + r + "\n</" + root + ">"
		if err := os.WriteFile(filepath.Join(folder, table+".xml"), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestSmallDump(t *testing.T) {
	t.Parallel()
	g := newTarget(t)

	t.Run("values", func(t *testing.T) {
		if err := g.run(Options{Dump: write(t, small())}); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"SELECT Body FROM Posts WHERE Id=1":                               "<p>a\\b\n\tc</p>",
			"SELECT Title FROM Posts WHERE Id=1":                              "",
			"SELECT Title FROM Posts WHERE Id=2":                              "NULL",
			"SELECT Tags FROM Posts WHERE Id=1":                               "|go|c++|",
			"SELECT Score FROM Posts WHERE Id=1":                              "-3",
			"SELECT AnswerCount FROM Posts WHERE Id=1":                        "NULL",
			"SELECT OwnerUserId FROM Posts WHERE Id=2":                        "-1",
			"SELECT CAST(CreationDate AS CHAR) FROM Posts WHERE Id=2":         "2020-01-02 03:04:06.000",
			"SELECT CAST(CreationDate AS CHAR) FROM Posts WHERE Id=1":         "2020-01-02 03:04:05.678",
			"SELECT CONCAT(IsRequired, IsModeratorOnly) FROM Tags WHERE Id=1": "10",
			"SELECT IsRequired FROM Tags WHERE Id=2":                          "NULL",
		} {
			if got := g.value(query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		if n := g.dir.Manifest().Dump.Newest; n != "2020-01-02T03:04:06.000Z" {
			t.Errorf("newest post %q", n)
		}
	})

	t.Run("bad rows", func(t *testing.T) {
		rows := small()
		rows["Posts"] += `
			<row Id="1000000001" PostTypeId="1" CreationDate="2025-06-30T00:00:00.000" />
			<row Id="3" PostTypeId="99" CreationDate="2020-01-01T00:00:00.000" Body="&#x0E;&#0;` + "\xff" + `" />
			<row Id="3" PostTypeId="1" CreationDate="2020-01-01T00:00:00.000" />
			<row Id="2" PostTypeId="1" CreationDate="2020-01-01T00:00:00.000" Body="late and twice" />
			<row PostTypeId="1" CreationDate="2020-01-01T00:00:00.000" />
			<row Id="4" CreationDate="2020-01-01T00:00:00.000" />
			<row Id="5" PostTypeId="1" CreationDate="yesterday" />
			<row Id="6" PostTypeId="1" CreationDate="2020-01-01T00:00:00.000" Score="many" LastEditDate="never" Title="t" />
			<row Id="7" PostTypeId="1" CreationDate="2020-01-01T00:00:00.000" Score="99999999999" />
			<row Id="8" PostTypeId="1" CreationDate="2020-01-01T00:00:00.000" Body="<p>" />`
		path := write(t, rows)
		err := g.run(Options{Dump: path})
		if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), "Posts.xml: 8 of 12 rows are bad") {
			t.Errorf("too many bad rows: error %v", err)
		}
		if err := g.run(Options{Dump: path, MaxRejects: new(0.9)}); err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{
			"fabricated_post": 1, "unknown_type": 1, "illegal_reference": 1, "invalid_utf8": 1, "duplicate_id": 2, "no_id": 1,
			"missing_attribute": 1, "bad_date": 2, "bad_number": 1, "out_of_range": 1, "malformed": 1,
		}
		if d := cmp.Diff(want, g.dir.Manifest().Stages[manifest.Ingest].Errors); d != "" {
			t.Errorf("classes (-want +got):\n%s", d)
		}
		if got := g.value("SELECT GROUP_CONCAT(Id ORDER BY Id) FROM Posts"); got != "1,2,3,6,7" {
			t.Errorf("posts %s, want 1,2,3,6,7", got)
		}
		if got := g.value("SELECT Body FROM Posts WHERE Id=2"); got != "b" {
			t.Errorf("of two posts with one Id %q was kept, want the first", got)
		}
		if got := g.value("SELECT CONCAT_WS(',', IFNULL(Score, 'no score'), IFNULL(LastEditDate, 'no date'), Title) FROM Posts WHERE Id=6"); got != "no score,no date,t" {
			t.Errorf("a post with bad values has %q, want it without them", got)
		}
		g.checkProjection()
		text, err := os.ReadFile(filepath.Join(g.dir.Out(), RejectsFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{
			`"class":"bad_date","id":"5","offset":`, `"column":"CreationDate","value":"yesterday"}`,
			`{"table":"Posts","file":"Posts.xml","class":"duplicate_id","id":"2"}`,
			`"column":"LastEditDate","value":"never","kept":true}`,
		} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s does not hold %s:\n%s", RejectsFile, part, text)
			}
		}
	})

	t.Run("left out", func(t *testing.T) {
		rows := small()
		delete(rows, "Votes")
		delete(rows, "PostLinks")
		if err := g.run(Options{Dump: write(t, rows), Without: []string{"votes", "links"}}); err != nil {
			t.Fatal(err)
		}
		if got := g.value("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ('Votes', 'PostLinks')"); got != "0" {
			t.Errorf("%s of the tables that were left out are there", got)
		}
		g.checkProjection()
		if _, there := g.dir.Manifest().Dump.Tables["Votes"]; there {
			t.Error("the manifest names votes, which were left out")
		}
	})
}

func TestBadDumpLeavesTablesInService(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	if err := g.run(Options{Dump: write(t, small())}); err != nil {
		t.Fatal(err)
	}
	want := g.state()
	key := g.dir.Manifest().Stages[manifest.Ingest].Key

	for _, test := range []struct {
		name string
		o    Options
		make func(folder string) error
		text string // in the error
	}{
		{"no posts", Options{}, remove("Posts.xml"), "no Posts.xml"},
		{"no votes", Options{}, remove("Votes.xml"), "no Votes.xml"},
		{"a table twice", Options{}, put("Tags.xml.gz", ""), "Tags.xml.gz"},
		{"empty file", Options{}, put("Comments.xml", ""), "Comments.xml"},
		{"error page", Options{}, put("Comments.xml", "<html><body>404</body></html>"), "Comments.xml"},
		{"cut file", Options{}, put("Votes.xml", `<votes><row Id="1" PostId="1" VoteTypeId="2" />`), "Votes.xml"},
		{"cut gzip", Options{}, cutGzip, "Tags.xml.gz"},
		{"empty gzip", Options{}, swap("Tags.xml", "Tags.xml.gz", ""), "Tags.xml.gz"},
		{"not gzip", Options{}, swap("Tags.xml", "Tags.xml.gz", "<tags/>"), "Tags.xml.gz"},
		{"bad row where all must be good", Options{Strict: true, MaxRejects: new(1.0)}, put("Tags.xml", `<tags><row Id="x" /></tags>`), "bad_number"},
		{"repaired row where all must be good", Options{Strict: true}, put("Tags.xml", `<tags><row Id="1" TagName="a&#1;" /></tags>`), "illegal_reference"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := write(t, small())
			if err := test.make(folder); err != nil {
				t.Fatal(err)
			}
			test.o.Dump = folder
			err := g.run(test.o)
			if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v (fault %d), want a fault of the input with %s", err, f, test.text)
			}
			if d := cmp.Diff(want, g.state()); d != "" {
				t.Errorf("the tables in service have changed (-want +got):\n%s", d)
			}
			if !g.dir.Manifest().Fresh(manifest.Ingest, key) {
				t.Error("the manifest does not name the tables in service any more")
			}
		})
	}
	left, err := os.ReadDir(g.dir.Tmp())
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
}

func remove(name string) func(string) error {
	return func(folder string) error { return os.Remove(filepath.Join(folder, name)) }
}

func put(name, text string) func(string) error {
	return func(folder string) error { return os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600) }
}

func swap(old, name, text string) func(string) error {
	return func(folder string) error {
		if err := os.Remove(filepath.Join(folder, old)); err != nil {
			return err
		}
		return put(name, text)(folder)
	}
}

func cutGzip(folder string) error {
	doc, err := os.ReadFile(filepath.Join(folder, "Tags.xml"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(doc); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return swap("Tags.xml", "Tags.xml.gz", b.String()[:b.Len()-5])(folder)
}

func TestCancelledRunIsNotRecorded(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Dump: write(t, small()), Progress: func(string, int64, int64) { cancel() }}
	if err := Run(ctx, g.dir, g.db, o); err == nil || ctx.Err() == nil {
		t.Errorf("a cancelled run ended with %v", err)
	}
	if len(g.dir.Manifest().Stages) > 0 {
		t.Errorf("stages %v", maps.Keys(g.dir.Manifest().Stages))
	}
}
