package engines

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

// prefixes are those of the queries below.
const prefixes = `PREFIX so: <` + vocab.NS + `> PREFIX schema: <https://schema.org/> PREFIX sioc: <http://rdfs.org/sioc/ns#>
	PREFIX q: <http://stackoverflow.com/questions/> PREFIX a: <http://stackoverflow.com/a/> `

// testInference compares what an engine infers by RDFS from ontology and graph with what
// option materialize writes, and checks some statements that follow or must not.
func testInference(t *testing.T, store *rdf4jtest.Server, db *tables.DB, batches []string, ontology string) {
	store.CreateRepository("rdfs", "rdfs")
	store.AddFiles("rdfs", vocab.StackOverflow.SchemaGraph(), ontology)
	store.AddFiles("rdfs", "", batches...)
	nodes := map[string]bool{}
	for _, q := range filesQuads(t, batches, plain) {
		nodes[strings.Fields(q)[0]] = true
	}
	got := map[string]bool{}
	for _, row := range store.Select("rdfs", "SELECT DISTINCT ?s ?p ?o { ?s ?p ?o }") {
		if nodes[row[0]] && !strings.HasPrefix(row[2], "http://www.w3.org/2000/01/rdf-schema#") && !strings.HasPrefix(row[2], "http://www.w3.org/2002/07/owl#") {
			got[strings.Join(row, " ")] = true
		}
	}
	materialized, _ := buildtest.Graph(t, db, graph.Options{Other: true, Materialize: true})
	want := map[string]bool{}
	for _, q := range filesQuads(t, materialized, plain) {
		want[q[:strings.LastIndex(q, " ")]] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" || len(want) == 0 {
		t.Errorf("materialized -, inferred +\n%s", diff)
	}
	follows := func(pattern string) bool {
		return len(store.Select("rdfs", prefixes+"SELECT (1 AS ?yes) { "+pattern+" } LIMIT 1")) > 0
	}
	for _, always := range []string{
		"a:3 a so:AcceptedAnswer, so:Answer, so:Post, so:Content, sioc:Post, schema:Answer", "q:1 schema:acceptedAnswer a:3 ; schema:suggestedAnswer a:2, a:3, a:4",
		"?comment a so:Comment, so:Content, schema:Comment", "q:1 schema:text ?text ; sioc:content ?text ; schema:name 'Merge maps'",
		"q:7 sioc:links_to q:5", "q:5 sioc:links_to q:1", "?tag a so:Tag, schema:DefinedTerm", "?x a so:UnansweredQuestion, so:Question",
	} {
		if !follows(always) {
			t.Errorf("%s does not follow", always)
		}
	}
	never := func(patterns ...string) {
		for _, pattern := range patterns {
			if follows(pattern) {
				t.Errorf("%s follows", pattern)
			}
		}
	}
	never("?x a so:Comment, so:Post", "?x a so:Comment, so:Question", "?x a so:Comment, so:Answer", "?x a so:Question, so:Answer",
		"?x a so:Tag, so:Content", "?x a so:AnsweredQuestion, so:UnansweredQuestion", "?x a so:AcceptedAnswer, so:PossibleBetterAnswer",
		"?x so:author ?user . ?user a ?any . FILTER (STRSTARTS(STR(?any), STR(so:)))", "?x so:license ?l . ?l a ?any . FILTER (STRSTARTS(STR(?any), STR(so:)))",
		"?x so:DuplicateOf ?y . ?x so:LinkedTo ?y . FILTER (?x = q:7)", "?x a so:Comment, schema:Question", "?x so:commentId ?n . ?x so:postId ?m",
		"q:1 schema:acceptedAnswer a:2", "q:7 a so:AnsweredQuestion", "q:7 so:DuplicateOf ?x", "q:5 so:LinkedTo q:1")

	members := func() (counts map[string]string) {
		counts = map[string]string{}
		for _, row := range store.Select("rdfs", prefixes+"SELECT ?class (COUNT(DISTINCT ?x) AS ?n) { ?x a ?class FILTER (STRSTARTS(STR(?class), STR(so:))) } GROUP BY ?class") {
			counts[row[0]] = row[1]
		}
		return counts
	}
	alone := members()
	if len(alone) != 12 {
		t.Errorf("members of %d classes: %v", len(alone), alone)
	}
	store.AddFiles("rdfs", "http://foreign/", "testdata/foreign.ttl")
	if diff := cmp.Diff(alone, members()); diff != "" {
		t.Errorf("with foreign ontologies, other nodes are of our classes:\n%s", diff)
	}
	if !follows("?x a so:Question, schema:Comment, sioc:Item") {
		t.Error("nothing follows from the foreign ontologies")
	}
	never("?x a so:Comment, so:Question", "?x a so:Comment, so:Post", "?x a so:Comment, schema:Question")
}
