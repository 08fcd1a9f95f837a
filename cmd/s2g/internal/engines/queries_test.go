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
	"s2g/schema/vocab"
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

// testQueriesOfRDF4J runs the queries on a store of RDF4J itself.
func testQueriesOfRDF4J(t *testing.T, store *rdf4jtest.Server, batches []string, ontology string) {
	store.CreateMemoryStore("rdf4j")
	store.AddFiles("rdf4j", "", batches...)
	store.AddFiles("rdf4j", vocab.StackOverflow.SchemaGraph(), ontology)
	var answers [][][]string
	for _, q := range queries(t) {
		answers = append(answers, store.Select("rdf4j", q))
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

// oxigraphProgram is rdflibProgram for Oxigraph, whose default graph is not the union.
// Oxigraph drops the last zeros of a date's seconds.
const oxigraphProgram = `
import json, pyoxigraph as ox, sys
def text(v):
    if isinstance(v, ox.Literal) and v.datatype.value.endswith("#dateTime"):
        seconds, _, fraction = v.value.rstrip("Z").partition(".")
        return f"{seconds}.{fraction:0<3}Z"
    return "" if v is None else v.value
store = ox.Store()
store.load(path=sys.argv[1], format=ox.RdfFormat.N_QUADS)
store.load(path=sys.argv[2], format=ox.RdfFormat.TURTLE, to_graph=ox.NamedNode(sys.argv[3]))
json.dump([[[text(v) for v in row] for row in store.query(q)] for q in json.load(sys.stdin)], sys.stdout)
`

// RDFLib returns the same answers over the quads that quads.py computes of the dump:
// neither the engine nor the graph is that of the other test.
func TestQueriesInRDFLib(t *testing.T) {
	schematest.Long(t)
	testQueriesInPython(t, schematest.Python(t, "rdflib==7.2.1"), rdflibProgram, vocab.StackOverflow)
}

// Oxigraph returns the same answers without the union of graphs, of another site, too.
func TestQueriesInOxigraph(t *testing.T) {
	schematest.Long(t)
	python := schematest.Python(t, "pyoxigraph==0.5.13")
	for _, site := range []vocab.Site{vocab.StackOverflow, "https://quantum.example.org"} {
		t.Run(site.Host(), func(t *testing.T) { testQueriesInPython(t, python, oxigraphProgram, site) })
	}
}

// testQueriesInPython runs the queries by a program over the quads that quads.py
// computes of the mini dump as one of a site. Of each query it changes the line BASE.
func testQueriesInPython(t *testing.T, python, program string, site vocab.Site) {
	quads, err := exec.Command(python, schematest.Judge(t, "quads.py"), mini, "--other", "--site", string(site)).Output()
	if err != nil {
		t.Fatal(err)
	}
	file, ontology := filepath.Join(t.TempDir(), "quads.nq"), filepath.Join(t.TempDir(), "ontology.ttl")
	for name, text := range map[string][]byte{file: quads, ontology: schema.Ontology} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked := queries(t)
	for i, q := range asked {
		asked[i] = strings.Replace(q, "BASE <"+string(vocab.StackOverflow)+"/>", "BASE <"+string(site)+"/>", 1)
	}
	input, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(python, "-c", program, file, ontology, site.SchemaGraph())
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var answers [][][]string
	if err := json.Unmarshal(output, &answers); err != nil {
		t.Fatal(err)
	}
	for _, rows := range answers {
		for _, row := range rows {
			for i, cell := range row {
				row[i] = strings.Replace(cell, string(site)+"/", string(vocab.StackOverflow)+"/", 1)
			}
		}
	}
	compareAnswers(t, answers)
}
