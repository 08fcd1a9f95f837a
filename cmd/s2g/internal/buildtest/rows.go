package buildtest

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"testing"
)

// Rows reads the rows of a file of a dump with the standard library, each as its
// attributes by name.
func Rows(t testing.TB, file string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	check(t, err)
	defer f.Close()
	for in := xml.NewDecoder(f); ; {
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
