package text

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNoiseInCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	base64 := func(n int) string {
		var b []byte
		for range n {
			b = append(b, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rng.IntN(64)])
		}
		return string(b)
	}
	hexBytes := func(lines int) (s string) {
		for i := range lines {
			s += fmt.Sprintf("\n%08x  7f 45 4c 46 02 01 01 00  00 00 aa 00 be ef 00 ff", 16*i)
		}
		return s[1:]
	}
	logLines := func(n int) (s string) {
		for i := range n {
			s += fmt.Sprintf("\n2017-03-01 10:00:%02d,123 INFO  [main] c.e.App - step %d", i, i)
		}
		return s[1:]
	}
	b1, b2, b3 := base64(64), base64(64), base64(200)
	minified := "!function(a,b){" + strings.Repeat("a.b=function(c,d){return c?d:e[c];},", 20) + "}(c,d);"
	tests := []struct {
		name, code, want string
		rules            []string // of the drops
	}{
		{"hex dump", hexBytes(6) + "\nend", hexBytes(2) + "\n...\nend", []string{ruleHex}},
		{"hex dump, short", hexBytes(3), "", nil},
		{"matrix", strings.Repeat("10 20 30 40 50 60 70 80 90 10\n11 21 31 41 51 61 71 81 91 11\n", 3) + "end", "", nil},
		{"hex run", "x = " + strings.Repeat("0123456789abcdef", 8), "x = 0123456789abcdef...", []string{ruleHex}},
		{"hash", "sha256 " + strings.Repeat("0123456789abcdef", 4), "", nil},

		{"base64", "-----BEGIN-----\n" + b1 + "\n" + b2 + "\n" + b1 + "\n" + b2[:20] + "==\n-----END-----", "-----BEGIN-----\n" + b1 + "\n...\n-----END-----", []string{ruleBase64}},
		{"base64 in a line", "url(data:image/png;base64," + b3 + ")", "url(data:image/png;base64," + b3[:32] + "...)", []string{ruleBase64}},
		{"nucleotides", ">chr1\n" + strings.Repeat(strings.Repeat("ACGTTGCAAC", 7)+"\n"+strings.Repeat("TTGACGTACC", 7)+"\n", 3) + "end", "", nil},
		{"path", "/" + strings.Repeat("usr/local/share/", 10), "", nil},

		{"repeated", "a\nx 1\nx 1\nx 1\nx 1\nx 1\nb", "a\nx 1\n...\nb", []string{ruleRepeated}},
		{"three times", "a\nx 1\nx 1\nx 1\nb", "", nil},

		{"log", logLines(10) + "\n2017-03-01 10:01:00,123 ERROR [main] c.e.App - it failed\n2017-03-01 10:01:00,123 INFO  [main] c.e.App - bye",
			"2017-03-01 10:00:00,123 INFO  [main] c.e.App - step 0\n2017-03-01 10:00:01,123 INFO  [main] c.e.App - step 1\n...\n2017-03-01 10:01:00,123 ERROR [main] c.e.App - it failed\n2017-03-01 10:01:00,123 INFO  [main] c.e.App - bye", []string{ruleLog}},
		{"log, short", logLines(7), "", nil},
		{"logcat", strings.Repeat("D/dalvikvm(1234): GC freed\nI/Activity(12): x\n", 6), "D/dalvikvm(1234): GC freed\nI/Activity(12): x\n...\nI/Activity(12): x", []string{ruleLog}},
		{"measurements", strings.Repeat("2017-03-01 10:00:00  1.5\n2017-03-01 10:00:05  1.7\n", 6), "", nil},
		{"shouting", strings.Repeat("INFORMATION is x\nERROR handling y\n", 6), "", nil},

		{"minified", "<script>\n" + minified + "\n</script>", "<script>\n" + minified[:80] + "...\n</script>", []string{ruleMinified}},
		{"long line of code", strings.Repeat("int value = compute_the_value(argument); ", 20), "", nil},
		{"very long line", strings.Repeat("some words in a line ", 60), strings.Repeat("some words in a line ", 60)[:500] + "...", []string{ruleLongLine}},
	}
	for _, tt := range tests {
		var c Cleaner
		got := c.Clean([]byte("<pre><code>"+html.EscapeString(tt.code)+"</code></pre>"), nil)
		want := tt.want
		if want == "" {
			want = strings.TrimSpace(tt.code)
		}
		if diff := cmp.Diff("```\n"+strings.TrimRight(want, " \n")+"\n```", got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		var rules []string
		for _, d := range c.Drops() {
			rules = append(rules, d.Rule)
			if NoiseRuleMeaning(d.Rule) == "" {
				t.Errorf("rule %s has no meaning", d.Rule)
			}
		}
		if diff := cmp.Diff(tt.rules, rules); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestNoiseInProse has text that was pasted without a mark as code.
func TestNoiseInProse(t *testing.T) {
	trace := "java.io.IOException: x\n at com.acme.A.b(A.java:1)\n at java.util.C.d(C.java:2)\n at java.util.C.e(C.java:3)\n at java.util.C.f(C.java:4)"
	long := "http://example.org/" + strings.Repeat("path-", 50)
	tests := []struct{ name, html, want string }{
		{"trace", "<p>" + trace + "</p>", "java.io.IOException: x\n at com.acme.A.b(A.java:1)\n..."},
		{"trace with breaks", "<p>" + strings.ReplaceAll(trace, "\n", "<br>\n") + "</p>", "java.io.IOException: x\nat com.acme.A.b(A.java:1)\n..."},
		{"lines", "<p>one\ntwo\nthree\nfour\nfive</p>", "one two three four five"},
		{"long word", "<p>see " + long + " there</p>", "see " + long[:100] + "... there"},
		{"no spaces", "<p>" + strings.Repeat("日本語の文章", 50) + "</p>", strings.Repeat("日本語の文章", 50)},
	}
	var c Cleaner
	for _, tt := range tests {
		if diff := cmp.Diff(strings.ReplaceAll(tt.want, "\n at", "\nat"), c.Clean([]byte(tt.html), nil)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestDrops has text that the last call alone dropped.
func TestDrops(t *testing.T) {
	var c Cleaner
	image := `<p><img alt="enter image description here">x</p>`
	c.Clean([]byte(image+image), nil)
	c.Clean([]byte(image), nil)
	if diff := cmp.Diff([]Drop{{rulePlaceholder, "enter image description here"}}, c.Drops()); diff != "" {
		t.Error(diff)
	}
}
