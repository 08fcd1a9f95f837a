package buildtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"s2g/schema"
)

// Rows reads the rows of a dump's file with the standard library, each as its
// attributes by name.
func Rows(t testing.TB, file string) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	check(t, err)
	// a tab in a value is read as a space (XML 1.0, 3.3.3), which encoding/xml leaves out
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

// tsvLine returns a row as tables.DB.Load takes it.
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
