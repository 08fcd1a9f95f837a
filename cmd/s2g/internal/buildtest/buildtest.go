// Package buildtest prepares dumps, tables and graphs for tests of a build. It reads
// dumps with the standard library, and requires that they have no bad rows.
package buildtest

import (
	"bytes"
	"cmp"
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
	"s2g/schema/vocab"
)

// Load loads the tables of a dump, a folder of .xml files, and puts them in service. A
// table without a file is missing afterwards.
func Load(t testing.TB, db *tables.DB, dump string) {
	t.Helper()
	var served []schema.Table
	for _, table := range schema.Tables() {
		file := filepath.Join(dump, table.Name+".xml")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var tsv bytes.Buffer
		for _, row := range Rows(t, file) {
			tsv.WriteString(tsvLine(table, row))
		}
		check(t, db.Stage(t.Context(), table))
		_, err := db.Load(t.Context(), table, &tsv)
		check(t, err)
		check(t, db.Index(t.Context(), table))
		served = append(served, table)
	}
	check(t, db.Swap(t.Context(), dump, served))
}

// Rows reads the rows of a dump's file with the standard library, each as its
// attributes by name.
func Rows(t testing.TB, file string) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	check(t, err)
	// XML readers replace a tab in a value by a space (XML 1.0, 3.3.3); encoding/xml does not
	text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	for in := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return rows
		}
		check(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "row" {
			row := map[string]string{}
			for _, a := range e.Attr {
				row[a.Name.Local] = a.Value
			}
			rows = append(rows, row)
		}
	}
}

var escapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// tsvLine returns a row in the format of tables.DB.Load.
func tsvLine(table schema.Table, row map[string]string) string {
	var fields []string
	for _, c := range table.Columns {
		v, ok := row[c.Name]
		switch {
		case !ok || v == "" && c.Kind != schema.Text:
			v = `\N`
		case c.Kind == schema.Date:
			v = strings.Replace(v, "T", " ", 1)
		case c.Kind == schema.Bool:
			v = map[string]string{"True": "1", "False": "0"}[v]
		case c.Kind == schema.TagList: // <a><b> or |a|b|
			v = strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(v, "<", "|"), ">"), ">", "") + "|"
			v = strings.ReplaceAll(v, "||", "|")
		default:
			v = escapes.Replace(v)
		}
		fields = append(fields, v)
	}
	return strings.Join(fields, "\t") + "\n"
}

// Graph writes the graph of the tables in service, uncompressed and of Stack Overflow if o names no site, and returns the
// names of its batches and of the ontology.
func Graph(t testing.TB, db *tables.DB, o graph.Options) (batches []string, ontology string) {
	t.Helper()
	dir, err := manifest.Open(t.TempDir())
	check(t, err)
	defer dir.Close()
	check(t, dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Ingest] = &manifest.Stage{Key: "test"} }))
	o.Compress, o.Site = "none", cmp.Or(o.Site, vocab.StackOverflow)
	check(t, graph.Run(t.Context(), dir, db, o))
	batches, err = filepath.Glob(filepath.Join(dir.Out(), "graph", "batch-*"))
	check(t, err)
	return batches, filepath.Join(dir.Out(), "graph", "ontology.ttl")
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
