package trig_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"s2g/graph/trig"
)

// show returns a term as text: <iri>, _:label, or text^^datatype without the well-known
// namespaces.
func show(t trig.Term) string {
	rest := string(t.Datatype) + string(t.Language) // empty unless it is a literal
	switch t.Kind {
	case trig.None:
		return string(t.Value) + rest
	case trig.IRI:
		return "<" + string(t.Value) + ">" + rest
	case trig.Blank:
		return "_:" + string(t.Value) + rest
	}
	datatype := strings.TrimPrefix(string(t.Datatype), "http://www.w3.org/2001/XMLSchema#")
	datatype = strings.TrimPrefix(datatype, "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
	if len(t.Language) > 0 {
		datatype += "@" + string(t.Language)
	}
	return fmt.Sprintf("%q^^%s", t.Value, datatype)
}

func showQuad(q *trig.Quad) string {
	return strings.TrimSpace(strings.Join([]string{show(q.Subject), show(q.Predicate), show(q.Object), show(q.Graph)}, " "))
}

func read(r io.Reader, format trig.Format) ([]string, error) {
	var got []string
	in := trig.NewReader(r, format)
	for in.Scan() {
		got = append(got, showQuad(in.Record()))
	}
	return got, in.Err()
}

const head = "@prefix : <e:> .\n@prefix x: <http://x/> .\n"

func TestReader(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"empty":            {" # nothing\n", nil},
		"default graph":    {"<e:a> <e:b> <e:c> .", []string{"<e:a> <e:b> <e:c>"}},
		"default, wrapped": {"{ <e:a> <e:b> <e:c> }", []string{"<e:a> <e:b> <e:c>"}},
		"back to default": {"<e:g> { <e:a> <e:b> <e:c> } <e:a> <e:b> <e:d> .",
			[]string{"<e:a> <e:b> <e:c> <e:g>", "<e:a> <e:b> <e:d>"}},
		"graph keyword": {head + "graph :g { :a a :c . } GRAPH x:g { }",
			[]string{"<e:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <e:c> <e:g>"}},
		"lists": {head + ":g{:a :b 1,2 ; :c 3;; ; . :d :e true,false}", []string{
			`<e:a> <e:b> "1"^^integer <e:g>`, `<e:a> <e:b> "2"^^integer <e:g>`, `<e:a> <e:c> "3"^^integer <e:g>`,
			`<e:d> <e:e> "true"^^boolean <e:g>`, `<e:d> <e:e> "false"^^boolean <e:g>`}},
		"directives": {"PREFIX p: <http://p/>\nbase <http://b/c/d>\n@base <e> .\n<x> p:y </z> .",
			[]string{"<http://b/c/x> <http://p/y> <http://b/z>"}},
		"redefined prefix": {"@prefix p: <e:1> . p:a p:b p:c . @prefix p: <e:2> . p:a p:b p:c .",
			[]string{"<e:1a> <e:1b> <e:1c>", "<e:2a> <e:2b> <e:2c>"}},
		"names": {head + `x: :a-b x:1.2.3 . :a:b :c%20d :e\.\~\,. :a... :b :c .`[:len(`x: :a-b x:1.2.3 . :a:b :c%20d :e\.\~\,.`)],
			[]string{"<http://x/> <e:a-b> <http://x/1.2.3>", "<e:a:b> <e:c%20d> <e:e.~,>"}},
		"names above ASCII": {head + "x:ф :ü x:日本 .", []string{"<http://x/ф> <e:ü> <http://x/日本>"}},
		"a as a prefix":     {"PREFIX a: <e:> a:a a:b a:c .", []string{"<e:a> <e:b> <e:c>"}},
		"strings": {head + `:a :b "", '', "a\"b\\c\n\r\t\b\f\'", 'it"s', "\u00e9\U0001F600" .`, []string{
			`<e:a> <e:b> ""^^string`, `<e:a> <e:b> ""^^string`, `<e:a> <e:b> "a\"b\\c\n\r\t\b\f'"^^string`,
			`<e:a> <e:b> "it\"s"^^string`, `<e:a> <e:b> "é😀"^^string`}},
		"long strings": {head + ":a :b \"\"\"a\n\"b\"\" \\\" c\\\"\\\"\"\"\", '''x''y''', \"\"\"\"\"\" .", []string{
			`<e:a> <e:b> "a\n\"b\"\" \" c\"\""^^string`, `<e:a> <e:b> "x''y"^^string`, `<e:a> <e:b> ""^^string`}},
		"typed": {head + `:a :b "1"^^x:t, "t"@en-GB, "t"@de-1996, "u"^^<http://www.w3.org/2001/XMLSchema#date>, :v .`, []string{
			`<e:a> <e:b> "1"^^http://x/t`, `<e:a> <e:b> "t"^^langString@en-GB`, `<e:a> <e:b> "t"^^langString@de-1996`, `<e:a> <e:b> "u"^^date`, `<e:a> <e:b> <e:v>`}},
		"numbers": {head + ":a :b 1, -2, +3, 1.5, -.5, 1e3, 1.E-3, 4.", []string{
			`<e:a> <e:b> "1"^^integer`, `<e:a> <e:b> "-2"^^integer`, `<e:a> <e:b> "+3"^^integer`, `<e:a> <e:b> "1.5"^^decimal`,
			`<e:a> <e:b> "-.5"^^decimal`, `<e:a> <e:b> "1e3"^^double`, `<e:a> <e:b> "1.E-3"^^double`, `<e:a> <e:b> "4"^^integer`}},
		"blank labels": {"_:a.b <e:p> _:1. _:g { _:a <e:p> 1 }",
			[]string{"_:a.b <e:p> _:1", `_:a <e:p> "1"^^integer _:g`}},
		"escaped IRI":     {`<e:\u00e9\U00000041> <e:b> <e:c>.`, []string{"<e:éA> <e:b> <e:c>"}},
		"byte order mark": {"\ufeff@prefix : <e:> . :a :b :c .", []string{"<e:a> <e:b> <e:c>"}},
		"relative to a base": {"@base <http://é/d/> . @prefix : <bar#> . <ü?> :a <#日> .",
			[]string{"<http://é/d/ü?> <http://é/d/bar#a> <http://é/d/#日>"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(strings.NewReader(c.text), trig.TriG)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			// The quads do not depend on where the window ends.
			slow, err := read(iotest.OneByteReader(strings.NewReader(c.text)), trig.TriG)
			if diff := cmp.Diff(c.want, slow); err != nil || diff != "" {
				t.Errorf("a byte at a time: %v %s", err, diff)
			}
		})
	}
}

func TestReaderNQuads(t *testing.T) {
	const text = "# c\n<e:a> <e:b> \"x\\ny\"^^<e:t> <e:g> .\n_:a <e:b> \"z\"@en .\n<e:a> <e:b> _:c _:g ."
	want := []string{`<e:a> <e:b> "x\ny"^^e:t <e:g>`, `_:a <e:b> "z"^^langString@en`, "<e:a> <e:b> _:c _:g"}
	got, err := read(strings.NewReader(text), trig.NQuads)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestSyntaxError(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		msg          string
	}{
		{"<e:a> <e:b> .", 1, 13, "expected a number"},
		{"<e:a>\n <e:b> <e:c> <e:d> .", 2, 14, "expected , ; or . after an object"},
		{"<e:g> {\n<e:a> <e:b> 1 .\n", 3, 1, "the text ends inside a graph: } is missing"},
		{"<e:a> <e:b> \"c", 1, 15, "the text ends inside a string"},
		{"<e:a> <e:b> \"c\nd\" .", 1, 15, "a string must end on its line, unless it has three quotes"},
		{"<e:a> <e:b> '''c", 1, 17, "the text ends inside a long string"},
		{`<e:a> <e:b> "\x" .`, 1, 14, "unknown escape in a string"},
		{`<e:a> <e:b> "\u12" .`, 1, 14, `hex digits are missing after \u or \U`},
		{`<e:a> <e:b> "\uD800" .`, 1, 14, "escape that is no character"},
		{"<e:a> <e:b> \"\xff\" .", 1, 16, "invalid UTF-8"},
		{"<e:a b> <e:b> 1 .", 1, 5, "character ' ' in an IRI"},
		{"<a> <e:b> 1 .", 1, 4, "relative IRI <a> without a base"},
		{"p:a <e:b> 1 .", 1, 2, "prefix p: is not defined"},
		{"<e:a> b 1 .", 1, 8, "expected a predicate"},
		{"<e:a> <e:b> yes .", 1, 16, "expected an object"},
		{"} ", 1, 1, "} without a graph"},
		{"<e:g> { <e:h> { } }", 1, 15, "{ inside a graph"},
		{"<e:g> { @prefix p: <e:> . }", 1, 9, "directive inside a graph"},
		{"@prefix p: <e:>\n<e:a> <e:b> 1 .", 2, 1, "expected . after a directive"},
		{"@prefix p <e:> .", 1, 10, "expected a prefix and :"},
		{"<e:a> <e:b> [] .", 1, 13, "anonymous blank nodes and collections are not read: give the node a label"},
		{"(1 2) <e:b> 1 .", 1, 1, "anonymous blank nodes and collections are not read: give the node a label"},
		{"<e:a> <e:b> 1", 1, 14, "the text ends inside a statement"},
		{"<e:a> <e:b> 1 ;", 1, 16, "the text ends inside a statement"},
		{`<e:a\u0020> <e:b> 1 .`, 1, 11, "escape of a character that no IRI holds"},
		{"<e:a> <e:b> 'x'@1 .", 1, 18, "expected a language tag after @, as en or pt-BR"},
		{"<e:a> <e:b> 'x'@en- .", 1, 20, "expected a language tag after @, as en or pt-BR"},
		{"<e:a> <e:b> '''x'''' .", 1, 20, "expected , ; or . after an object"},
		{"PREFIX : <e:> :a :b :-c .", 1, 22, "expected , ; or . after an object"},
		{"PREFIX : <e:> :a :b :.c .", 1, 24, "expected a subject"},
		{"PREFIX 1a: <e:> .", 1, 10, "a prefix must begin with a letter"},
		{"_:-a <e:b> 1 .", 1, 3, "expected the label of a blank node after _:"},
		{"<e:a> <e:b> _:.c .", 1, 15, "expected the label of a blank node after _:"},
		{"\x00", 1, 1, "unexpected character U+0000"},
	} {
		_, err := read(strings.NewReader(c.text), trig.TriG)
		want := &trig.SyntaxError{Line: c.line, Column: c.column, Msg: c.msg}
		var got *trig.SyntaxError
		if !errors.As(err, &got) || *got != *want {
			t.Errorf("%q: got %v, want %v", c.text, err, want)
		}
	}
}

// Lines and columns count from the start of the text, not of the reader's window.
func TestSyntaxErrorFarIn(t *testing.T) {
	text := strings.Repeat("<e:a> <e:b> 'é' .\n", 50_000) + "<e:a>  \t<e:b> ?"
	_, err := read(strings.NewReader(text), trig.TriG)
	if want := "line 50001, column 15: unexpected character '?'"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An error of the underlying reader takes precedence over the syntax error that it causes.
func TestReaderError(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "<e:a> <e:b> \"c", "<e:g> {"} {
		_, err := read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), trig.TriG)
		if !errors.Is(err, broken) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// A clone does not change with the next Scan.
func TestClone(t *testing.T) {
	r := trig.NewReader(strings.NewReader(`<e:g> { <e:a> <e:b> "x"@en . <e:longer> <e:longer> <e:longer> }`), trig.TriG)
	r.Scan()
	first := r.Record().Clone()
	if !r.Scan() || show(first.Subject) == show(r.Record().Subject) || show(first.Graph) != show(r.Record().Graph) {
		t.Fatal(r.Err())
	}
	if got := showQuad(&first); got != `<e:a> <e:b> "x"^^langString@en <e:g>` {
		t.Error(got)
	}
}
