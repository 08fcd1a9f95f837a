// Package engines has the tests that load a graph into other engines: GraphDB's for
// counts, inference and queries, Jena's for shapes, RDFLib for queries, and parsers
// for the files. All are long.
package engines

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/cmd/s2g/internal/oracle"
	"s2g/graph"
	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/tables/tablestest"
	"s2g/schema/vocab"
)

const mini = "../oracle/testdata/mini"

var server tablestest.Server

func TestMain(m *testing.M) { server.Main(m) }

// A repository has the graph's statements, infers what follows, and answers queries.
func TestGraphDB(t *testing.T) {
	schematest.Long(t)
	store := rdf4jtest.Start(t)
	db := server.Open(t)
	t.Run("has the counts of the tables", func(t *testing.T) {
		for name, dump := range dumps(t, 2500) {
			t.Run(name, func(t *testing.T) { testCounts(t, store, db, dump) })
		}
	})
	buildtest.Load(t, db, mini)
	batches, ontology := buildtest.Graph(t, db, graph.Options{Other: true})
	store.CreateRepository("plain", "empty")
	store.AddFiles("plain", "", batches...)
	store.AddFiles("plain", vocab.StackOverflow.SchemaGraph(), ontology)
	t.Run("answers the queries of the documentation", func(t *testing.T) { testQueries(t, store) })
	t.Run("answers the queries in a store of RDF4J", func(t *testing.T) { testQueriesOfRDF4J(t, store, batches, ontology) })
	t.Run("infers", func(t *testing.T) { testInference(t, store, db, batches, ontology) })
	t.Run("writes what is read back", func(t *testing.T) {
		store.CreateRepository("awkward", "empty")
		store.AddFiles("awkward", "", "testdata/awkward.trig")
		for repository, files := range map[string][]string{"plain": batches, "awkward": {"testdata/awkward.trig"}} {
			for media, format := range map[string]trig.Format{"application/trig": trig.TriG, "application/n-quads": trig.NQuads} {
				got := slices.DeleteFunc(quads(t, store.Export(repository, media), format, exact), func(q string) bool {
					return strings.HasSuffix(q, " "+vocab.StackOverflow.SchemaGraph())
				})
				if diff := cmp.Diff(slices.Sorted(slices.Values(filesQuads(t, files, exact))), slices.Sorted(slices.Values(got))); diff != "" {
					t.Errorf("%s: files -, store's %s +\n%s", repository, media, diff)
				}
			}
		}
	})
}

// dump is a dump and the options of its graph.
type dump struct {
	folder    string
	languages []schema.Language // nil: the default
	other     bool
}

// dumps returns a small dump with a row for each rule, a sample of some posts, one
// with awkward tags, and the real ones where there are any.
func dumps(t *testing.T, posts int) map[string]dump {
	tags, table := buildtest.TagDump(t)
	all := map[string]dump{
		"mini":         {mini, nil, true},
		"sample":       {buildtest.Sample(t, posts), nil, true},
		"whole-site":   {mini, append(buildtest.Languages(t, "python,c#"), schema.SiteLanguage()), false},
		"awkward-tags": {tags, buildtest.Languages(t, "@"+table), false},
	}
	if schematest.HasDumps(t) {
		all["bioinformatics"] = dump{schematest.Dump(t, "bioinformatics.stackexchange.com"), nil, false}
		all["bicycles"] = dump{schematest.Dump(t, "bicycles.meta.stackexchange.com"), buildtest.Languages(t, bicyclesTags), false}
	}
	return all
}

// testCounts loads a dump's graph, file by file, and compares the counts by graph,
// class and predicate with the tables.
func testCounts(t *testing.T, store *rdf4jtest.Server, db *tables.DB, d dump) {
	t.Helper()
	buildtest.Load(t, db, d.folder)
	batches, _ := buildtest.Graph(t, db, graph.Options{Languages: d.languages, Other: d.other})
	repository := strings.ReplaceAll(t.Name(), "/", "-")
	store.CreateRepository(repository, "empty")
	defer store.DeleteRepository(repository)
	store.AddFiles(repository, "", batches...)
	got := map[string]string{}
	for _, row := range store.Select(repository, `SELECT ?g ?what (COUNT(*) AS ?n) {
		GRAPH ?g { ?s ?p ?o } BIND (IF(?p = <`+vocab.RDF+`type>, ?o, ?p) AS ?what) } GROUP BY ?g ?what`) {
		got[row[0]+" "+row[1]] = row[2]
	}
	view, err := oracle.Compute(t.Context(), db, oracle.Options{Languages: d.languages, Other: d.other, CountsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.languages == nil {
		d.languages = schema.DefaultLanguages()
	}
	want, quads := map[string]string{}, int64(0)
	for g := range view.Graphs {
		iri := vocab.StackOverflow.OtherGraph()
		if g < len(d.languages) {
			iri = vocab.StackOverflow.Graph(d.languages[g].Tag)
		}
		for term := range oracle.Terms {
			if n := view.Graphs[g][term].Count; n > 0 {
				want[iri+" "+term.IRI()] = strconv.FormatInt(n, 10)
				quads += n
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("SQL -, store +\n%s", diff)
	}
	t.Logf("%d quads of %d files, in %d counts", quads, len(batches), len(got))
}

// plain returns an object as SPARQL's CSV has it.
func plain(o trig.Term) string { return string(o.Value) }

// exact returns an object with its language and datatype.
func exact(o trig.Term) string {
	return fmt.Sprintf("%d %s@%s^^%s", o.Kind, o.Value, o.Language, o.Datatype)
}

// quads reads a text as lines: subject, predicate, object and graph.
func quads(t *testing.T, text []byte, format trig.Format, object func(trig.Term) string) (all []string) {
	t.Helper()
	r := trig.NewReader(bytes.NewReader(text), format)
	for r.Scan() {
		q := r.Record()
		all = append(all, fmt.Sprintf("%s %s %s %s", q.Subject.Value, q.Predicate.Value, object(q.Object), q.Graph.Value))
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return all
}

// filesQuads reads files as quads reads a text.
func filesQuads(t *testing.T, names []string, object func(trig.Term) string) (all []string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, quads(t, text, trig.TriG, object)...)
	}
	return all
}
