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
				if f, remedy := schema.FaultOf(err); f != schema.FaultUsage || !strings.Contains(err.Error(), says) || !strings.Contains(remedy, "--dump-site") {
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
