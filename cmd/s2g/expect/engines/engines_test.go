// Package engines holds the tests that ask the engines of others about a graph:
// GraphDB's for counts, inference and queries, Jena's for shapes. They are a package
// of their own because they take longer than all other tests of expect: go test
// runs packages side by side.
package engines

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/expect"
	"s2g/cmd/s2g/expect/expecttest"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/vocab"
)

const mini = "../testdata/mini"

func TestMain(m *testing.M) {
	tables.Supervise()
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write the golden answers anew")

// What a real store holds, infers and answers of a graph.
func TestGraphDB(t *testing.T) {
	store := expecttest.OpenStore(t)
	db := expecttest.Open(t)
	t.Run("holds what SQL says", func(t *testing.T) {
		for name, dump := range dumps(t) {
			t.Run(name, func(t *testing.T) { storeCounts(t, store, db, dump) })
		}
	})
	expecttest.Load(t, db, mini)
	batches, ontology := expecttest.Graph(t, db, graph.Options{Other: true})
	store.Create("plain", "empty")
	store.Load("plain", "", batches...)
	store.Load("plain", vocab.DefaultSite.SchemaGraph(), ontology)
	t.Run("answers the queries of the documentation", func(t *testing.T) { documented(t, store) })
	t.Run("infers", func(t *testing.T) { inferred(t, store, db, batches, ontology) })
	t.Run("writes TriG that is read back", func(t *testing.T) {
		var got []string
		for _, q := range quads(t, store.Export("plain")) {
			if !strings.HasSuffix(q, " "+vocab.DefaultSite.SchemaGraph()) {
				got = append(got, q)
			}
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(filesQuads(t, batches))), slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("files -, store +\n%s", diff)
		}
	})
}

// dump is what a graph is made of.
type dump struct {
	folder    string
	languages []schema.Language // nil: the default
	other     bool
}

// dumps are a small one with a row for each rule, synthetic ones, and the real ones.
func dumps(t *testing.T) map[string]dump {
	tags, table := expecttest.TagDump(t)
	return map[string]dump{
		"mini":           {mini, nil, true},
		"sample":         {expecttest.Sample(t, 4000), nil, true},
		"awkward-tags":   {tags, expecttest.Languages(t, "@"+table), false},
		"bioinformatics": {schematest.Dump(t, "bioinformatics.stackexchange.com"), nil, false},
		"bicycles":       {schematest.Dump(t, "bicycles.meta.stackexchange.com"), expecttest.Languages(t, bicyclesTags), false},
	}
}

// storeCounts loads a dump's graph, file by file, and compares counts by graph,
// class and predicate.
func storeCounts(t *testing.T, store *expecttest.Store, db *tables.DB, d dump) {
	t.Helper()
	expecttest.Load(t, db, d.folder)
	batches, _ := expecttest.Graph(t, db, graph.Options{Languages: d.languages, Other: d.other})
	repository := strings.ReplaceAll(t.Name(), "/", "-")
	store.Create(repository, "empty")
	defer store.Drop(repository)
	store.Load(repository, "", batches...)
	got := map[string]string{}
	for _, row := range store.Query(repository, `SELECT ?g ?what (COUNT(*) AS ?n) {
		GRAPH ?g { ?s ?p ?o } BIND (IF(?p = <`+vocab.RDF+`type>, ?o, ?p) AS ?what) } GROUP BY ?g ?what`) {
		got[row[0]+" "+row[1]] = row[2]
	}
	view, err := expect.Compute(t.Context(), db, expect.Options{Languages: d.languages, Other: d.other, CountsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.languages == nil {
		d.languages = schema.DefaultLanguages()
	}
	want, quads := map[string]string{}, int64(0)
	for g := range view.Graphs {
		iri := vocab.DefaultSite.OtherGraph()
		if g < len(d.languages) {
			iri = vocab.DefaultSite.Graph(d.languages[g].Tag)
		}
		for term := range expect.Terms {
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

var sparql = regexp.MustCompile("(?s)```sparql\n(.*?)```")

func documented(t *testing.T, store *expecttest.Store) {
	page, err := os.ReadFile("../../../../docs/graph.md")
	if err != nil {
		t.Fatal(err)
	}
	found := sparql.FindAllSubmatch(page, -1)
	if len(found) != 12 {
		t.Fatalf("%d queries", len(found))
	}
	var got bytes.Buffer
	for i, q := range found {
		fmt.Fprintf(&got, "%d\n", i+1)
		for _, row := range store.Query("plain", string(q[1])) {
			fmt.Fprintf(&got, "\t%s\n", strings.Join(row, " | "))
		}
	}
	const golden = "testdata/answers.txt"
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

// inferred compares what an engine infers by RDFS from ontology and graph with
// what --materialize writes out, and asks for what must not follow.
func inferred(t *testing.T, store *expecttest.Store, db *tables.DB, batches []string, ontology string) {
	store.Create("rdfs", "rdfs")
	store.Load("rdfs", vocab.DefaultSite.SchemaGraph(), ontology)
	store.Load("rdfs", "", batches...)
	nodes := map[string]bool{}
	for _, q := range filesQuads(t, batches) {
		nodes[strings.Fields(q)[0]] = true
	}
	got := map[string]bool{}
	for _, row := range store.Query("rdfs", "SELECT DISTINCT ?s ?p ?o { ?s ?p ?o }") {
		if nodes[row[0]] && !strings.HasPrefix(row[2], "http://www.w3.org/2000/01/rdf-schema#") && !strings.HasPrefix(row[2], "http://www.w3.org/2002/07/owl#") {
			got[strings.Join(row, " ")] = true
		}
	}
	materialized, _ := expecttest.Graph(t, db, graph.Options{Other: true, Materialize: true})
	want := map[string]bool{}
	for _, q := range filesQuads(t, materialized) {
		want[q[:strings.LastIndex(q, " ")]] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("materialized -, inferred +\n%s", diff)
	}
	for _, never := range []string{
		"?x a so:Comment, so:Post", "?x a so:Comment, so:Question", "?x a so:Comment, so:Answer", "?x a so:Question, so:Answer",
		"?x a so:Tag, so:Content", "?x a so:AnsweredQuestion, so:UnansweredQuestion", "?x a so:AcceptedAnswer, so:PossibleBetterAnswer",
		"?x so:author ?user . ?user a ?any . FILTER (STRSTARTS(STR(?any), STR(so:)))",
		"?x so:DuplicateOf ?y . ?x so:LinkedTo ?y . FILTER (?x = q:7)", "?x a so:Comment, schema:Question", "?x so:commentId ?n . ?x so:postId ?m",
	} {
		rows := store.Query("rdfs", `PREFIX so: <`+vocab.NS+`> PREFIX schema: <https://schema.org/> PREFIX q: <http://stackoverflow.com/questions/>
			SELECT ?x { `+never+` }`)
		if len(rows) > 0 {
			t.Errorf("%s follows of %v", never, rows)
		}
	}
}

// quads reads TriG as lines: subject, predicate, object and graph.
func quads(t *testing.T, text []byte) (all []string) {
	t.Helper()
	r := trig.NewReader(bytes.NewReader(text), trig.TriG)
	for r.Scan() {
		q := r.Record()
		all = append(all, fmt.Sprintf("%s %s %s %s", q.Subject.Value, q.Predicate.Value, q.Object.Value, q.Graph.Value))
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return all
}

func filesQuads(t *testing.T, names []string) (all []string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, quads(t, text)...)
	}
	return all
}

// The shapes hold of graphs, and each catches a quad that should not be there.
func TestShapes(t *testing.T) {
	riot := schematest.Shared(t, "check", "riot")
	schematest.Tool(t, "mvn")
	db := expecttest.Open(t)
	conforms := func(d dump, materialize bool, more ...string) (string, bool) {
		expecttest.Load(t, db, d.folder)
		batches, _ := expecttest.Graph(t, db, graph.Options{Languages: d.languages, Other: d.other, Materialize: materialize})
		args := slices.Concat([]string{"--shapes", "../../../../schema/shapes.ttl"}, batches, more)
		said, err := exec.Command(riot, args...).CombinedOutput()
		return string(said), err == nil
	}
	all := dumps(t)
	for name, d := range all {
		said, ok := conforms(d, false)
		if !ok || !strings.HasSuffix(said, " distinct triples, 0 violations\n") || strings.HasSuffix(said, "\n0 distinct triples, 0 violations\n") {
			t.Errorf("%s: %s", name, said)
		}
		t.Logf("%s: %s", name, said)
	}
	if said, ok := conforms(all["mini"], true); !ok {
		t.Errorf("materialized: %s", said)
	}
	said, ok := conforms(all["mini"], false, "testdata/bad.trig")
	if ok {
		t.Error("conforms with bad quads")
	}
	const so = "<" + vocab.NS
	for shape, want := range map[string][3]string{ // node, path, what the message begins with
		"Content":              {"questions/1", so + "license>", "Pattern["},
		"Post":                 {"a/2", so + "postId>", "maxCount[1]"},
		"Voted":                {"a/3", so + "upVotes>", "Data value -1"},
		"Question":             {"questions/5", so + "hasTitle>", "maxCount[1]"},
		"AnsweredQuestion":     {"questions/7", so + "HasAnswer>", "minCount[1]"},
		"UnansweredQuestion":   {"questions/8", so + "HasAnswer>", "maxCount[0]"},
		"Answer":               {"a/4", so + "hasTitle>", "maxCount[0]"},
		"AcceptedAnswer":       {"a/6", "^" + so + "HasAcceptedAnswer>", "minCount[1]"},
		"PossibleBetterAnswer": {"a/4", "^" + so + "HasPossibleBetterAnswer>", "minCount[1]"},
		"Comment":              {"posts/comments/1", so + "postId>", "maxCount[0]"},
		"Tag":                  {"tags/python", so + "tagName>", "maxCount[1]"},
		"TagWiki":              {"posts/21", "^" + so + "HasTagWiki>", "minCount[1]"},
		"TagWikiExcerpt":       {"posts/20", "^" + so + "HasTagWikiExcerpt>", "minCount[1]"},
	} {
		pattern := regexp.QuoteMeta("Node=<"+string(vocab.DefaultSite)+"/"+want[0]+">\n  Path="+want[1]+"\n") + `(  Value: .*\n)?  Message: ` + regexp.QuoteMeta(want[2])
		if !regexp.MustCompile(pattern).MatchString(said) {
			t.Errorf("shape %s does not catch its bad quad:\n%s", shape, said)
		}
		if !bytes.Contains(schema.Shapes, []byte("shape:"+shape+" a sh:NodeShape")) {
			t.Errorf("no shape %s", shape)
		}
	}
	if n := bytes.Count(schema.Shapes, []byte(" a sh:NodeShape")); n != 13 {
		t.Errorf("%d shapes, 13 are tested", n)
	}
}
