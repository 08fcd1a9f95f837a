package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"empty", "", ""},
		{"blank", "<p> \n </p>\n", ""},
		{"paragraphs", "<p>One\n two.</p>\n\n<p>Three.</p>\n", "One two.\n\nThree."},
		{"no markup", "just text", "just text"},
		{"break", "<p>one<br>\ntwo<br/>three</p>", "one\ntwo\nthree"},
		{"entities", "<p>a &lt; b &amp;&amp; c &gt; d &quot;e&quot; &#39;f&#39; &eacute;&nbsp;&hellip;</p>", "a < b && c > d \"e\" 'f' é …"},
		{"emphasis", "<p>a <strong>b</strong><em>c</em> <i>d</i>.</p>", "a bc d."},
		{"struck out", "<p>a <strike>b c</strike>* <s> d</s> <del></del>e<del>f", "a ~~b c~~* ~~d~~ e~~f~~"},
		{"struck out paragraph", "<p>a</p><del><p>b</p></del><p>c</p>", "a\n\nb\n\nc"},
		{"link", `<p>See <a href="http://e.org/x" rel="nofollow">the manual</a>.</p>`, "See the manual."},
		{"image", `<p>Look: <img src="x.png" alt="a plot of x"></p>`, "Look: a plot of x"},
		{"editor's image", `<p><a href="x"><img src="x.png" alt="enter image description here"></a></p>`, ""},
		{"inline code", "<p>call <code>f(x)</code>, not <code> a`b </code>!</p>", "call `f(x)`, not `` a`b `` !"},
		{"empty code", "<p>a <code></code> b</p>", "a b"},
		{"kbd", "<p><kbd>Ctrl</kbd>+<kbd>C</kbd></p>", "Ctrl+C"},
		{"superscript", "<p>10<sup>-3</sup> m<sup>2</sup>, 1<sup>st</sup>, H<sub>2</sub>O <sup>1</sup></p>", "10^-3 m^2, 1st, H2O 1"},
		{"footnotes", "<p>as shown<sup>1</sup>, and here<sup>[2]</sup>, since 1990<sup>3</sup></p><p><sup>1</sup>Who, Where.<br><sup>2</sup> What</p><p><sup>small print</sup></p>",
			"as shown[1], and here[2], since 1990^3\n\n[1] Who, Where.\n[2] What\n\nsmall print"},
		{"footnotes behind clauses", "<p>read this:<sup>1</sup> it says “so.”<sup>2</sup> (a, b)<sup>2</sup>, x'<sup>2</sup></p>", "read this:[1] it says “so.”[2] (a, b)^2, x'2"},
		{"heading", "<h2>How to</h2><p>do it</p>", "## How to\n\ndo it"},
		{"rule", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"},
		{"code", "<pre><code>if x:\n    y &lt; 1  \n\n\n\nz\n</code></pre>", "```\nif x:\n    y < 1\n\nz\n```"},
		{"code of a language", `<pre class="lang-py prettyprint-override"><code>x</code></pre>`, "```py\nx\n```"},
		{"language of the code", `<pre><code class="hljs language-C++">x</code></pre>`, "```c++\nx\n```"},
		{"no language", `<pre class="lang-none"><code>x</code></pre>`, "```\nx\n```"},
		{"language in a comment", "<!-- language: lang-r -->\n\n<pre><code>x</code></pre><pre><code>y</code></pre>", "```r\nx\n```\n\n```\ny\n```"},
		{"language of all", "<!-- language-all: lang-sh --><pre><code>x</code></pre><pre><code>y</code></pre>", "```sh\nx\n```\n\n```sh\ny\n```"},
		{"snippet", `<div class="snippet" data-lang="js"><div class="snippet-code"><pre class="snippet-code-js lang-js prettyprint-override"><code>x()</code></pre></div></div>`, "```js\nx()\n```"},
		{"whole snippet", "<p>a</p>\n\n<p><div class=\"snippet\" data-lang=\"js\" data-hide=\"false\">\r\n<div class=\"snippet-code\">\r\n<!-- begin snippet: js hide: false console: true babel: false -->\n\n<!-- language: lang-js -->\n" +
			"<pre class=\"snippet-code-js lang-js prettyprint-override\"><code>f()</code></pre>\r\n<!-- language: lang-html -->\n<pre class=\"snippet-code-html lang-html prettyprint-override\"><code>&lt;b&gt;</code></pre>\r\n" +
			"<!-- end snippet -->\n</div>\r\n</div>\r\n</p>\n\n<pre><code>x</code></pre>", "a\n\n```js\nf()\n```\n\n```html\n<b>\n```\n\n```\nx\n```"},
		{"fence in code", "<pre><code>```\nx\n```\n</code></pre>", "````\n```\nx\n```\n````"},
		{"empty pre", "<p>a</p><pre><code>\n\n</code></pre><p>b</p>", "a\n\nb"},
		{"list", "<ul>\n<li>one</li>\n<li>two <code>x</code></li>\n</ul>\n<p>end</p>", "- one\n- two `x`\n\nend"},
		{"ordered", "<ol><li>a</li><li>b<pre><code>x\ny</code></pre></li><li>c</li></ol>", "1. a\n2. b\n\n   ```\n   x\n   y\n   ```\n\n3. c"},
		{"ordered from", "<ol start=\"9\"><li>a</li><li>b</li></ol><ol start=x><li>c</ol>", "9. a\n10. b\n\n1. c"},
		// blank lines between items of paragraphs mark the end of an item of several; items of bare text have none
		{"loose list", "<ul><li><p>a</p></li><li><p>b</p><p>c</p></li><li><p>d</p></li></ul>", "- a\n\n- b\n\n  c\n\n- d"},
		{"tight list", "<ul><li>a</li>\n\n<li>b</li>\n\n<li>c</li></ul>", "- a\n- b\n- c"},
		{"mixed list", "<ol><li>a</li><li><p>b</p></li><li>c</li></ol>", "1. a\n2. b\n\n3. c"},
		// many bold paragraphs are warnings, not headings, and are embedded like other text
		{"bold paragraph", "<p><strong>Details</strong></p><p><b>Do not do this.</b></p><h3>Details</h3>", "Details\n\nDo not do this.\n\n### Details"},
		{"nested list", "<ul><li>a\n<ul><li>b</li><li>c</li></ul></li><li>d</li></ul><p>e</p>", "- a\n  - b\n  - c\n- d\n\ne"},
		{"quote", "<p>He:</p><blockquote>\n<p>a</p>\n<p>b</p>\n<ul><li>c</li></ul></blockquote><p>I</p>", "He:\n\n> a\n>\n> b\n>\n> - c\n\nI"},
		{"quote in an item", "<ul><li><blockquote>a</blockquote>b</li><li>c</li></ul>", "- > a\n\n  b\n- c"},
		{"quotes in items", "<ul><li><blockquote><p>a</p><p>b</p></blockquote></li><li><blockquote>c</blockquote></li></ul>", "- > a\n  >\n  > b\n\n- > c"},
		{"list in a quote", "<blockquote><ul><li><p>a</p></li><li><p>b</p></li></ul></blockquote>", "> - a\n>\n> - b"},
		{"spoiler", `<blockquote class="spoiler"><p>the end</p></blockquote>`, "> the end"},
		{"table", "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>x</code></td></tr></tbody></table><p>c</p>", "| a | b |\n| --- | --- |\n| 1 | `x` |\n\nc"},
		{"table without a head", "<p>a</p><table><tr><td>1<br>2</td><td><p>3</p></td></table>", "a\n\n| 1 2 | 3 |"},
		{"maths", "<p>Let $a &lt; b$: $$\\sum_i x_i$$</p>", "Let $a < b$: $$\\sum_i x_i$$"},
		{"maths in colours", `<p>$\color{red}i$, $x_\color {red}i + \alpha\color[RGB]{1,2,3}b$, $$\textcolor{red}{y}\cdot{\color{blue}{\frac{x_\color{red}i}{2}}}$$</p>`,
			`$i$, $x_i + \alpha b$, $${y}\cdot{{\frac{x_i}{2}}}$$`},
		{"colours outside of maths", `<p>Use <code>$\color{red}x$</code>, \color{red} or \definecolor{red} for $5 and $a with <code>\color{red}</code>, $b; $$ in \color{red} bash; $ \definecolor{x} $</p>`,
			"Use `$\\color{red}x$`, \\color{red} or \\definecolor{red} for $5 and $a with `\\color{red}`, $b; $$ in \\color{red} bash; $ \\definecolor{x} $"},
		{"maths in lines", "<p>So\nthat\n$$\n\\begin{align}\na &amp;= b \\\\\nc &amp;= d\n\\end{align}\n$$\nand\n$\\alpha\n= 1$.</p>", "So that $$\n\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}\n$$ and $\\alpha = 1$."},
		{"dollars in lines", "<p>From $$\nto\n$$ and C:\\x</p>", "From $$ to $$ and C:\\x"},
		{"code that is a paragraph", "<p>As:</p><p><code>\nfor x in y:\n    f(x)\n</code></p><ul><li><code>a<br>  b</code><br></li></ul>", "As:\n\n```\nfor x in y:\n    f(x)\n```\n\n- ```\n  a\n    b\n  ```"},
		{"code that is not", "<p><code>\na b\n</code></p><p><code>a\nb</code>, c</p><p>d\n<code>a\nb</code></p><p><code>a</code>\n<code>b</code></p><h2><code>a\nb</code></h2><table><tr><td><code>a\nb</code></td></tr></table>",
			"`a b`\n\n`a b`, c\n\nd `a b`\n\n`a` `b`\n\n## `a b`\n\n| `a b` |"},
		{"invisible", "<p>a\u200bb\u00adc \ufeffd\x07e</p><pre>x\u00a0y\x1b</pre>", "abc de\n\n```\nx y\n```"},
		{"joiners stay", "<p>👩\u200d💻 می\u200cخواهم</p>", "👩\u200d💻 می\u200cخواهم"},
		{"scripts", "<p>a</p><script>var x = '<p>';</script><style>p{}</style><p>b</p>", "a\n\nb"},
		{"comment", "<p>a<!-- b --> c</p>", "a c"},
		{"never closed", "<blockquote><p>a <code>b<pre><code>c", "> a `b`\n>\n> ```\n> c\n> ```"},
		{"never opened", "</ul></p></pre></td></code>a</li></blockquote>", "a"},
		{"unknown tags", "<p><foo>a</foo> <o:p>b</o:p> c<p-x>d</p-x></p>", "a b cd"},
		{"invalid UTF-8", "<p>a\xffb</p>", "a\uFFFDb"},
	}
	var c Cleaner
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, c.Clean([]byte(tt.html), nil)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestCleanOptions(t *testing.T) {
	tests := []struct {
		name       string
		c          Cleaner
		html, want string
	}{
		{"language of the post", Cleaner{Languages: []schema.Language{{Tag: "python"}}}, `<pre><code>a</code></pre><pre class="lang-r"><code>b</code></pre><pre class="lang-none"><code>c</code></pre>`,
			"```python\na\n```\n\n```r\nb\n```\n\n```\nc\n```"},
		{"a comment is nearer", Cleaner{Languages: []schema.Language{{Tag: "python"}}}, `<!-- language-all: lang-sh --><pre><code>a</code></pre>`, "```sh\na\n```"},
		{"links", Cleaner{Links: true}, `<p>See <a href="https://e.org/a?b&amp;c">the <em>manual</em></a>, <a href="/q/1"><code>f()</code></a>, <a href="https://e.org">https://e.org</a>.</p>`,
			"See [the manual](https://e.org/a?b&c), [`f()`](/q/1), https://e.org."},
		{"odd links", Cleaner{Links: true}, `<p><a href="x"></a><a>b</a> <a href="c d">e</a> <code>x<a href="y">z</a></code><a href="f">g<p>h</a></p><pre><a href="i">j</a></pre>`,
			"b e `xz`[g](f)\n\nh\n\n```\nj\n```"},
	}
	for _, tt := range tests {
		for range 2 { // a cleaner is reused
			if diff := cmp.Diff(tt.want, tt.c.Clean([]byte(tt.html), []byte("|python|"))); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
	}
}

// TestCodeHasTheLanguageOfTheTags has code that names no language.
func TestCodeHasTheLanguageOfTheTags(t *testing.T) {
	languages, err := schema.ParseLanguages("c#,java,python")
	if err != nil {
		t.Fatal(err)
	}
	c := Cleaner{Languages: languages}
	for tags, want := range map[string]string{"|python|java|": "java", "|pandas|python|": "python", "|pandas|": "", "": "", "|java|c#|": "c#"} {
		if got := c.Clean([]byte("<pre><code>x</code></pre>"), []byte(tags)); got != "```"+want+"\nx\n```" {
			t.Errorf("%q: %q, want the language %q", tags, got, want)
		}
	}
}

// TestCodeOfAWholeSite checks that the tags of the default table name code where no language is selected beside the site.
func TestCodeOfAWholeSite(t *testing.T) {
	site := schema.SiteLanguage()
	for _, c := range []struct {
		languages []schema.Language
		want      string
	}{
		{[]schema.Language{site}, "c#"},
		{[]schema.Language{{Tag: "linq"}, site}, "linq"},
		{nil, ""},
	} {
		cleaner := Cleaner{Languages: c.languages}
		if got := cleaner.Clean([]byte("<pre><code>x</code></pre>"), []byte("|linq|c#|*|")); got != "```"+c.want+"\nx\n```" {
			t.Errorf("%v: %q, want the language %q", c.languages, got, c.want)
		}
	}
}

// FuzzClean checks the contract of Clean for any input, and that a used cleaner returns the same as a new one.
func FuzzClean(f *testing.F) {
	f.Add("<p>a <code>b</code></p><pre><code>c</code></pre>")
	f.Add("<ol><li><blockquote>a<table><tr><td>b<pre>c</table></blockquote><ul><li><li>")
	f.Add(page1000)
	var used Cleaner
	f.Fuzz(func(t *testing.T, html string) {
		var fresh Cleaner
		got := used.Clean([]byte(html), nil)
		if again := fresh.Clean([]byte(html), nil); got != again {
			t.Errorf("%q, then %q", got, again)
		}
		if !utf8.ValidString(got) || strings.TrimRight(got, " \t\n") != got || strings.HasPrefix(got, "\n") {
			t.Errorf("%q", got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("a control character at %d of %q", i, got)
		}
	})
}

// TestCleanDump cleans and cuts the posts of a real dump.
func TestCleanDump(t *testing.T) {
	var c Cleaner
	posts, many := 0, 0
	for _, html := range bodies(t, "bioinformatics.stackexchange.com") {
		cleaned := c.Clean([]byte(html), nil)
		if strings.TrimSpace(cleaned) == "" && strings.Contains(html, "<p>") {
			t.Errorf("nothing is left of %.200q", html)
		}
		for _, size := range []int{512, 40} {
			chunks := Chunks("The title", cleaned, size, size/8)
			check(t, "The title", cleaned, size, size/8, chunks)
			many += min(1, len(chunks)-1)
		}
		posts++
	}
	if posts < 1000 || many < 100 {
		t.Errorf("%d posts, %d cut", posts, many)
	}
}

// bodies returns the bodies of a real dump's posts.
func bodies(t testing.TB, site string) []string {
	t.Helper()
	return schematest.Bodies(t, schematest.Dump(t, site))
}
