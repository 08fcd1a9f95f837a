package dumptest

import (
	"os"
	"testing"

	"s2g/schema/schematest"
)

func TestDressings(t *testing.T) {
	from := t.TempDir()
	Small(t, from)
	for _, d := range Dressings() {
		t.Run(d.Name, func(t *testing.T) {
			if d.Needs != "" {
				schematest.Tool(t, d.Needs)
			}
			if _, err := os.Stat(d.Write(t, from, t.TempDir())); err != nil {
				t.Error(err)
			}
		})
	}
}
