package vectors

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"s2g/schema/manifest"
	"s2g/vectors/shard"
)

// formatOfFiles is the shard.Format of the files with the hash hashOfFiles. Both change together.
const (
	formatOfFiles = 5
	hashOfFiles   = "e3f4b409d4e3e5c6131b608bd626d73d13b3aaa82b9bda0f67c54bd3d0a98025"
)

// everyForm returns a post with each form of HTML that the text shows, and something for each rule of cleaning.
func everyForm() string {
	var b strings.Builder
	b.WriteString(`<h2>Title</h2><p>A <b>bold</b> <a href="http://x.test/">link</a> with <code>code</code> &amp; a formula $\color{red}{x^2}$.</p>
<ul><li>one</li><li>two</li></ul><ol><li>first</li></ol><blockquote><p>quoted</p></blockquote><table><tr><td>a</td><td>b</td></tr></table>
<p><img src="y.png" alt="enter image description here"><img src="z.png" alt="a plot"></p>`)
	for _, code := range []string{
		"java.lang.Error: x\n\tat com.acme.Shop.buy(Shop.java:12)" + strings.Repeat("\n\tat org.hibernate.A.a(A.java:1)", 5),
		strings.Repeat("00000010  7f 45 4c 46 02 01 01 00  00 00 aa 00 be ef 00 ff\n", 3) + strings.Repeat("00000020  7f 45 4c 46 02 01 01 00  00 00 aa 00 be ef 00 fe\n", 3),
		"url(" + strings.Repeat("aGVsbG8gd29ybGQhQk", 12) + ")",
		strings.Repeat("same line\n", 5),
		strings.Repeat("2017-03-01 10:00:00,123 INFO  [main] c.e.App - a step\n2017-03-01 10:00:01,123 INFO  [main] c.e.App - a stop\n", 6),
		"!function(a,b){" + strings.Repeat("a.b=function(c,d){return c?d:e[c];},", 20) + "}(c,d);",
		strings.Repeat("some words in a line ", 60),
	} {
		b.WriteString("<p>Then:</p><pre><code>" + code + "</code></pre>")
	}
	return b.String()
}

// The files of a small dump change only with shard.Format: a build with other files would else be up to date.
func TestFormatIsThatOfTheFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round the builtin model in another way")
	}
	o := smallOptions()
	o.Other = true
	dir := openDir(t, t.TempDir())
	db := load(t, map[string][]row{"Posts": append(posts(), question(50, "|python|java|", "What is all this", everyForm())), "PostLinks": links()})
	if err := smallRun(db, o).intoBuild(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	all := files(t, dir.Out())
	for _, rule := range []string{"stack_trace", "hex_dump", "base64", "repeated", "log", "minified", "long_line", "placeholder"} {
		if dir.Manifest().Stages[manifest.Vectors].Counts["dropped_"+rule] == 0 {
			t.Errorf("no post has anything for the rule %s", rule)
		}
	}
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasSuffix(name, ".parquet") { // the model has a format of its own
			fmt.Fprintf(hash, "%s %x\n", name, sha256.Sum256([]byte(all[name])))
		}
	}
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != hashOfFiles || shard.Format != formatOfFiles {
		t.Errorf("format %d writes files with the hash %s; the files of format %d have %s: raise shard.Format, then enter both here",
			shard.Format, got, formatOfFiles, hashOfFiles)
	}
}
