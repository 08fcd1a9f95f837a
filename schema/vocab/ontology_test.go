package vocab

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/knakk/rdf"

	"s2g/schema"
)

// The constants of this package and the ontology name the same terms.
func TestOntologyDeclaresTheVocabulary(t *testing.T) {
	classes := []string{
		Question, AnsweredQuestion, UnansweredQuestion, Answer, AcceptedAnswer, PossibleBetterAnswer,
		TagWiki, TagWikiExcerpt, Comment, Tag, Post, Content,
	}
	properties := []string{
		HasAnswer, HasAcceptedAnswer, HasPossibleBetterAnswer, HasComment, TaggedWith, HasTagWiki, HasTagWikiExcerpt,
		LinkedTo, DuplicateOf, Author, License,
		PostID, CommentID, HasTitle, HasBody, Score, UpVotes, DownVotes, ViewCount, AnswerCount, CommentCount, FavoriteCount,
		CreationDate, LastEditDate, LastActivityDate, ClosedDate, CommunityOwnedDate, AuthorName, TagName, TagCount,
	}
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
	classes, properties := 0, 0
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
		if kind == owl+"Class" {
			classes++
		} else {
			properties++
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
	if classes != 12 || properties != 30 {
		t.Errorf("%d classes, %d properties", classes, properties)
	}
}

var foreign = []string{
	"http://rdfs.org/sioc/ns#", "http://rdfs.org/sioc/types#", "https://schema.org/", "http://www.w3.org/2004/02/skos/core#", "http://purl.org/dc/terms/",
}

// The ontology has all terms of the shapes.
func TestShapesUseTheVocabulary(t *testing.T) {
	declared := map[string]bool{}
	for _, triple := range readTurtle(t, schema.Ontology) {
		declared[triple.Subj.String()] = true
	}
	const targetClass, path = "http://www.w3.org/ns/shacl#targetClass", "http://www.w3.org/ns/shacl#path"
	n := 0
	for _, triple := range readTurtle(t, schema.Shapes) {
		p := triple.Pred.String()
		if o := triple.Obj.String(); (p == targetClass || p == path) && strings.HasPrefix(o, NS) {
			n++
			if !declared[o] {
				t.Errorf("the shapes name %s, which the ontology does not", o)
			}
		}
	}
	if n == 0 {
		t.Error("the shapes name no term of the ontology")
	}
}

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
