package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/knakk/rdf"

	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/vocab"
)

// writeThreads writes the graph of some threads in files of so many triples, in the order of
// the stage: posts by id, links to posts of other graphs after a post's own triples, then
// its comments; the edge to an answer before the answer.
func writeThreads(t *testing.T, size int, score int64) (out string) {
	t.Helper()
	site := vocab.StackOverflow
	languages := []schema.Language{{Tag: "a", Slug: "a"}, {Tag: "b", Slug: "b"}, {Tag: "c", Slug: "c"}}
	var graphs []string
	for _, l := range languages {
		graphs = append(graphs, site.Graph(l.Tag))
	}
	s := trig.NewSyntax(trig.TriG, trig.Prefix{Name: "so", IRI: vocab.NS})
	question, answer := s.NameFrame(string(stem(site.Question(0)))), s.NameFrame(string(stem(site.Answer(0))))
	comment, integer := s.NameFrame(string(stem(site.Comment(0)))), s.LiteralFrame(vocab.XSD+"integer")
	so := func(name string) trig.Predicate { return s.Predicate(vocab.NS + name) }
	is := s.Predicate(vocab.RDF + "type")
	var f trig.Fragment
	for id := int64(1); id <= 30; id++ {
		in := [][]int{{1}, {0, 2}, {2}}[id%3]
		frame, classes := question, []string{vocab.Question, vocab.UnansweredQuestion}
		if id%2 == 0 {
			f.Begin(in, question, id-1)
			f.Int(so(vocab.HasAnswer), answer, id)
			frame, classes = answer, []string{vocab.Answer, vocab.AcceptedAnswer}
		}
		f.Begin(in, frame, id)
		for _, c := range classes {
			f.Term(is, s.IRI(vocab.NS+c))
		}
		f.Int(so(vocab.PostID), integer, id)
		f.Text(so(vocab.HasBody), fmt.Appendf(nil, "body %d", id))
		f.Int(so(vocab.Score), integer, score*id)
		f.Int(so(vocab.LinkedTo), question, id+1000)
		f.Begin([]int{0, 1, 2}, frame, id)
		f.Int(so(vocab.LinkedTo), question, id+2000)
		f.Begin(in, comment, id)
		f.Text(so(vocab.HasBody), []byte("a comment"))
	}
	out = t.TempDir()
	dir, err := manifest.Open(out)
	check(t, err)
	var files []manifest.File
	check(t, os.Mkdir(filepath.Join(out, "graph"), 0o777))
	batch := trig.NewBatch(s, graphs, size)
	for at := (trig.Cursor{}); at.Node < f.Nodes(); {
		batch.Reset()
		at = batch.Put(&f, at)
		var text bytes.Buffer
		_, err := batch.WriteTo(&text)
		check(t, err)
		name := fmt.Sprintf("graph/batch-%06d.trig", len(files)+1)
		check(t, os.WriteFile(filepath.Join(out, name), text.Bytes(), 0o666))
		files = append(files, manifest.File{Name: name, Size: int64(text.Len())})
	}
	check(t, dir.Update(func(m *manifest.Manifest) {
		m.Dump.Site = "stackoverflow.com"
		m.Options.Languages = languages
		m.Stages[manifest.Graph] = &manifest.Stage{Files: files}
	}))
	check(t, dir.Close())
	return out
}

func TestPostsAreTheSameWhereverFilesEnd(t *testing.T) {
	whole, other := writeThreads(t, 100_000, 1), writeThreads(t, 17, 2)
	for size := 1; size < 60; size += 1 + size/12 {
		cut := writeThreads(t, size, 1)
		r, posts := compare(t, whole, cut)
		if len(posts) > 0 {
			t.Errorf("files of %d triples: %d posts differ, as %+v", size, len(posts), posts[0])
		}
		want := Count{Before: 15, After: 15, Same: 15}
		if r.Questions.Distinct != want || r.Answers.Distinct != want {
			t.Errorf("files of %d triples: %+v, %+v", size, r.Questions.Distinct, r.Answers.Distinct)
		}
		r, posts = compare(t, cut, other)
		if len(posts) != 30 || !cmp.Equal(posts[29].Changed, []string{vocab.Score}) || r.Answers.Distinct.Other != 15 {
			t.Errorf("files of %d triples and other scores: %d posts differ, %+v", size, len(posts), posts[len(posts)-1])
		}
		by := map[string]int64{}
		for _, c := range r.Questions.Languages {
			by[c.Language] = c.After
		}
		if diff := cmp.Diff(map[string]int64{"a": 5, "b": 5, "c": 10}, by); diff != "" {
			t.Errorf("files of %d triples: %s", size, diff)
		}
	}
}

// TestDamagedFileIsNoRemoval checks that a damaged file ends the comparison before its
// missing posts count as removed.
func TestDamagedFileIsNoRemoval(t *testing.T) {
	whole, damaged := writeThreads(t, 20, 1), writeThreads(t, 20, 1)
	file := filepath.Join(damaged, "graph", "batch-000004.trig")
	text, err := os.ReadFile(file)
	check(t, err)
	check(t, os.WriteFile(file, text[:len(text)-5], 0o666))
	for range 20 {
		_, err := Compare(t.Context(), whole, damaged, Options{Each: func(p Post) error {
			t.Errorf("post %d: %s", p.ID, p.What)
			return nil
		}})
		if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification {
			t.Fatalf("%v", err)
		}
	}
}

// The compared properties are those that the ontology gives to questions and answers, but for the edges to other nodes and
// the id. A new property is compared, or named here.
func TestPropertiesAreThoseOfTheOntology(t *testing.T) {
	const rdfs = "http://www.w3.org/2000/01/rdf-schema#"
	want := []string{class}
	decoder := rdf.NewTripleDecoder(bytes.NewReader(schema.Ontology), rdf.Turtle)
	for triple, err := decoder.Decode(); !errors.Is(err, io.EOF); triple, err = decoder.Decode() {
		if err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(triple.Subj.String(), vocab.NS)
		if !ours || triple.Pred.String() != rdfs+"domain" {
			continue
		}
		switch strings.TrimPrefix(triple.Obj.String(), vocab.NS) {
		case vocab.Question, vocab.Answer, vocab.Post, vocab.Content:
			want = append(want, name)
		}
	}
	notCompared := []string{vocab.PostID, vocab.HasAnswer, vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment}
	got := slices.Concat(properties[:], notCompared)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ontology - and compared +:\n%s", diff)
	}
}
