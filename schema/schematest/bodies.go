package schematest

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Bodies returns the HTML of all posts of a folder with a Posts.xml.
func Bodies(t testing.TB, folder string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, "Posts.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	for dec := xml.NewDecoder(f); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if row, ok := token.(xml.StartElement); ok {
			for _, a := range row.Attr {
				if a.Name.Local == "Body" {
					texts = append(texts, a.Value)
				}
			}
		}
	}
}
