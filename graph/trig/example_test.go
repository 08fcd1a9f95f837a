package trig_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"s2g/graph/trig"
)

// Two questions, one of them in two graphs, in files of four quads.
func Example() {
	const ns, posts = "http://example.org/schema#", "http://example.org/posts/"
	syntax := trig.NewSyntax(trig.TriG, trig.Prefix{Name: "so", IRI: ns}, trig.Prefix{Name: "p", IRI: posts})

	// constant parts of triples are spelled once
	post := syntax.NameFrame(posts)
	isA, question := syntax.Predicate("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), syntax.IRI(ns+"Question")
	title, score := syntax.Predicate(ns+"title"), syntax.Predicate(ns+"score")
	integer := syntax.LiteralFrame("http://www.w3.org/2001/XMLSchema#integer")

	graphs := []string{"http://example.org/go", "http://example.org/c%2B%2B"}
	fragment := new(trig.Fragment)
	for id, in := range [][]int{{0, 1}, {0}} { // positions in graphs
		fragment.Begin(in, post, int64(id)+1)
		fragment.Term(isA, question)
		fragment.Text(title, []byte("How do I \"quote\"?"))
		fragment.Int(score, integer, 7)
	}

	batch := trig.NewBatch(syntax, graphs, 4)
	write := func() {
		fmt.Printf("# %d quads\n", batch.Quads())
		if _, err := batch.WriteTo(os.Stdout); err != nil {
			fmt.Println(err)
		}
		batch.Reset()
	}
	at := batch.Put(fragment, trig.Cursor{})
	for batch.Full() {
		write()
		at = batch.Put(fragment, at)
	}
	if batch.Quads() > 0 {
		write()
	}
	// Output:
	// # 4 quads
	// @prefix so: <http://example.org/schema#> .
	// @prefix p: <http://example.org/posts/> .
	// <http://example.org/go> {
	// p:1 a so:Question ;
	// 	so:title "How do I \"quote\"?" ;
	// 	so:score 7 .
	// }
	// <http://example.org/c%2B%2B> {
	// p:1 a so:Question .
	// }
	// # 4 quads
	// @prefix so: <http://example.org/schema#> .
	// @prefix p: <http://example.org/posts/> .
	// <http://example.org/go> {
	// p:2 a so:Question ;
	// 	so:title "How do I \"quote\"?" .
	// }
	// <http://example.org/c%2B%2B> {
	// p:1 so:title "How do I \"quote\"?" ;
	// 	so:score 7 .
	// }
	// # 1 quads
	// @prefix so: <http://example.org/schema#> .
	// @prefix p: <http://example.org/posts/> .
	// <http://example.org/go> {
	// p:2 so:score 7 .
	// }
}

// N-Quads become TriG. A Record is valid until the next Scan; to keep it, clone it or, as
// here, spell it. With a long text, put a fragment every few hundred kilobytes, and
// reset it after the batches that refer to it are written.
func ExampleReader() {
	const lines = `<http://example.org/a> <http://example.org/#says> "hallo"@de <http://example.org/g> .
<http://example.org/a> <http://example.org/#knows> _:b <http://example.org/g> .
`
	syntax := trig.NewSyntax(trig.TriG, trig.Prefix{Name: "", IRI: "http://example.org/#"})
	batch := trig.NewBatch(syntax, []string{"http://example.org/g"}, 1000)
	fragment := new(trig.Fragment)
	r := trig.NewReader(strings.NewReader(lines), trig.NQuads)
	for r.Scan() {
		q := r.Record()
		fragment.BeginTerm([]int{0}, syntax.Term(q.Subject))
		fragment.Term(syntax.Predicate(string(q.Predicate.Value)), syntax.Term(q.Object))
	}
	if err := r.Err(); err != nil {
		fmt.Println(err)
	}
	batch.Put(fragment, trig.Cursor{})
	if _, err := batch.WriteTo(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// @prefix : <http://example.org/#> .
	// <http://example.org/g> {
	// <http://example.org/a> :says "hallo"@de .
	// <http://example.org/a> :knows _:b .
	// }
}

// A syntax error has its position.
func ExampleSyntaxError() {
	r := trig.NewReader(strings.NewReader("<http://example.org/g> {\n\t<http://example.org/a> a t:.net .\n}\n"), trig.TriG)
	for r.Scan() {
		fmt.Println("not reached")
	}
	var place *trig.SyntaxError
	if errors.As(r.Err(), &place) {
		fmt.Println(place.Line, place.Column, place.Msg)
	}
	// Output: 2 28 prefix t: is not defined
}
