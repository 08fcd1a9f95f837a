package trig_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"s2g/graph/trig"
)

// body looks like the HTML of a post: clean runs of 40 to 80 bytes.
var body = []byte(strings.Repeat("<p>How do I call <code>foo(\"bar\")</code> from a test, and what does it return?</p>\n", 10))

// render fills a fragment with posts, 10 triples each.
func render(f *trig.Fragment, v *vocabulary, posts int) {
	for i := range posts {
		f.Begin(v.graphs[i%2], v.post, int64(i)+1_000_000)
		f.Term(v.a, v.class)
		f.Int(v.id, v.integer, int64(i)+1_000_000)
		for _, p := range v.dates {
			f.Bytes(p, v.dateTime, []byte(dateTime))
		}
		for _, p := range v.numbers {
			f.Int(p, v.integer, 17)
		}
		f.Text(v.text, body)
	}
}

type vocabulary struct {
	graphs            [2][]int
	post              trig.Frame
	a, id, text       trig.Predicate
	class             string
	dates, numbers    []trig.Predicate
	integer, dateTime trig.Frame
}

func newVocabulary(s *trig.Syntax) *vocabulary {
	return &vocabulary{
		graphs: [2][]int{{0}, {0, 1}}, post: s.NameFrame("http://n/"), a: s.Predicate(rdfType), class: s.IRI("http://v/#Question"),
		id: s.Predicate("http://v/#postId"), text: s.Predicate("http://v/#hasBody"),
		dates:   []trig.Predicate{s.Predicate("http://v/#creationDate"), s.Predicate("http://v/#lastEditDate"), s.Predicate("http://v/#lastActivityDate")},
		numbers: []trig.Predicate{s.Predicate("http://v/#score"), s.Predicate("http://v/#upVotes"), s.Predicate("http://v/#downVotes"), s.Predicate("http://v/#viewCount")},
		integer: s.LiteralFrame(xsd + "integer"), dateTime: s.LiteralFrame(xsd + "dateTime"),
	}
}

func BenchmarkWriter(b *testing.B) {
	for name, format := range map[string]trig.Format{"TriG": trig.TriG, "NQuads": trig.NQuads} {
		b.Run(name, func(b *testing.B) {
			s := syntax(format)
			v, batch := newVocabulary(s), trig.NewBatch(s, graphs, 50_000)
			var ring [5]trig.Fragment // a batch refers to four and a part
			b.ReportAllocs()
			quads, bytes := 0, int64(0)
			for i := 0; b.Loop(); i++ {
				f := &ring[i%len(ring)]
				f.Reset()
				render(f, v, 1000)
				for at := batch.Put(f, trig.Cursor{}); batch.Full(); at = batch.Put(f, at) {
					n, err := batch.WriteTo(io.Discard)
					if err != nil {
						b.Fatal(err)
					}
					bytes += n
					batch.Reset()
				}
				quads += 15_000
			}
			b.SetBytes(bytes / int64(b.N))
			b.ReportMetric(float64(quads)/b.Elapsed().Seconds(), "quads/s")
		})
	}
}

func BenchmarkReader(b *testing.B) {
	for name, format := range map[string]trig.Format{"TriG": trig.TriG, "NQuads": trig.NQuads} {
		b.Run(name, func(b *testing.B) {
			s := syntax(format)
			f, batch := new(trig.Fragment), trig.NewBatch(s, graphs, 50_000)
			render(f, newVocabulary(s), 4000)
			batch.Put(f, trig.Cursor{})
			var text bytes.Buffer
			if _, err := batch.WriteTo(&text); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			quads := 0
			for b.Loop() {
				r := trig.NewReader(bytes.NewReader(text.Bytes()), format)
				for r.Scan() {
					quads++
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
			}
			b.ReportMetric(float64(quads)/b.Elapsed().Seconds(), "quads/s")
		})
	}
}
