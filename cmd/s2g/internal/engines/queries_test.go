package engines

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema"
	"s2g/schema/schematest"
)

var update = flag.Bool("update", false, "overwrite the golden answers")

// golden has the answers to the documentation's queries over the mini dump, checked
// by hand against its XML.
const golden = "testdata/answers.txt"

var sparql = regexp.MustCompile("(?s)```sparql\n(.*?)```")

// queries returns those of the documentation, in order.
func queries(t *testing.T) (all []string) {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/graph.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range sparql.FindAllSubmatch(page, -1) {
		all = append(all, string(q[1]))
	}
	if len(all) != 12 {
		t.Fatalf("%d queries", len(all))
	}
	return all
}

// compareAnswers compares answers, rows of each query, with the golden ones.
func compareAnswers(t *testing.T, answers [][][]string) {
	t.Helper()
	var got bytes.Buffer
	for i, rows := range answers {
		fmt.Fprintf(&got, "%d\n", i+1)
		for _, row := range rows {
			row = slices.Clone(row)
			for i, cell := range row {
				if f, err := strconv.ParseFloat(cell, 64); err == nil { // engines differ in the digits of a quotient
					row[i] = strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
				}
			}
			fmt.Fprintf(&got, "\t%s\n", strings.Join(row, " | "))
		}
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

// testQueries runs the queries on GraphDB's engine.
func testQueries(t *testing.T, store *rdf4jtest.Server) {
	var answers [][][]string
	for _, q := range queries(t) {
		answers = append(answers, store.Select("plain", q))
	}
	compareAnswers(t, answers)
}

// rdflibProgram runs queries in RDFLib. argv[1] is a file of quads, argv[2] the
// ontology, argv[3] its graph; the queries are JSON on stdin, the rows JSON on stdout.
const rdflibProgram = `
import json, rdflib, sys
rdflib.NORMALIZE_LITERALS = False
data = rdflib.Dataset(default_union=True)
data.parse(sys.argv[1], format="nquads")
data.graph(rdflib.URIRef(sys.argv[3])).parse(sys.argv[2], format="turtle")
json.dump([[["" if v is None else str(v) for v in row] for row in data.query(q)] for q in json.load(sys.stdin)], sys.stdout)
`

// RDFLib returns the same answers over the quads that quads.py computes of the dump:
// neither the engine nor the graph is that of the other test.
func TestQueriesInRDFLib(t *testing.T) {
	schematest.Long(t)
	python := schematest.Python(t, "rdflib==7.2.1")
	quads, err := exec.Command(python, schematest.Judge(t, "quads.py"), mini, "--other").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, ontology := filepath.Join(t.TempDir(), "quads.nq"), filepath.Join(t.TempDir(), "ontology.ttl")
	for name, text := range map[string][]byte{file: quads, ontology: schema.Ontology} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	input, err := json.Marshal(queries(t))
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(python, "-c", rdflibProgram, file, ontology, "http://stackoverflow.com/s2g/schema")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var answers [][][]string
	if err := json.Unmarshal(output, &answers); err != nil {
		t.Fatal(err)
	}
	compareAnswers(t, answers)
}
