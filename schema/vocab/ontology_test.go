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

// The constants of this package and the ontology must name the same terms.
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

// What the shapes speak of must be in the ontology.
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
