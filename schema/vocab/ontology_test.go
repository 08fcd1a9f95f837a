package vocab

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/knakk/rdf"

	"s2g/schema"
)

// The constants of this package and the ontology name the same terms.
func TestOntologyDeclaresTheVocabulary(t *testing.T) {
	classes, properties := localNames(t)
	var gotClasses, gotProperties []string
	for _, triple := range readTurtle(t, schema.Ontology) {
		name, ours := strings.CutPrefix(triple.Subj.String(), NS)
		if !ours || triple.Pred.String() != RDF+"type" {
			continue
		}
		if strings.HasSuffix(triple.Obj.String(), "#Class") {
			gotClasses = append(gotClasses, name)
		} else if strings.HasSuffix(triple.Obj.String(), "Property") {
			gotProperties = append(gotProperties, name)
		}
	}
	for _, c := range []struct {
		what      string
		want, got []string
	}{{"classes", classes, gotClasses}, {"properties", properties, gotProperties}} {
		slices.Sort(c.want)
		slices.Sort(c.got)
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s, vocab - and ontology +:\n%s", c.what, diff)
		}
	}
}

// localNames reads the constants of vocab.go: the classes, and the properties. The
// comment of each group states which it holds.
func localNames(t *testing.T) (classes, properties []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "vocab.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		var names []string
		for _, spec := range group.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				name, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(name, "://") { // of a namespace
					names = append(names, name)
				}
			}
		}
		switch about := group.Doc.Text(); {
		case len(names) == 0:
		case strings.Contains(about, "names of the classes"):
			classes = append(classes, names...)
		case strings.Contains(about, "names of the object properties"), strings.Contains(about, "names of the properties"):
			properties = append(properties, names...)
		default:
			t.Errorf("%v are classes or properties? The comment of the group must state it: %s", names, about)
		}
	}
	return classes, properties
}

// Each term has an English label and comment, and each property a domain and a range.
// No term is equivalent to one of another ontology, and its ancestors are of known
// ontologies.
func TestOntologyIsDocumented(t *testing.T) {
	const rdfs, owl = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2002/07/owl#"
	about := map[string]map[string][]rdf.Object{}
	for _, triple := range readTurtle(t, schema.Ontology) {
		s, p := triple.Subj.String(), triple.Pred.String()
		if about[s] == nil {
			about[s] = map[string][]rdf.Object{}
		}
		about[s][p] = append(about[s][p], triple.Obj)
	}
	for term, is := range about {
		if !strings.HasPrefix(term, NS) {
			continue
		}
		for _, p := range []string{"label", "comment"} {
			if len(is[rdfs+p]) != 1 {
				t.Errorf("%s has %d of %s", term, len(is[rdfs+p]), p)
			} else if text, ok := is[rdfs+p][0].(rdf.Literal); !ok || text.Lang() != "en" || text.String() == "" {
				t.Errorf("%s: %s %v", term, p, is[rdfs+p])
			}
		}
		if len(is[rdfs+"isDefinedBy"]) != 1 {
			t.Errorf("%s: isDefinedBy %v", term, is[rdfs+"isDefinedBy"])
		}
		kind := is[RDF+"type"][0].String()
		if kind != owl+"Class" {
			d := is[rdfs+"domain"]
			if len(d) != 1 || about[d[0].String()] == nil {
				t.Errorf("%s: domain %v", term, d)
			}
			r, local := is[rdfs+"range"], strings.TrimPrefix(term, NS)
			switch toOthers := local == Author || local == License; {
			case toOthers != (len(r) == 0) || len(r) > 1:
				t.Errorf("%s: range %v", term, r)
			case len(r) == 1 && strings.HasPrefix(r[0].String(), XSD) != (kind == owl+"DatatypeProperty"):
				t.Errorf("%s: a %s with range %v", term, kind, r)
			}
		}
		for p, objects := range is {
			if strings.Contains(p, "equivalent") || strings.Contains(p, "sameAs") || strings.Contains(p, "inverse") {
				t.Errorf("%s %s %v", term, p, objects)
			}
		}
		for _, above := range append(is[rdfs+"subClassOf"], is[rdfs+"subPropertyOf"]...) {
			ours := about[above.String()] != nil
			if !ours && !slices.ContainsFunc(foreign, func(ns string) bool { return strings.HasPrefix(above.String(), ns) }) {
				t.Errorf("%s is below %s", term, above)
			}
		}
	}
}

var foreign = []string{
	"http://rdfs.org/sioc/ns#", "http://rdfs.org/sioc/types#", "https://schema.org/", "http://www.w3.org/2004/02/skos/core#", "http://purl.org/dc/terms/",
}

// The ontology has all terms of the shapes, and the shapes have all its classes of nodes and all its properties.
func TestShapesUseTheVocabulary(t *testing.T) {
	missing := map[string]bool{}
	classes, properties := localNames(t)
	for _, name := range slices.Concat(classes, properties) {
		missing[name] = name != Post && name != Content // only inferred
	}
	for _, triple := range readTurtle(t, schema.Shapes) {
		name, ours := strings.CutPrefix(triple.Obj.String(), NS)
		if !ours {
			continue
		}
		if _, declared := missing[name]; !declared {
			t.Errorf("the shapes name so:%s, which the ontology does not", name)
		}
		if is := triple.Pred.String(); is == shacl+"targetClass" || is == shacl+"path" {
			missing[name] = false
		}
	}
	for name, yes := range missing {
		if yes {
			t.Errorf("no shape has so:%s", name)
		}
	}
}

const shacl = "http://www.w3.org/ns/shacl#"

func readTurtle(t *testing.T, text []byte) []rdf.Triple {
	t.Helper()
	decoder := rdf.NewTripleDecoder(bytes.NewReader(text), rdf.Turtle)
	var all []rdf.Triple
	for {
		triple, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, triple)
	}
}
