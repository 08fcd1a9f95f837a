package verify

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"s2g/graph/trig"
)

// BenchmarkCountQuads reads and counts a file of the graph, with bodies as long as
// those of real posts.
func BenchmarkCountQuads(b *testing.B) {
	f := newFixture(b)
	var text bytes.Buffer
	text.WriteString("@prefix so: <http://stackoverflow.com/schema#> .\n@prefix q: <http://stackoverflow.com/questions/> .\n<http://stackoverflow.com/python> {\n")
	body := bytes.Repeat([]byte("<p>a body of a post</p>"), 40)
	for post := range batchQuads / 5 {
		fmt.Fprintf(&text, "q:%d a so:Question ;\n so:score 7 ;\n so:hasTitle \"A title of a post\" ;\n so:hasBody \"%s\" ;\n so:postId %d .\n", post, body, post)
	}
	text.WriteString("}\n")
	const name = "graph/batch-000001.trig"
	f.files[name] = text.String()
	out := f.write(b)
	v, err := newVerifier(out, true, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		c := newQuadCounter(v)
		difference, err := v.readQuads(b.Context(), file{name: filepath.ToSlash(name)}, func(q *trig.Quad) string { return c.count(q) })
		if difference != "" || err != nil {
			b.Fatal(difference, err)
		}
	}
	b.ReportMetric(float64(b.N*batchQuads)/b.Elapsed().Seconds(), "quads/s")
}
