package dump

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

// folderOf makes a folder of empty files.
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
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
		says    []string
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
			for _, part := range test.says {
				if !strings.Contains(err.Error()+remedy, part) {
					t.Errorf("error %q with remedy %q does not say %q", err, remedy, part)
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

// putSite writes the tables of a site, of which Posts has a row with the site's
// name. The name of each file is made from its table's with format.
func putSite(t *testing.T, folder, site, format string) {
	t.Helper()
	for _, table := range schema.Tables() {
		root := strings.ToLower(table.Name)
		put(t, folder, strings.ReplaceAll(format, "*", table.Name), "<"+root+"><row Id=\"1\" Body=\""+site+"\" /></"+root+">")
	}
}

// packFolder packs what is in a folder.
func packFolder(t *testing.T, archive, folder string) string {
	t.Helper()
	schematest.Tool(t, "7z")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sevenZip(t, archive, files)
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

func TestSites(t *testing.T) {
	for name, write := range twoSites() {
		t.Run(name, func(t *testing.T) {
			path := write(t, t.TempDir())
			for site, says := range map[string]string{
				"":              "holds several sites: " + one + ", " + two,
				"superuser.com": "does not hold site superuser.com but " + one + ", " + two,
			} {
				_, err := Find(path, Options{Site: site})
				if f, remedy := schema.FaultOf(err); f != schema.FaultUsage || !strings.Contains(err.Error(), says) || !strings.Contains(remedy, "option dump-site") {
					t.Errorf("site %q: error %v, remedy %q; want one that says %q", site, err, remedy, says)
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

func TestFindMixed(t *testing.T) {
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
