package dump

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
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
		{"two missing", folderOf(t, all[:3]...), nil, schema.FaultInput, []string{"PostLinks.xml", "Tags.xml", "--without links,tags"}},
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
