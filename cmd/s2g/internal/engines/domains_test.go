package engines

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/vocab"
)

// Every quad's subject has the type of its property's domain, and its object that of
// the range, in the graph itself: inference adds no type to any node.
func TestDomainsAndRangesHold(t *testing.T) {
	schematest.Long(t)
	const rdfs = "http://www.w3.org/2000/01/rdf-schema#"
	domain, ranges := map[string]string{}, map[string]string{}
	each(t, schema.Ontology, func(q *trig.Quad) {
		switch string(q.Predicate.Value) {
		case rdfs + "domain":
			domain[string(q.Subject.Value)] = string(q.Object.Value)
		case rdfs + "range":
			ranges[string(q.Subject.Value)] = string(q.Object.Value)
		}
	})
	db := server.Open(t)
	for name, d := range dumps(t, 800) {
		buildtest.Load(t, db, d.folder)
		batches, _ := buildtest.Graph(t, db, graph.Options{Languages: d.languages, Other: d.other, Materialize: true})
		var texts [][]byte
		for _, file := range batches {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		types := map[string][]string{}
		for _, text := range texts {
			each(t, text, func(q *trig.Quad) {
				if s, class := string(q.Subject.Value), string(q.Object.Value); string(q.Predicate.Value) == vocab.RDF+"type" && !slices.Contains(types[s], class) {
					types[s] = append(types[s], class)
				}
			})
		}
		checked := map[string]bool{}
		for _, text := range texts {
			each(t, text, func(q *trig.Quad) {
				p := string(q.Predicate.Value)
				from, to := domain[p], ranges[p]
				if from != "" && !slices.Contains(types[string(q.Subject.Value)], from) {
					t.Errorf("%s: <%s> %s: the subject is no %s", name, q.Subject.Value, p, from)
				}
				if is := string(q.Object.Datatype); to != "" && q.Object.Kind == trig.Literal && is != to {
					t.Errorf("%s: <%s> %s: a literal of %s, not %s", name, q.Subject.Value, p, is, to)
				}
				if to != "" && q.Object.Kind == trig.IRI && !slices.Contains(types[string(q.Object.Value)], to) {
					t.Errorf("%s: %s <%s>: the object is no %s", name, p, q.Object.Value, to)
				}
				checked[p] = from != ""
			})
		}
		for p := range domain {
			if name == "mini" && !checked[p] {
				t.Errorf("nothing has %s", p)
			}
		}
	}
}

// each calls do with all quads of a text.
func each(t *testing.T, text []byte, do func(*trig.Quad)) {
	t.Helper()
	r := trig.NewReader(bytes.NewReader(text), trig.TriG)
	for r.Scan() {
		do(r.Record())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
}
