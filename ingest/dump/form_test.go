package dump

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

func TestDetectForm(t *testing.T) {
	small := tinyDump(t)
	before := Form{Table: "Posts", Encoding: "UTF-8", Indented: true, License: true, UTF8: 1, Tags: "<a><b>"}
	with := func(change func(*Form)) Form {
		g := before
		change(&g)
		return g
	}
	want := map[string]struct {
		guess Form
		era   string
	}{
		"byte order mark":                        {with(func(g *Form) { g.BOM = true }), "about 2020 to 2024"},
		"no byte order mark, CR LF":              {with(func(g *Form) { g.CRLF = true }), "about 2020 to 2024"},
		"licence comment, comments between rows": {with(func(g *Form) { g.Comment = true }), "August 2024 or later"},
		"UTF-16LE, no indentation":               {with(func(g *Form) { g.Encoding, g.BOM, g.Indented, g.UTF8 = "UTF-16LE", true, false, 0.51 }), "first quarter of 2024"},
		"UTF-16BE without byte order mark":       {with(func(g *Form) { g.Encoding, g.CRLF, g.UTF8 = "UTF-16BE", true, 0.51 }), "first quarter of 2024"},
		"pipe tags":                              {with(func(g *Form) { g.Tags = "|a|b|" }), "2024 or later"},
		"xz":                                     {before, "about 2020 to 2024"},
		"site.7z, solid, with junk":              {with(func(g *Form) { g.BOM = true }), "about 2020 to 2024"},
		"7z of site.7z":                          {Form{}, ""},
	}
	for _, dressing := range sample.Dressings() {
		w, ok := want[dressing.Name]
		if !ok {
			continue
		}
		delete(want, dressing.Name)
		t.Run(dressing.Name, func(t *testing.T) {
			d, err := Find(dress(t, dressing, small), Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.DetectForm(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.Table != "" && (got.Gzip <= 0.3 || got.Gzip >= 0.7) {
				t.Errorf("gzip takes %g of the text", got.Gzip)
			}
			got.Gzip = 0
			if diff := cmp.Diff(w.guess, got); diff != "" || got.Era() != w.era {
				t.Errorf("era %q, want %q (-want +got):\n%s", got.Era(), w.era, diff)
			}
		})
	}
	for name := range want {
		t.Errorf("no dressing %q", name)
	}
}

func TestDetectFormRealDumps(t *testing.T) {
	for site, era := range map[string]string{
		"bioinformatics.stackexchange.com": "before about 2020",
		"bicycles.meta.stackexchange.com":  "about 2020 to 2024",
	} {
		d, err := Find(schematest.Dump(t, site), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if g, err := d.DetectForm(t.Context()); err != nil || g.Era() != era {
			t.Errorf("%s: error %v, %q, want %q", site, err, g.Era(), era)
		}
	}
}

func TestDetectFormErrors(t *testing.T) {
	folder := folderOf(t, "Posts.xml", "Comments.xml", "Votes.xml", "PostLinks.xml", "Tags.xml")
	for _, doc := range []string{"", "<!DOCTYPE html><html></html>", "<votes></votes>", "\xFF\xFE\x00\x00"} {
		if err := os.WriteFile(filepath.Join(folder, "Posts.xml"), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Find(folder, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.DetectForm(t.Context())
		if f, _ := schema.FaultOf(err); f != schema.FaultInput {
			t.Errorf("%q: error %v, want a fault of the input", doc, err)
		}
	}
}
