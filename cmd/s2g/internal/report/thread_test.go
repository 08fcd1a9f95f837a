package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/graph/trig"
	"s2g/schema"
	"s2g/schema/manifest"
	"s2g/schema/schematest"
	"s2g/schema/tables"
	"s2g/schema/threads"
	"s2g/schema/vocab"
)

var update = flag.Bool("update", false, "write docs/thread.svg anew")

// buildGraph writes the graph of the tables in service into the folder of o.
func buildGraph(t testing.TB, db *tables.DB, o Options, shape graph.Options) {
	t.Helper()
	dir, err := manifest.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.Update(func(m *manifest.Manifest) { m.Stages[manifest.Ingest] = &manifest.Stage{Key: "test"} }); err != nil {
		t.Fatal(err)
	}
	shape.Site, shape.Languages, shape.Other = o.Site, o.Languages, o.Other
	if err := graph.Run(t.Context(), dir, db, shape); err != nil {
		t.Fatal(err)
	}
	done := dir.Manifest().Stages[manifest.Graph]
	o.Manifest.Stages[manifest.Graph].Files, o.Manifest.Stages[manifest.Graph].Figures = done.Files, done.Figures
}

// TestThreadHasAllTriplesOfTheGraph compares threads with all triples of their
// nodes, which the test collects from every file of the graph.
func TestThreadHasAllTriplesOfTheGraph(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, buildtest.Sample(t, 1500))
	index, err := threads.Build(t.Context(), db, schema.DefaultLanguages(), false)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[int64][]int64{}
	for p := range index.All() {
		if !p.Question {
			answers[p.Parent] = append(answers[p.Parent], p.ID)
		}
	}
	for name, shape := range map[string]graph.Options{"gzip": {}, "nquads": {Format: "nquads", Compress: "zstd"}, "materialized": {Materialize: true}} {
		t.Run(name, func(t *testing.T) {
			if name != "gzip" {
				schematest.Long(t)
			}
			o := optionsOf(t)
			buildGraph(t, db, o, shape)
			files := openGraphFiles(o)
			want := map[string]*node{} // by graph and subject
			collect := &thread{nodes: want}
			for _, b := range files.batches {
				err := files.scan(b, func(q *trig.Quad) bool {
					key := string(q.Graph.Value) + " " + string(q.Subject.Value)
					if want[key] == nil {
						collect.add(key)
					}
					want[key].add(q)
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			done, seen := 0, ""
			for p := range index.All() {
				if !p.Question || p.ID%23 != 0 {
					continue
				}
				done++
				tag := o.Languages[index.Graphs(p.Set)[0]].Tag
				got, err := readThread(t.Context(), files, tag, p.ID, answers[p.ID])
				if err != nil || got == nil {
					t.Fatalf("question %d: %v, %v", p.ID, got, err)
				}
				if len(got.graphs) != len(index.Graphs(p.Set)) {
					t.Errorf("question %d is in %d graphs, not in %q", p.ID, len(index.Graphs(p.Set)), got.graphs)
				}
				for iri, n := range got.nodes {
					expect := want[got.graphs[0]+" "+iri]
					if expect == nil {
						expect = &node{values: map[string][]string{}, omitted: map[string]int{}}
					}
					if own := n == got.question || slices.Contains(got.question.values[vocab.HasAnswer], iri); !own {
						for _, e := range edges { // they are not drawn, and not all of them are at the place of the node
							delete(n.values, e)
							delete(expect.values, e)
						}
					}
					if diff := cmp.Diff(expect.classes, n.classes) + cmp.Diff(expect.values, n.values); diff != "" {
						t.Fatalf("question %d, %s: %s", p.ID, iri, diff)
					}
				}
				if len(answers[p.ID]) != len(got.question.values[vocab.HasAnswer]) {
					t.Errorf("question %d has the answers %v, not %v", p.ID, answers[p.ID], got.question.values[vocab.HasAnswer])
				}
				seen += string(got.svg(""))
			}
			if done < 8 {
				t.Errorf("%d threads", done)
			}
			for _, edge := range []string{vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment, vocab.TaggedWith, vocab.LinkedTo} {
				if !strings.Contains(seen, "so:"+edge) {
					t.Errorf("none of %d threads has an edge %s", done, edge)
				}
			}
		})
	}
}

// cutThreads writes the graph of some threads in files of so many triples, in the
// order of the stage: posts by id, the edge to an answer before the answer, links to
// posts of other graphs after a post, then its comments; then tags, then wikis.
func cutThreads(t *testing.T, size int) Options {
	t.Helper()
	o := Options{Out: t.TempDir(), Site: vocab.StackOverflow, Manifest: &manifest.Manifest{Stages: map[string]*manifest.Stage{manifest.Graph: {}}}}
	graphs := []string{o.Site.Graph("a"), o.Site.Graph("b"), o.Site.Graph("c#")}
	s := trig.NewSyntax(trig.TriG, trig.Prefix{Name: "so", IRI: vocab.NS})
	frame := func(iri string) trig.Frame { return s.NameFrame(strings.TrimSuffix(iri, "0")) }
	question, answer, comment := frame(o.Site.Question(0)), frame(o.Site.Answer(0)), frame(o.Site.Comment(0))
	integer := s.LiteralFrame(vocab.XSD + "integer")
	so := func(name string) trig.Predicate { return s.Predicate(vocab.NS + name) }
	is := s.Predicate(vocab.RDF + "type")
	tags := []string{"a", "b", "c#", "tag 0", "tag 1"}
	var f trig.Fragment
	for id := int64(1); id <= 60; id++ {
		in := [][]int{{1}, {0, 2}, {2}}[id/6%3] // a thread is a question and the next ids that are no multiple of 6
		subject, class := question, vocab.Question
		if id%6 != 0 {
			f.Begin(in, question, id-id%6)
			f.Int(so(vocab.HasAnswer), answer, id)
			subject, class = answer, vocab.Answer
		}
		f.Begin(in, subject, id)
		f.Term(is, s.IRI(vocab.NS+class))
		f.Int(so(vocab.PostID), integer, id)
		f.Text(so(vocab.HasBody), fmt.Appendf(nil, "body %d", id))
		if id%6 == 0 {
			f.Term(so(vocab.TaggedWith), s.IRI(o.Site.Tag(tags[id/6%5])))
			f.Int(so(vocab.LinkedTo), question, (id*7)%60)
			f.Begin([]int{0, 1, 2}, subject, id)
			f.Int(so(vocab.LinkedTo), question, (id*5)%60)
		}
		for c := id * 10; c < id*10+id%4; c++ {
			f.Begin(in, subject, id)
			f.Int(so(vocab.HasComment), comment, c)
			f.Begin(in, comment, c)
			f.Term(is, s.IRI(vocab.NS+vocab.Comment))
			f.Text(so(vocab.HasBody), []byte("a comment"))
		}
	}
	for i, tag := range tags {
		f.BeginTerm([]int{0, 1, 2}, s.IRI(o.Site.Tag(tag)))
		f.Term(is, s.IRI(vocab.NS+vocab.Tag))
		f.Text(so(vocab.TagName), []byte(tag))
		f.Int(so(vocab.TagCount), integer, int64(i))
	}
	for id := int64(1000); id < 1100; id++ {
		f.Begin([]int{0}, frame(o.Site.Post(0)), id)
		f.Int(so(vocab.PostID), integer, id)
		f.Text(so(vocab.HasBody), []byte("a wiki"))
	}
	if err := os.Mkdir(filepath.Join(o.Out, "graph"), 0o777); err != nil {
		t.Fatal(err)
	}
	stage := o.Manifest.Stages[manifest.Graph]
	batch := trig.NewBatch(s, graphs, size)
	for at := (trig.Cursor{}); at.Node < f.Nodes(); {
		batch.Reset()
		at = batch.Put(&f, at)
		var text bytes.Buffer
		if _, err := batch.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("graph/batch-%06d.trig", len(stage.Files)+1)
		if err := os.WriteFile(filepath.Join(o.Out, name), text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		stage.Files = append(stage.Files, manifest.File{Name: name, Size: int64(text.Len())})
	}
	return o
}

// TestThreadIsFoundWhereverFilesEnd reads threads from files of different sizes,
// and counts the files that a thread costs.
func TestThreadIsFoundWhereverFilesEnd(t *testing.T) {
	draw := func(o Options, question int64) (svg string, scanned int) {
		t.Helper()
		files := openGraphFiles(o)
		tag := []string{"b", "a", "c#"}[question/6%3]
		thread, err := readThread(t.Context(), files, tag, question, []int64{question + 1, question + 2, question + 3, question + 4, question + 5})
		if err != nil || thread == nil {
			t.Fatalf("question %d: %v, %v", question, thread, err)
		}
		return string(thread.svg("")), files.scanned
	}
	whole := cutThreads(t, 100_000)
	if n := len(whole.Manifest.Stages[manifest.Graph].Files); n != 1 {
		t.Fatalf("%d files", n)
	}
	for _, size := range []int{1, 2, 7, 15, 40, 90, 150} {
		cut := cutThreads(t, size)
		for question := int64(6); question < 60; question += 6 {
			want, _ := draw(whole, question)
			if got, _ := draw(cut, question); got != want {
				t.Errorf("files of %d triples, question %d: %s", size, question, cmp.Diff(want, got))
			}
			for _, shown := range []string{"so:TaggedWith", "so:tagCount", "so:LinkedTo", "so:HasComment", "a comment"} {
				if !strings.Contains(want, shown) {
					t.Fatalf("question %d is drawn without %s", question, shown)
				}
			}
		}
	}
	cut := cutThreads(t, 10)
	all := len(cut.Manifest.Stages[manifest.Graph].Files)
	for question := int64(6); question < 60; question += 6 {
		if _, scanned := draw(cut, question); scanned > all/2 {
			t.Errorf("question %d takes %d of %d files", question, scanned, all)
		}
	}
}

func TestThreadOfDamagedGraph(t *testing.T) {
	o := cutThreads(t, 150)
	name := filepath.Join(o.Out, "graph", "batch-000001.trig")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, damage := range map[string]func() error{
		"cut":     func() error { return os.WriteFile(name, text[:len(text)-5], 0o666) },
		"missing": func() error { return os.Remove(name) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		_, err := readThread(t.Context(), openGraphFiles(o), "a", 6, []int64{7})
		if fault, _ := schema.FaultOf(err); fault != schema.FaultVerification || !strings.Contains(err.Error(), "batch-000001") {
			t.Errorf("%s: %v", what, err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if thread, err := readThread(t.Context(), openGraphFiles(o), "b", 6, []int64{7}); thread != nil || err != nil {
		t.Errorf("of another graph: %v, %v", thread, err)
	}
	if thread, err := readThread(t.Context(), openGraphFiles(o), "a", 7000, nil); thread != nil || err != nil {
		t.Errorf("of a question that is not there: %v, %v", thread, err)
	}
}

// TestThreadIsBounded draws a question with more of everything than is shown.
func TestThreadIsBounded(t *testing.T) {
	n := &node{values: map[string][]string{}, omitted: map[string]int{}, iri: "x"}
	th := &thread{site: vocab.StackOverflow, graphs: []string{"g"}, question: n, nodes: map[string]*node{"x": n}}
	for _, e := range edges {
		for i := range shownEdges + 3 {
			q := trig.Quad{Predicate: trig.Term{Value: []byte(vocab.NS + e)}, Object: trig.Term{Value: fmt.Appendf(nil, "%s %d", e, i)}}
			if n.add(&q) {
				th.add(string(q.Object.Value))
			}
			if n.add(&q) && i < shownEdges {
				t.Errorf("a triple is added twice")
			}
		}
		if len(n.values[e]) != shownEdges {
			t.Errorf("%d edges %s", len(n.values[e]), e)
		}
		n.omitted[e] = 3
	}
	svg := th.svg("")
	wellFormed(t, svg)
	for _, want := range []string{"3 answers more", "3 tags more", "3 links more", "3 comments more"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

// TestDocumentedThread compares docs/thread.svg with the graph of the synthetic sample.
func TestDocumentedThread(t *testing.T) {
	const file, page = "../../../../docs/thread.svg", "../../../../docs/graph.md"
	t.Parallel()
	db := server.Database(t)
	buildtest.Load(t, db, buildtest.Sample(t, 2000))
	o := optionsOf(t)
	buildGraph(t, db, o, graph.Options{})
	thread, err := readThread(t.Context(), openGraphFiles(o), "c#", 2164, []int64{2174, 2203})
	if err != nil || thread == nil {
		t.Fatal(thread, err)
	}
	got := thread.svg(threadCSS)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("go test ./cmd/s2g/internal/report -run Documented -update writes %s anew: %s", file, diff)
	}
	wellFormed(t, got)
	for _, edge := range []string{vocab.HasAcceptedAnswer, vocab.HasPossibleBetterAnswer, vocab.HasComment, vocab.TaggedWith, vocab.DuplicateOf} {
		if !strings.Contains(string(got), ">so:"+edge+"<") && !strings.Contains(string(got), ", so:"+edge+"<") {
			t.Errorf("the picture has no edge %s", edge)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("(thread.svg)")) {
		t.Errorf("%s does not show it", page)
	}
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for in := xml.NewDecoder(bytes.NewReader(text)); ; {
		_, err := in.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
