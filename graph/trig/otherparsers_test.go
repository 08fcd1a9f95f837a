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

// serdi and rapper read the same quads from a file as the Reader, and the Reader reads
// them from what these write.
func TestSerdiAndRapper(t *testing.T) {
	serdi, rapper := schematest.Tool(t, "serdi"), schematest.Tool(t, "rapper")
	names := map[trig.Format]string{trig.TriG: "trig", trig.NQuads: "nquads"}
	for in, name := range names {
		s := syntax(in)
		f, want := sample(s, slices.DeleteFunc(slices.Clone(awkward), func(s string) bool {
			return strings.Contains(s, "\x00") // rapper ends a string there
		}))
		slices.Sort(want)
		texts, _ := files(t, s, 50_000, f)
		file := filepath.Join(t.TempDir(), "batch")
		if err := os.WriteFile(file, []byte(texts[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			args []string
			out  trig.Format
		}{
			{[]string{serdi, "-i", name, "-o", "nquads", file}, trig.NQuads},
			{[]string{serdi, "-i", name, "-o", "trig", file}, trig.TriG},
			{[]string{serdi, "-f", "-i", name, "-o", "trig", file}, trig.TriG},
			{[]string{rapper, "-q", "-i", name, "-o", "nquads", file}, trig.NQuads},
		} {
			var stderr bytes.Buffer
			cmd := exec.Command(c.args[0], c.args[1:]...)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%v: %v: %s", c.args, err, stderr.Bytes())
			}
			got, err := read(bytes.NewReader(out), c.out)
			if err != nil {
				t.Fatalf("%v: %v", c.args, err)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v: %.2000s", c.args, diff)
			}
		}
	}
}

// rewrite is a program that reads the file argv[1] of format argv[2] and writes it to
// argv[4] in format argv[3].
const rewrite = `
import rdflib, sys
dataset = rdflib.Dataset()
dataset.parse(sys.argv[1], format=sys.argv[2])
dataset.serialize(sys.argv[4], format=sys.argv[3], encoding="utf-8")
`

// RDFLib reads the same quads from a file as the Reader, and the Reader reads them from
// what RDFLib writes, but for dateTimes, which RDFLib normalizes.
func TestRDFLib(t *testing.T) {
	schematest.Long(t)
	python := schematest.Python(t, "rdflib==7.2.1")
	some := append(slices.Clone(awkward[:len(awkward)-1]), strings.Repeat("long ", 2000)+"\n") // RDFLib is slow with long texts
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
			if output, err := exec.Command(python, "-c", rewrite, in, name, backName, out).CombinedOutput(); err != nil {
				t.Fatalf("%s to %s: %v\n%s", name, backName, err, output)
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
