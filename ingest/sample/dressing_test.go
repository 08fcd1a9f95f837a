package sample

import (
	"os"
	"testing"

	"s2g/schema/schematest"
)

func TestDressingsAreWritten(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	if err := WriteTiny(from); err != nil {
		t.Fatal(err)
	}
	for _, d := range Dressings() {
		t.Run(d.Name, func(t *testing.T) {
			if d.Needs != "" {
				schematest.Tool(t, d.Needs)
			}
			path, err := d.Write(from, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
}
