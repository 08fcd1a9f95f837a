package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// scanned lists the tokens of a document, read by the scanner, or by the tokenizer alone.
func scanned(source string, tokenizerAlone bool) (list []string) {
	var m htmlScanner
	m.reset([]byte(source))
	if tokenizerAlone {
		m.tokenizer = html.NewTokenizer(strings.NewReader(source))
	}
	for {
		kind := m.next()
		switch kind {
		case html.ErrorToken:
			return list
		case html.TextToken:
			list = append(list, fmt.Sprintf("text %q", m.raw))
		case html.StartTagToken, html.SelfClosingTagToken:
			s := fmt.Sprintf("start %v %q", m.tag, m.raw)
			// one attribute of each document, because the tokenizer returns each once for each tag
			list = append(list, fmt.Sprintf("%s %q", s, m.attribute([]string{"class", "href", "alt"}[len(source)%3])))
		case html.EndTagToken:
			list = append(list, fmt.Sprintf("end %v %q", m.tag, m.raw))
		case html.CommentToken:
			list = append(list, fmt.Sprintf("comment %q %q", m.data, m.raw))
		default:
			list = append(list, fmt.Sprintf("%v %q", kind, m.raw))
		}
	}
}

// isPlain reports whether a document is read without the tokenizer.
func isPlain(source string) bool {
	var m htmlScanner
	m.reset([]byte(source))
	for m.next() != html.ErrorToken {
	}
	return m.tokenizer == nil
}

// documents have the forms of posts (plain), and forms that need the tokenizer.
var documents = []struct {
	html  string
	plain bool
}{
	{"", true},
	{"a < b <3 <> <<p>x</p>", true},
	{"a <", true},
	{`<p>a <a href="http://e.org/?a=1&amp;b=2" rel="nofollow noreferrer">b</a><br><br/><hr /></p>`, true},
	{`<IMG alt="x class=" class="a b" src="y" /><img alt="" alt="2">`, true},
	{"<!-- language: lang-py -->\n<pre class=\"lang-py\"><code>a &lt; b</code></pre>", true},
	{"<strong>s</strong> <section>x</section> <input name=\"n\">", true},
	{"<h1 data-Href=\"1\" HREF=\"2\">x</h1>", true},
	{"<abcdefghijklmnopqrstuvwxyz>x</abcdefghijklmnopqrstuvwxyz>", true},

	{"<p class=x>a<p>b", false},
	{"<p class='x'>a", false},
	{"<p  class=\"x\">a", false},
	{"<p\nclass=\"x\">a", false},
	{"<p class=\"x\"id=\"y\">a", false},
	{"<p class=\"x>a", false},
	{"<p class", false},
	{"<input disabled>", false},
	{"<o:p>a</o:p>", false},
	{"</p >a", false},
	{"</>a", false},
	{"</", false},
	{"</1>", false},
	{"<p", false},
	{"a<p/ >", false},
	{"<script>a < b <p></script>c", false},
	{"<TextArea><p></textarea>c<p>", false},
	{"<noframes><p></noframes><plaintext><p>", false},
	{"<!-->a-->b", false},
	{"<!--->a-->b", false},
	{"<!---->b", false},
	{"<!--a--!>b", false},
	{"<!--a-- >b-->c", false},
	{"<!--a&amp;b-->c", false},
	{"<!--a\r\nb-->c", false},
	{"<!-- a", false},
	{"<!doctype html>x", false},
	{"<?xml?>x", false},
	{"<![CDATA[x]]>y", false},
}

func TestHTMLScanner(t *testing.T) {
	for _, d := range documents {
		if diff := cmp.Diff(scanned(d.html, true), scanned(d.html, false)); diff != "" {
			t.Errorf("%q (-tokenizer +scanner):\n%s", d.html, diff)
		}
		if isPlain(d.html) != d.plain {
			t.Errorf("%q: read without the tokenizer: %v", d.html, !d.plain)
		}
	}
}

func FuzzHTMLScanner(f *testing.F) {
	for _, d := range documents {
		f.Add(d.html)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if diff := cmp.Diff(scanned(source, true), scanned(source, false)); diff != "" {
			t.Errorf("(-tokenizer +scanner):\n%s", diff)
		}
	})
}

// TestHTMLScannerOfDumps holds that real posts have the same tokens, and that few need the tokenizer.
func TestHTMLScannerOfDumps(t *testing.T) {
	for _, site := range []string{"bioinformatics.stackexchange.com", "bicycles.meta.stackexchange.com"} {
		posts := bodies(t, site)
		slow := 0
		for _, p := range posts {
			if diff := cmp.Diff(scanned(p, true), scanned(p, false)); diff != "" {
				t.Errorf("%q (-tokenizer +scanner):\n%s", p, diff)
			}
			if !isPlain(p) {
				slow++
			}
		}
		t.Logf("%s: %d of %d posts need the tokenizer", site, slow, len(posts))
		if 20*slow > len(posts) {
			t.Errorf("%s: %d of %d posts need the tokenizer", site, slow, len(posts))
		}
	}
}
