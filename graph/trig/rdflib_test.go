package trig_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
	"s2g/schema/schematest"
)

// rewrite reads the file argv[1] of format argv[2] and writes it to argv[4]
// in format argv[3].
const rewrite = `
import rdflib, sys
dataset = rdflib.Dataset()
dataset.parse(sys.argv[1], format=sys.argv[2])
dataset.serialize(sys.argv[4], format=sys.argv[3], encoding="utf-8")
`

// RDFLib reads what is written, and the Reader reads what RDFLib writes of it:
// the same quads, but for dateTimes, whose text RDFLib brings into its own form.
func TestRDFLib(t *testing.T) {
	python := schematest.Python(t, "rdflib==7.2.1")
	some := append(slices.Clone(awkward[:len(awkward)-1]), strings.Repeat("long ", 2000)+"\n") // it is slow in the length of a text
	names := map[trig.Format]string{trig.TriG: "trig", trig.NQuads: "nquads"}
	for format, name := range names {
		s := syntax(format)
		fragment, want := sample(s, some)
		texts, _ := files(t, s, 50_000, fragment)
		for i := range want {
			want[i] = strings.Replace(want[i], `.667Z"^^dateTime`, `.667000+00:00"^^dateTime`, 1)
		}
		slices.Sort(want)
		in := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(in, []byte(texts[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		for back, backName := range names {
			out := filepath.Join(t.TempDir(), "out")
			if said, err := exec.Command(python, "-c", rewrite, in, name, backName, out).CombinedOutput(); err != nil {
				t.Fatalf("%s to %s: %v\n%s", name, backName, err, said)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(bytes.NewReader(text), back)
			if err != nil {
				t.Fatalf("%s to %s: %v", name, backName, err)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s to %s: %.2000s", name, backName, diff)
			}
		}
	}
}
