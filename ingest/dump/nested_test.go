package dump

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

// Faults of an archive inside an archive are reported when it is read.
func TestNestedFaults(t *testing.T) {
	schematest.Tool(t, "7z")
	tables := t.TempDir()
	putSite(t, tables, strings.Repeat("x", 1000), "*.xml")
	pack := func(to string, args []string, names ...string) {
		var files []string
		for _, n := range names {
			files = append(files, filepath.Join(tables, n))
		}
		sevenZip(t, filepath.Join(tables, to), files, args...)
	}
	for name, test := range map[string]struct {
		make  func()
		inner string
		says  string
	}{
		"a table is missing": {func() { pack("site.7z", nil, "Posts.xml", "Comments.xml") }, "site.7z", "has no Votes.xml, PostLinks.xml, Tags.xml"},
		"archives in turn":   {func() { pack("posts.7z", nil, "Posts.xml"); pack("deep.7z", nil, "posts.7z") }, "deep.7z", "contains archives itself"},
		"password":           {func() { pack("secret.7z", []string{"-psecret"}, "Posts.xml") }, "secret.7z", "password"},
		"no archive":         {func() { put(t, tables, "junk.7z", "404 not found") }, "junk.7z", "junk.7z"},
	} {
		t.Run(name, func(t *testing.T) {
			test.make()
			pack(name+".7z", nil, test.inner)
			tmp := t.TempDir()
			d, err := Find(filepath.Join(tables, name+".7z"), Options{Tmp: tmp})
			if err != nil {
				t.Fatal(err)
			}
			if spool := d.Streams[0].Spool; spool == 0 {
				t.Error("it needs no room in Tmp")
			}
			_, err = rowsOf(t.Context(), d)
			if f, _ := schema.FaultOf(err); f != schema.FaultInput || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.inner) {
				t.Errorf("error %v, want one that names %s and says %q", err, test.inner, test.says)
			}
			if left, _ := os.ReadDir(tmp); len(left) > 0 {
				t.Errorf("spooled archives are left: %v", left)
			}
		})
	}
	pack("site2.7z", nil, "Posts.xml", "Comments.xml", "Votes.xml", "PostLinks.xml", "Tags.xml")
	pack("outer.7z", nil, "site2.7z")
	d, err := Find(filepath.Join(tables, "outer.7z"), Options{Tmp: filepath.Join(tables, "missing")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rowsOf(t.Context(), d)
	if f, _ := schema.FaultOf(err); f != schema.FaultResources {
		t.Errorf("no folder to spool to: error %v, want a fault of resources", err)
	}
}

func TestNestedDamage(t *testing.T) {
	schematest.Tool(t, "7z")
	from := writeFolder(t, documents())
	t.Setenv("TMPDIR", t.TempDir())
	for _, dressing := range sample.Dressings() {
		if strings.HasPrefix(dressing.Name, "7z of") {
			path := dress(t, dressing, from)
			damage(t, path, false)
			damage(t, path, true)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("spooled archives are left: %v", left)
	}
}

func TestNamesOfMembersOutsideASCII(t *testing.T) {
	schematest.Tool(t, "7z")
	t.Setenv("LC_ALL", "C")
	folder := t.TempDir()
	putSite(t, folder, "x", "@données [x] été/*.xml")
	archive := filepath.Join(t.TempDir(), "-dump é.7z")
	cmd := exec.Command("7z", "a", "-bd", "-spd", "--", archive, ".")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("7z: %v\n%s", err, out)
	}
	for _, builtIn := range []bool{false, true} {
		d, err := Find(archive, Options{builtIn: builtIn})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := rowsOf(t.Context(), d); err != nil || len(rows) != len(schema.Tables()) {
			t.Errorf("built in %v: %d tables, error %v", builtIn, len(rows), err)
		}
	}
}
