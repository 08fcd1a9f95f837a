package trig_test

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
)

const (
	xsd      = "http://www.w3.org/2001/XMLSchema#"
	rdfType  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	dateTime = "2008-07-31T21:42:52.667Z"
)

func syntax(f trig.Format) *trig.Syntax {
	return trig.NewSyntax(f, trig.Prefix{Name: "v", IRI: "http://v/#"}, trig.Prefix{Name: "n", IRI: "http://n/"}, trig.Prefix{Name: "xsd", IRI: xsd})
}

var graphs = []string{"http://g/c%23", "http://g/.net", "http://g/empty"}

// awkward are texts that encoders often get wrong.
var awkward = []string{"", "plain", `"`, `\`, `\\"`, "a\nb\rc\td", "\x01\x00", "\x01\x1f\x7f\u0080", "é日😀", "'''\"\"\"", " # ; . }", "1234567\"", "12345678\n9", "ends in\n\"", "\n\"\"\"\"",
	strings.Repeat("long ", 200_000) + "\n"}

// sample returns two subjects for each text, one in two graphs and one in one, and their
// quads in order.
func sample(s *trig.Syntax, texts []string) (*trig.Fragment, []string) {
	f := new(trig.Fragment)
	var want []string
	for i, text := range texts {
		id := int64(i + 1)
		f.Begin([]int{0, 1}, s.NameFrame("http://n/"), id)
		f.Term(s.Predicate(rdfType), s.IRI("http://v/#C"))
		f.Int(s.Predicate("http://v/#id"), s.LiteralFrame(xsd+"integer"), -id)
		f.Bytes(s.Predicate("http://v/#date"), s.LiteralFrame(xsd+"dateTime"), []byte(dateTime))
		f.Text(s.Predicate("http://v/#text"), []byte(text))
		f.BeginTerm([]int{1}, s.IRI("http://t/.x"))
		f.Int(s.Predicate("http://w/é"), s.NameFrame("http://n/"), id)
		subject := "<http://n/" + strconv.Itoa(i+1) + ">"
		for _, g := range []string{" <http://g/c%23>", " <http://g/.net>"} {
			want = append(want,
				subject+" <"+rdfType+"> <http://v/#C>"+g,
				subject+" <http://v/#id> "+strconv.Quote(strconv.Itoa(-i-1))+"^^integer"+g,
				subject+" <http://v/#date> "+strconv.Quote(dateTime)+"^^dateTime"+g,
				subject+" <http://v/#text> "+strconv.Quote(text)+"^^string"+g)
		}
		want = append(want, "<http://t/.x> <http://w/é> "+subject+" <http://g/.net>")
	}
	return f, want
}

// files writes fragments as files of size quads, with the counts of each graph.
func files(t testing.TB, s *trig.Syntax, size int, fragments ...*trig.Fragment) (files []string, counts [][]int) {
	t.Helper()
	b := trig.NewBatch(s, graphs, size)
	flush := func() {
		var buf bytes.Buffer
		n, err := b.WriteTo(&buf)
		if err != nil || n != int64(buf.Len()) {
			t.Fatalf("wrote %d of %d: %v", n, buf.Len(), err)
		}
		files = append(files, buf.String())
		var byGraph []int
		for g := range graphs { // all predicates have counter 0
			byGraph = append(byGraph, int(append(slices.Clone(b.Tally(g)), 0)[0]))
		}
		counts = append(counts, byGraph)
		b.Reset()
	}
	for _, f := range fragments {
		at := b.Put(f, trig.Cursor{})
		for b.Full() {
			flush()
			at = b.Put(f, at)
		}
		if at.Node != f.Nodes() {
			t.Fatalf("the batch has room and stopped at %v of %d", at, f.Nodes())
		}
	}
	if b.Quads() > 0 {
		flush()
	}
	return files, counts
}

// The Reader reads back what a Batch writes, in any format and file size, and every file
// but the last is full.
func TestRoundTrip(t *testing.T) {
	for _, format := range []trig.Format{trig.TriG, trig.NQuads} {
		s := syntax(format)
		f, want := sample(s, awkward)
		g := new(trig.Fragment) // the same through Append, in two parts
		half, rest := awkward[:5], awkward[5:]
		a, wantA := sample(s, half)
		b, wantB := sample(s, rest)
		g.Append(a)
		g.Append(b)
		for _, size := range []int{1, 2, 3, 7, 9, 50, 50_000} {
			for _, c := range []struct {
				fragments []*trig.Fragment
				want      []string
			}{{[]*trig.Fragment{f}, want}, {[]*trig.Fragment{g}, slices.Concat(wantA, wantB)}, {[]*trig.Fragment{a, b}, slices.Concat(wantA, wantB)}} {
				texts, counts := files(t, s, size, c.fragments...)
				var got []string
				for i, text := range texts {
					quads, err := read(strings.NewReader(text), format)
					if err != nil {
						t.Fatal(err)
					}
					if len(quads) != size && i < len(texts)-1 {
						t.Errorf("size %d: file %d holds %d", size, i, len(quads))
					}
					n := 0
					for g := range graphs {
						n += counts[i][g]
					}
					if n != len(quads) {
						t.Errorf("size %d: file %d holds %d, counted %v", size, i, len(quads), counts[i])
					}
					got = append(got, quads...)
				}
				slices.Sort(got)
				want := slices.Sorted(slices.Values(c.want))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("format %d, size %d: %.2000s", format, size, diff)
				}
			}
		}
	}
}

// The layout of a file is stable.
func TestLayout(t *testing.T) {
	for format, want := range map[trig.Format]string{
		trig.TriG: `@prefix v: <http://v/#> .
@prefix n: <http://n/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://g/c%23> {
n:1 a v:C ;
	v:id -1 ;
	v:date "2008-07-31T21:42:52.667Z"^^xsd:dateTime ;
	v:text "a\nb\u0001\"" .
}
<http://g/.net> {
n:1 a v:C ;
	v:id -1 ;
	v:date "2008-07-31T21:42:52.667Z"^^xsd:dateTime .
}
`,
		trig.NQuads: `<http://n/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://v/#C> <http://g/c%23> .
<http://n/1> <http://v/#id> "-1"^^<http://www.w3.org/2001/XMLSchema#integer> <http://g/c%23> .
<http://n/1> <http://v/#date> "2008-07-31T21:42:52.667Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> <http://g/c%23> .
<http://n/1> <http://v/#text> "a\nb\u0001\"" <http://g/c%23> .
<http://n/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://v/#C> <http://g/.net> .
<http://n/1> <http://v/#id> "-1"^^<http://www.w3.org/2001/XMLSchema#integer> <http://g/.net> .
<http://n/1> <http://v/#date> "2008-07-31T21:42:52.667Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> <http://g/.net> .
`,
	} {
		s := syntax(format)
		f, _ := sample(s, []string{"a\nb\x01\""})
		got, _ := files(t, s, 7, f)
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Error(diff)
		}
	}
}

// Any text is read back the same, in both formats and any file size.
func FuzzRoundTrip(f *testing.F) {
	for i, text := range awkward[:len(awkward)-1] {
		f.Add(text, i+1)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		text = strings.ToValidUTF8(text, "�")
		for _, format := range []trig.Format{trig.TriG, trig.NQuads} {
			fragment, want := sample(syntax(format), []string{text, "x"})
			texts, _ := files(t, syntax(format), 1+max(size%20, -size%20), fragment)
			var got []string
			for _, file := range texts {
				quads, err := read(strings.NewReader(file), format)
				if err != nil {
					t.Fatalf("%v in %q", err, file)
				}
				got = append(got, quads...)
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// No text makes the reader panic, hang, or depend on where its window ends. The quads
// that it reads can be written and are read back, in both formats.
func FuzzReader(f *testing.F) {
	for _, format := range []trig.Format{trig.TriG, trig.NQuads} {
		fragment, _ := sample(syntax(format), awkward[:8])
		texts, _ := files(f, syntax(format), 100, fragment)
		f.Add(texts[0], format == trig.NQuads)
	}
	f.Add(head+":g{:a :b 1,-.5e3;;a :c.d . } GRAPH x:g {_:a.b :c '''x'''@en}", false)
	f.Add("@base <http://b/c/d?e> . <../\\u00e9> <#> ''^^<?x> .", false)
	f.Fuzz(func(t *testing.T, text string, lines bool) {
		format := trig.TriG
		if lines {
			format = trig.NQuads
		}
		got, err := read(strings.NewReader(text), format)
		again, err2 := read(&stutter{text: text}, format)
		if diff := cmp.Diff(got, again); diff != "" || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Errorf("%v, then %v %s", err, err2, diff)
		}
		rewritten(t, trig.NewReader(strings.NewReader(text), format))
	})
}

// rewritten writes quads and compares them with what is read back.
func rewritten(t *testing.T, r *trig.Reader) {
	t.Helper()
	tr, nq := new(trig.Fragment), new(trig.Fragment)
	var want []string
	for r.Scan() {
		q := r.Record()
		for s, f := range map[*trig.Syntax]*trig.Fragment{syntax(trig.TriG): tr, syntax(trig.NQuads): nq} {
			f.BeginTerm([]int{0}, s.Term(q.Subject))
			f.Term(s.Predicate(string(q.Predicate.Value)), s.Term(q.Object))
		}
		q.Graph = trig.Term{Kind: trig.IRI, Value: []byte(graphs[0])}
		want = append(want, showQuad(q))
	}
	for format, f := range map[trig.Format]*trig.Fragment{trig.TriG: tr, trig.NQuads: nq} {
		var got []string
		texts, _ := files(t, syntax(format), 50, f)
		for _, text := range texts {
			quads, err := read(strings.NewReader(text), format)
			if err != nil {
				t.Fatalf("%v in %q", err, text)
			}
			got = append(got, quads...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("format %d: %s", format, diff)
		}
	}
}

// stutter reads a text a few bytes at a time.
type stutter struct {
	text string
	n    int
}

func (s *stutter) Read(p []byte) (int, error) {
	s.n++
	n := copy(p[:min(len(p), s.n%3+1)], s.text)
	s.text = s.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
