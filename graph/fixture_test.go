package graph

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
)

// server is the MariaDB of all tests. Its tables are those of the last load, so tests
// do not run in parallel.
var server = tablestest.Server{Memory: 256 << 20}

func TestMain(m *testing.M) {
	tables.Supervise()
	if out := os.Getenv(childOut); out != "" {
		os.Exit(child(out))
	}
	server.Main(m)
}

// mini loads a small dump into the server, without the ingest stage.
func mini(t testing.TB, without ...string) *tables.DB {
	t.Helper()
	return load(t, filepath.Join("testdata", "mini"), without...)
}

// load loads the XML files of a folder into the server, but for some tables.
func load(t testing.TB, folder string, without ...string) *tables.DB {
	t.Helper()
	db := server.Open(t)
	var served []schema.Table
	for _, tb := range schema.Tables() {
		if strings.Contains(strings.Join(without, " "), tb.Name) {
			continue
		}
		r, w := io.Pipe()
		go func() { w.CloseWithError(tsv(w, filepath.Join(folder, tb.Name+".xml"), tb)) }()
		loaded, err := tables.Loaded{}, db.Stage(t.Context(), tb)
		if err == nil {
			loaded, err = db.Load(t.Context(), tb, r)
		}
		if err := errors.Join(err, db.Index(t.Context(), tb)); err != nil || loaded.Warnings > 0 {
			t.Fatalf("%s: %+v %v", tb.Name, loaded, err)
		}
		served = append(served, tb)
	}
	if err := db.Swap(t.Context(), "dump", served); err != nil {
		t.Fatal(err)
	}
	return db
}

// tsv writes the rows of an XML file in the form that tables.DB.Load reads.
func tsv(w io.Writer, file string, tb schema.Table) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// XML normalizes white space in attributes to spaces; encoding/xml does not.
	spaces := strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(string(text))
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for in := xml.NewDecoder(strings.NewReader(spaces)); ; {
		token, err := in.Token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "row" {
			continue
		}
		fields := make([]string, len(tb.Columns))
		for i, c := range tb.Columns {
			fields[i] = `\N`
			for _, a := range e.Attr {
				if a.Name.Local == c.Name && (a.Value != "" || c.Kind == schema.Text) {
					fields[i] = escape.Replace(column(c, a.Value))
				}
			}
		}
		if _, err := io.WriteString(w, strings.Join(fields, "\t")+"\n"); err != nil {
			return err
		}
	}
}

func column(c schema.Column, v string) string {
	switch c.Kind {
	case schema.Date:
		return strings.Replace(v, "T", " ", 1)
	case schema.TagList:
		return strings.NewReplacer("><", "|", "<", "|", ">", "|").Replace(v)
	case schema.Bool:
		return map[string]string{"True": "1", "False": "0"}[v]
	}
	return v
}

// out returns an empty OUT whose manifest has an ingest.
func out(t testing.TB) *manifest.Dir {
	t.Helper()
	dir, err := manifest.Open(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	err = dir.Update(func(m *manifest.Manifest) {
		m.Tool, m.Dump.Newest = "test", "2024-05-02T00:00:00.000Z"
		m.Stages[manifest.Ingest] = &manifest.Stage{Key: "ingest"}
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents returns the files under OUT/graph by name.
func contents(t testing.TB, dir *manifest.Dir) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, f := range dir.Manifest().Stages[manifest.Graph].Files {
		text, err := os.ReadFile(filepath.Join(dir.Out(), f.Name))
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}
