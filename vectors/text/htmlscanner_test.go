package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// tokens lists what markup finds in HTML, or, if it is told to, what the tokenizer finds by itself.
func tokens(source string, slow bool) (list []string) {
	var m markup
	m.reset([]byte(source))
	if slow {
		m.z = html.NewTokenizer(strings.NewReader(source))
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
			list = append(list, fmt.Sprintf("%s %q", s, m.attribute(asked(source))))
		case html.EndTagToken:
			list = append(list, fmt.Sprintf("end %v %q", m.tag, m.raw))
		case html.CommentToken:
			list = append(list, fmt.Sprintf("comment %q %q", m.data, m.raw))
		default:
			list = append(list, fmt.Sprintf("%v %q", kind, m.raw))
		}
	}
}

// asked is the attribute that is asked for, which the tokenizer allows once for each tag.
func asked(source string) string {
	return []string{"class", "href", "alt"}[len(source)%3]
}

// plainly says whether the document was read without the tokenizer.
func plainly(source string) bool {
	var m markup
	m.reset([]byte(source))
	for m.next() != html.ErrorToken {
	}
	return m.z == nil
}

// documents are what posts have (plain), and what has to go to the tokenizer.
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

func TestMarkup(t *testing.T) {
	for _, d := range documents {
		if diff := cmp.Diff(tokens(d.html, true), tokens(d.html, false)); diff != "" {
			t.Errorf("%q (-tokenizer +markup):\n%s", d.html, diff)
		}
		if plainly(d.html) != d.plain {
			t.Errorf("%q: read without the tokenizer: %v", d.html, !d.plain)
		}
	}
}

func FuzzMarkup(f *testing.F) {
	for _, d := range documents {
		f.Add(d.html)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if diff := cmp.Diff(tokens(source, true), tokens(source, false)); diff != "" {
			t.Errorf("(-tokenizer +markup):\n%s", diff)
		}
	})
}

// TestMarkupOfDumps holds that posts as they are give the same tokens, and that few need the tokenizer.
func TestMarkupOfDumps(t *testing.T) {
	for _, site := range []string{"bioinformatics.stackexchange.com", "bicycles.meta.stackexchange.com"} {
		posts := bodies(t, site)
		slow := 0
		for _, p := range posts {
			if diff := cmp.Diff(tokens(p, true), tokens(p, false)); diff != "" {
				t.Errorf("%q (-tokenizer +markup):\n%s", p, diff)
			}
			if !plainly(p) {
				slow++
			}
		}
		t.Logf("%s: %d of %d posts need the tokenizer", site, slow, len(posts))
		if 20*slow > len(posts) {
			t.Errorf("%s: %d of %d posts need the tokenizer", site, slow, len(posts))
		}
	}
}

// TestPlain holds that what is looked at eight bytes at a time is what is looked at byte by byte.
func TestPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "word", "longer words", " ", "  ", "\n", "\t", "\r", "\x00", "\x1f", "!", "~", "\x7f", "\u00a0", "\u00ad", "é", "\u200b", "\ufeff", "漢", "\u2028", "\x80"}
	for range 20_000 {
		var s string
		for range 1 + rng.IntN(12) {
			s += pieces[rng.IntN(len(pieces))]
			if rng.IntN(2) == 0 {
				s += "abcdefgh"[:rng.IntN(9)]
			}
		}
		b := []byte(s)
		if got, want := plainText(b), plainUpTo(b, false); got != want {
			t.Fatalf("%q: %d bytes of prose are plain, want %d", b, got, want)
		}
		if got, want := plainCode(b), plainUpTo(b, true); got != want {
			t.Fatalf("%q: %d bytes of code are plain, want %d", b, got, want)
		}
	}
}

// plainUpTo is the rule of plainText and plainCode, a byte at a time.
func plainUpTo(b []byte, code bool) int {
	for i, c := range b {
		if c >= 0x80 && !mark[c] || c > ' ' && c < 0x7F {
			continue
		}
		_, size := special(b[i:])
		switch {
		case size == 0:
		case code && (c == ' ' || c == '\n' || c == '\t'):
		case !code && c == ' ' && i > 0 && i+1 < len(b) && !mark[b[i+1]]:
		default:
			return i
		}
	}
	return len(b)
}
