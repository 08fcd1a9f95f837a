// Package buildtest loads small dumps into a MariaDB of the test's own, for
// the tests of expect and of those that use it. It reads XML with the standard
// library and trusts the dump to be clean.
package buildtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"s2g/graph"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

// Load puts the tables of a folder of .xml files in service. Tables without a
// file are not there afterwards.
func Load(t testing.TB, db *tables.DB, dump string) {
	t.Helper()
	var served []schema.Table
	for _, table := range schema.Tables() {
		f, err := os.Open(filepath.Join(dump, table.Name+".xml"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		check(t, err)
		check(t, db.Stage(t.Context(), table))
		r, w := io.Pipe()
		go func() {
			w.CloseWithError(convert(w, f, table))
			f.Close()
		}()
		_, err = db.Load(t.Context(), table, r)
		check(t, err)
		check(t, db.Index(t.Context(), table))
		served = append(served, table)
	}
	check(t, db.Swap(t.Context(), dump, served))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// convert writes the rows of a dump file as the TSV that tables.Load takes.
func convert(w io.Writer, r io.Reader, table schema.Table) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	// a tab as such in a value is a space (XML 1.0, 3.3.3), which encoding/xml leaves out
	in := xml.NewDecoder(bytes.NewReader(bytes.ReplaceAll(text, []byte("\t"), []byte(" "))))
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "row" {
			continue
		}
		values := map[string]string{}
		for _, a := range e.Attr {
			values[a.Name.Local] = a.Value
		}
		var fields []string
		for _, c := range table.Columns {
			v, ok := values[c.Name]
			if !ok || v == "" && c.Kind != schema.Text {
				fields = append(fields, `\N`)
				continue
			}
			fields = append(fields, field(c, v))
		}
		if _, err := io.WriteString(w, strings.Join(fields, "\t")+"\n"); err != nil {
			return err
		}
	}
}

var escapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func field(c schema.Column, v string) string {
	switch c.Kind {
	case schema.Date:
		return strings.Replace(v, "T", " ", 1)
	case schema.Bool:
		return map[string]string{"True": "1", "False": "0"}[v]
	case schema.TagList:
		v = strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(v, "<", "|"), ">"), ">", "") + "|"
		return strings.ReplaceAll(v, "||", "|")
	}
	return escapes.Replace(v)
}

// Graph writes the graph of the tables in service, uncompressed, and returns the
// names of its batches and of the ontology.
func Graph(t testing.TB, db *tables.DB, o graph.Options) (batches []string, ontology string) {
	t.Helper()
	dir, err := manifest.Open(t.TempDir())
	check(t, err)
	defer dir.Close()
	check(t, dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Ingest] = &manifest.Stage{Key: "test"} }))
	o.Compress = "none"
	check(t, graph.Run(t.Context(), dir, db, o))
	batches, err = filepath.Glob(filepath.Join(dir.Out(), "graph", "batch-*"))
	check(t, err)
	return batches, filepath.Join(dir.Out(), "graph", "ontology.ttl")
}
