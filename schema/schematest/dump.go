package schematest

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// HasDumps reports whether there are real dumps, and logs it if there are none. It
// serves tests that use other dumps, too.
func HasDumps(t testing.TB) bool {
	t.Helper()
	if os.Getenv("S2G_TEST_DUMPS") == "" {
		t.Log("without real dumps: S2G_TEST_DUMPS is unset")
		return false
	}
	return true
}

// Dump returns the folder of a real dump, as "bioinformatics.stackexchange.com", in
// the folder S2G_TEST_DUMPS. It skips the test where that variable is unset, also
// with CI, because no repository holds real dumps, and fails the test where the
// variable is set and the dump is missing.
func Dump(t testing.TB, site string) string {
	t.Helper()
	if !HasDumps(t) {
		t.Skip("S2G_TEST_DUMPS is unset: no real dumps")
	}
	folder := filepath.Join(os.Getenv("S2G_TEST_DUMPS"), site)
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("S2G_TEST_DUMPS: %v", err)
	}
	return folder
}

// Bodies returns the HTML of all posts in the Posts.xml of a folder.
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
