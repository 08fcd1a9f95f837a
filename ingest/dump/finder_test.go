package dump

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

// folderOf writes a folder of empty files.
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		put(t, folder, name, "")
	}
	return folder
}

func TestFindFolder(t *testing.T) {
	folder := folderOf(t, "Posts.xml", "comments.XML.gz", "Votes.xml.bz2", "PostLinks.xml.zst", "Tags.xml", "Users.xml", "Posts.xml.md5", "notes.txt")
	d, err := Find(folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, s := range d.Streams {
		for _, m := range s.Members {
			got[m.Table] = s.File.Name
		}
	}
	want := map[string]string{
		"Posts": "Posts.xml", "Comments": "comments.XML.gz", "Votes": "Votes.xml.bz2", "PostLinks": "PostLinks.xml.zst", "Tags": "Tags.xml",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(d.Files) != 5 {
		t.Errorf("%d files, want 5", len(d.Files))
	}
}

func TestFindFaults(t *testing.T) {
	all := []string{"Posts.xml", "Comments.xml", "Votes.xml", "PostLinks.xml", "Tags.xml"}
	text := filepath.Join(folderOf(t, "dump.txt"), "dump.txt")
	for _, test := range []struct {
		name    string
		path    string
		without []string
		fault   schema.Fault
		parts   []string
	}{
		{"not there", filepath.Join(t.TempDir(), "no"), nil, schema.FaultInput, []string{"does not exist"}},
		{"another file", text, nil, schema.FaultInput, []string{"neither a folder nor a .7z archive"}},
		{"no archive", filepath.Join(folderOf(t, "site.7z"), "site.7z"), nil, schema.FaultInput, []string{"site.7z"}},
		{"nothing there", t.TempDir(), nil, schema.FaultInput, []string{"Posts.xml"}},
		{"two missing", folderOf(t, all[:3]...), nil, schema.FaultInput, []string{"PostLinks.xml", "Tags.xml", "option without links,tags"}},
		{"one left out, one missing", folderOf(t, all[:3]...), []string{"links"}, schema.FaultInput, []string{"Tags.xml"}},
		{"twice", folderOf(t, append(all, "Votes.xml.gz")...), nil, schema.FaultInput, []string{"Votes.xml", "Votes.xml.gz"}},
		{"posts left out", folderOf(t, all...), []string{"posts"}, schema.FaultUsage, []string{"posts"}},
		{"unknown table left out", folderOf(t, all...), []string{"badges"}, schema.FaultUsage, []string{"badges"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Find(test.path, Options{Without: test.without})
			if err == nil {
				t.Fatal("no error")
			}
			fault, remedy := schema.FaultOf(err)
			if fault != test.fault {
				t.Errorf("fault %d, want %d: %v", fault, test.fault, err)
			}
			for _, part := range test.parts {
				if !strings.Contains(err.Error()+remedy, part) {
					t.Errorf("error %q with remedy %q does not contain %q", err, remedy, part)
				}
			}
		})
	}
}

func TestFindWithout(t *testing.T) {
	d, err := Find(folderOf(t, "Posts.xml", "Tags.xml", "Votes.xml"), Options{Without: []string{"comments", "votes", "links"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Files {
		got = append(got, f.Name)
	}
	if !slices.Equal(got, []string{"Posts.xml", "Tags.xml"}) {
		t.Errorf("files %q", got)
	}
}

func TestSiteOf(t *testing.T) {
	for path, want := range map[string]string{
		"/data/bioinformatics.stackexchange.com": "bioinformatics.stackexchange.com",
		"/data/stackoverflow.com.7z":             "stackoverflow.com",
		"/data/stackoverflow.com-Posts.7z":       "stackoverflow.com",
		"/data/MathOverflow.net/":                "mathoverflow.net",
		"/data/dump":                             "",
		"/data/dump.2024":                        "",
		"/data/a b.com":                          "",
		"/":                                      "",
	} {
		if got := siteOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// put writes a file, and its folders, below a folder.
func put(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// putSite writes the tables of a site. Each has a row with the site's name. In format
// "*" is the name of the table.
func putSite(t *testing.T, folder, site, format string) {
	t.Helper()
	for _, table := range schema.Tables() {
		root := strings.ToLower(table.Name)
		put(t, folder, strings.ReplaceAll(format, "*", table.Name), "<"+root+"><row Id=\"1\" Body=\""+site+"\" /></"+root+">")
	}
}

// packFolder packs the files of a folder.
func packFolder(t *testing.T, archive, folder string, args ...string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sevenZip(t, archive, files, args...)
	return archive
}

const one, two = "askubuntu.com", "math.stackexchange.com"

// putArchives writes an archive of each of two sites.
func putArchives(t *testing.T, folder string) string {
	t.Helper()
	for _, site := range []string{one, two} {
		tables := t.TempDir()
		putSite(t, tables, site, "*.xml")
		packFolder(t, filepath.Join(folder, site+".7z"), tables)
	}
	return folder
}

// putTableArchives writes an archive of each table of two sites.
func putTableArchives(t *testing.T, folder string) string {
	t.Helper()
	for _, site := range []string{one, two} {
		for _, table := range schema.Tables() {
			all, single := t.TempDir(), t.TempDir()
			putSite(t, all, site, "*.xml")
			if err := os.Rename(filepath.Join(all, table.Name+".xml"), filepath.Join(single, table.Name+".xml")); err != nil {
				t.Fatal(err)
			}
			packFolder(t, filepath.Join(folder, site+"-"+table.Name+".7z"), single)
		}
	}
	return folder
}

// twoSites are the ways in which a dump holds two sites. Each writes one into a
// folder and returns its path.
func twoSites() map[string]func(t *testing.T, folder string) string {
	return map[string]func(t *testing.T, folder string) string{
		"folders": func(t *testing.T, folder string) string {
			putSite(t, folder, one, one+"/*.xml")
			putSite(t, folder, two, "Math.StackExchange.com/*.xml")
			put(t, folder, "notes/readme.txt", "")
			return folder
		},
		"archives":           putArchives,
		"archives of tables": putTableArchives,
		"an archive and a folder": func(t *testing.T, folder string) string {
			putArchives(t, folder)
			if err := os.Remove(filepath.Join(folder, one+".7z")); err != nil {
				t.Fatal(err)
			}
			putSite(t, folder, one, one+"/*.xml")
			return folder
		},
		"folders in an archive": func(t *testing.T, folder string) string {
			putSite(t, folder, one, one+"/*.xml")
			putSite(t, folder, two, two+"/*.xml")
			return packFolder(t, filepath.Join(t.TempDir(), "dump.7z"), folder)
		},
		"archives in an archive": func(t *testing.T, folder string) string {
			return packFolder(t, filepath.Join(t.TempDir(), "dump.7z"), putArchives(t, folder))
		},
		"archives in an archive in a folder": func(t *testing.T, folder string) string {
			return filepath.Dir(packFolder(t, filepath.Join(t.TempDir(), "dump.7z"), putArchives(t, folder)))
		},
	}
}

func TestSitesAreChosenByName(t *testing.T) {
	for name, write := range twoSites() {
		t.Run(name, func(t *testing.T) {
			path := write(t, t.TempDir())
			for site, message := range map[string]string{
				"":              "holds several sites: " + one + ", " + two,
				"superuser.com": "does not hold site superuser.com but " + one + ", " + two,
			} {
				_, err := Find(path, Options{Site: site})
				if f, remedy := schema.FaultOf(err); f != schema.FaultUsage || !strings.Contains(err.Error(), message) || !strings.Contains(remedy, "option dump-site") {
					t.Errorf("site %q: error %v, remedy %q; want one that contains %q", site, err, remedy, message)
				}
			}
			for _, site := range []string{"AskUbuntu.com", two} {
				d, err := Find(path, Options{Site: site, Tmp: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				rows, err := rowsOf(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				host := strings.ToLower(site)
				want := []string{`Id="1" Body="` + host + `"`}
				if diff := cmp.Diff(want, rows["Posts"]); diff != "" || len(rows) != len(schema.Tables()) || d.Site != host {
					t.Errorf("site %s, read as that of %q, %d tables (-want +got):\n%s", site, d.Site, len(rows), diff)
				}
			}
		})
	}
}

func TestFindFilesAndArchivesTogether(t *testing.T) {
	schematest.Tool(t, "7z")
	folder, tables := t.TempDir(), t.TempDir()
	putSite(t, tables, "x", "*.xml")
	for _, name := range []string{"Posts", "Votes"} {
		if err := os.Rename(filepath.Join(tables, name+".xml"), filepath.Join(folder, name+".xml")); err != nil {
			t.Fatal(err)
		}
	}
	sevenZip(t, filepath.Join(folder, "pt.stackoverflow.com-Comments.7z"), []string{filepath.Join(tables, "Comments.xml")})
	sevenZip(t, filepath.Join(folder, "PostLinks.7z"), []string{filepath.Join(tables, "PostLinks.xml")})
	sevenZip(t, filepath.Join(folder, "rest.7z"), []string{filepath.Join(tables, "Tags.xml")})
	put(t, folder, "old/Posts.xml", "<posts/>")
	put(t, folder, "pt.stackoverflow.com-Users.7z", "is not looked at")
	put(t, folder, "Badges.7z", "is not looked at")
	d, err := Find(folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsOf(t.Context(), d)
	if err != nil || len(rows) != len(schema.Tables()) || d.Site != "pt.stackoverflow.com" {
		t.Errorf("%d tables of site %q, error %v", len(rows), d.Site, err)
	}
}

func TestEnumerate(t *testing.T) {
	if got := enumerate(slices.Repeat([]string{"a"}, 25)); !strings.HasSuffix(got, "a, a and 5 more") {
		t.Error(got)
	}
}

// Find refuses dumps that are not read, with a remedy.
func TestFindRefuses(t *testing.T) {
	schematest.Tool(t, "7z")
	tables := t.TempDir()
	putSite(t, tables, strings.Repeat("x", 1000), "*.xml")
	var all []string
	for _, table := range schema.Tables() {
		all = append(all, filepath.Join(tables, table.Name+".xml"))
	}
	pack := func(t *testing.T, name string, files []string, args ...string) string {
		archive := filepath.Join(t.TempDir(), name)
		sevenZip(t, archive, files, args...)
		return archive
	}
	for name, test := range map[string]struct {
		write func(t *testing.T) string // returns the path
		parts []string
	}{
		"password":            {func(t *testing.T) string { return pack(t, "a.7z", all, "-psecret") }, []string{"a.7z", "password"}},
		"password, names too": {func(t *testing.T) string { return pack(t, "a.7z", all, "-psecret", "-mhe=on") }, []string{"a.7z", "password"}},
		"split":               {func(t *testing.T) string { return pack(t, "a.7z", all, "-v300b") + ".001" }, []string{"a.7z.001", "split", "cat ", "a.7z.* >"}},
		"split, in a folder":  {func(t *testing.T) string { return filepath.Dir(pack(t, "a.7z", all, "-v300b")) }, []string{"a.7z.001", "split"}},
		"zip":                 {func(t *testing.T) string { return pack(t, "a.zip", all, "-tzip") }, []string{"a.zip", "not read", "unpack"}},
		"zip of Posts in a folder": {func(t *testing.T) string {
			folder := t.TempDir()
			for _, table := range []string{"Comments", "Votes", "PostLinks", "Tags"} {
				put(t, folder, table+".xml", "")
			}
			put(t, folder, "Posts.xml.zip", "")
			return folder
		}, []string{"Posts.xml.zip", "unpack"}},
		"rar":       {func(t *testing.T) string { return filepath.Join(folderOf(t, "dump.RAR"), "dump.RAR") }, []string{"dump.RAR", "unpack"}},
		"one table": {func(*testing.T) string { return all[0] }, []string{"Posts.xml", "one table", "folder"}},
		"no tables": {func(t *testing.T) string { return pack(t, "a.7z", all[1:]) }, []string{"a.7z", "no Posts.xml"}},
		"table twice": {func(t *testing.T) string {
			folder := folderOf(t, "Posts.xml", "Posts.xml.gz", "Comments.xml", "Votes.xml", "PostLinks.xml", "Tags.xml")
			return folder
		}, []string{"twice", "Posts.xml and Posts.xml.gz"}},
		"beside the archive it came from": {func(t *testing.T) string {
			archive := pack(t, "askubuntu.com.7z", all)
			put(t, filepath.Dir(archive), "Posts.xml", "")
			return filepath.Dir(archive)
		}, []string{"twice", "Posts.xml", "askubuntu.com.7z:Posts.xml"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Find(test.write(t), Options{})
			fault, remedy := schema.FaultOf(err)
			if fault != schema.FaultInput {
				t.Fatalf("error %v, want a fault of the input", err)
			}
			for _, part := range test.parts {
				if !strings.Contains(err.Error()+": "+remedy, part) {
					t.Errorf("error %q with remedy %q does not contain %q", err, remedy, part)
				}
			}
		})
	}
}

func TestTablesAreInOrderOfTheSchema(t *testing.T) {
	schematest.Tool(t, "7z")
	small := tinyDump(t)
	for _, dressing := range sample.Dressings() {
		d, err := Find(dress(t, dressing, small), Options{})
		if err != nil {
			t.Fatal(err)
		}
		tables := d.Tables()
		if len(tables) != len(schema.Tables()) {
			t.Errorf("%s: %d tables", dressing.Name, len(tables))
		}
		nested := dressing.Name == "7z of site.7z" || dressing.Name == "7z of site-Table.7z"
		if spool := d.Streams[0].Spool; nested != (spool > 0) {
			t.Errorf("%s: needs %d bytes for spooling", dressing.Name, spool)
		}
		for i, m := range tables {
			if m.Table != schema.Tables()[i].Name || nested && m.Size != unknownSize {
				t.Errorf("%s: table %d is %s, of %d bytes", dressing.Name, i, m.Table, m.Size)
			}
		}
	}
}
