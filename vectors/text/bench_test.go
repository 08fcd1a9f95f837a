package text

import (
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema/schematest"
)

// page1000 is an ordinary post: half prose with links and inline code, half code.
var page1000 = strings.Repeat(`<p>I have a <code>Map&lt;String, List&lt;Integer&gt;&gt;</code> and want to sort it by the size of its values; the
<a href="https://example.org/docs/api/java/util/Map.html" rel="nofollow noreferrer">documentation</a> doesn&#39;t say how. I tried this:</p>

<pre class="lang-java prettyprint-override"><code>public static void main(String[] args) {
    Map&lt;String, List&lt;Integer&gt;&gt; m = new HashMap&lt;&gt;();
    for (Map.Entry&lt;String, List&lt;Integer&gt;&gt; e : m.entrySet()) {
        System.out.println(e.getKey() + ": " + e.getValue().size());
    }
}
</code></pre>

<ul>
<li>It prints them in <em>any</em> order,</li>
<li>and a <strong>TreeMap</strong> sorts by key.</li>
</ul>

<p>What is the shortest way to get them by size, the largest first, without a library? I am on Java 8, and there are
about ten thousand entries, so speed is not what matters most to me here.</p>
`, 1)

func BenchmarkClean(b *testing.B) {
	var c Cleaner
	b.SetBytes(int64(len(page1000)))
	b.ReportAllocs()
	before := schematest.CPUSeconds("")
	for b.Loop() {
		c.Clean([]byte(page1000), nil)
	}
	b.ReportMetric(float64(len(page1000))*float64(b.N)/1e6/(schematest.CPUSeconds("")-before), "MB/cpu-s")
}

func BenchmarkCleanDump(b *testing.B) {
	benchmarkClean(b, bodies(b, "bioinformatics.stackexchange.com"))
}

func BenchmarkCleanSample(b *testing.B) {
	folder := b.TempDir()
	if _, err := sample.Write(b.Context(), sample.Options{Posts: 5000, Out: folder}); err != nil {
		b.Fatal(err)
	}
	benchmarkClean(b, schematest.Bodies(b, folder))
}

func benchmarkClean(b *testing.B, posts []string) {
	n := 0
	for _, p := range posts {
		n += len(p)
	}
	var c Cleaner
	b.SetBytes(int64(n))
	b.ReportAllocs()
	before := schematest.CPUSeconds("")
	for b.Loop() {
		for _, p := range posts {
			c.Clean([]byte(p), nil)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/1e6/(schematest.CPUSeconds("")-before), "MB/cpu-s")
}

func BenchmarkChunks(b *testing.B) {
	var c Cleaner
	cleaned := c.Clean([]byte(strings.Repeat(page1000, 10)), nil)
	b.SetBytes(int64(len(cleaned)))
	b.ReportAllocs()
	for b.Loop() {
		Chunks("How do I sort a map by the size of its values?", cleaned, 512, 64)
	}
}

func BenchmarkTokens(b *testing.B) {
	var c Cleaner
	cleaned := c.Clean([]byte(page1000), nil)
	b.SetBytes(int64(len(cleaned)))
	for b.Loop() {
		EstimateTokens(cleaned)
	}
}
