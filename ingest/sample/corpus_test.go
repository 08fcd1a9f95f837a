package sample

import (
	"slices"
	"strings"
	"testing"

	"s2g/schema"
)

func testCorpus(t *testing.T) *corpus {
	t.Helper()
	c, err := newCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLanguages checks that the corpus has every language of the program's table.
func TestLanguages(t *testing.T) {
	c := testCorpus(t)
	for _, l := range schema.DefaultLanguages() {
		if !slices.ContainsFunc(c.languages, func(x *language) bool { return x.tag == l.Tag }) {
			t.Errorf("no questions on %s", l.Tag)
		}
	}
}

// TestPlaceholdersAreFilled finds placeholders whose names are misspelt, which would
// be written unchanged.
func TestPlaceholdersAreFilled(t *testing.T) {
	c := testCorpus(t)
	check := func(where string, p phrase) {
		for _, part := range p[plain] {
			if strings.ContainsAny(string(part.text), "{}") {
				t.Errorf("%s: %q", where, part.text)
			}
		}
	}
	for name, all := range c.prose {
		for _, p := range all {
			check("prose.txt: "+name, p)
		}
	}
	for _, l := range c.languages {
		for _, topic := range l.topics {
			for _, p := range slices.Concat(slices.Concat(topic.act...), topic.symptom, topic.cause, topic.fix) {
				check(topic.name, p)
			}
		}
	}
}

func TestPhrase(t *testing.T) {
	s := &site{corpus: &corpus{}}
	l := &language{name: newPhrase("C++"), style: pascal}
	v := &bodyWriter{site: s, language: l, thread: &thread{subject: subject{language: l, topic: &topic{fn: newIdentifier("sort by key")}}, domain: &domain{}}}
	for _, tc := range []struct {
		src    string
		format format
		want   string
	}{
		{"a `b<c>` in **{lang}** & \"d\"", plain, `a b&lt;c&gt; in C++ &amp; &quot;d&quot;`},
		{"a `b<c>` in **{lang}** & \"d\"", markdown, "a `b&lt;c&gt;` in **C++** &amp; &quot;d&quot;"},
		{"a `b<c>` in **{lang}** & \"d\"", html, `a &lt;code&gt;b&amp;lt;c&amp;gt;&lt;/code&gt; in &lt;strong&gt;C++&lt;/strong&gt; &amp;amp; &quot;d&quot;`},
		{"[x](http://y/{fn})", html, `&lt;a href=&quot;http://y/SortByKey&quot; rel=&quot;nofollow noreferrer&quot;&gt;x&lt;/a&gt;`},
		{"{{fn}} {no}", plain, `{SortByKey} {no}`},
		{"2 * 3", html, `2 * 3`},
	} {
		v.buf = v.buf[:0]
		v.write(newPhrase(tc.src)[tc.format], tc.format)
		if got := string(v.buf); got != tc.want {
			t.Errorf("%q as %d: %q, want %q", tc.src, tc.format, got, tc.want)
		}
	}
}

func TestNames(t *testing.T) {
	got := newIdentifier("sort by key")
	for style, want := range map[spelling]string{snake: "sort_by_key", camel: "sortByKey", pascal: "SortByKey", kebab: "sort-by-key", upper: "SORT-BY-KEY"} {
		if string(got[style]) != want {
			t.Errorf("style %d: %s, want %s", style, got[style], want)
		}
	}
}
