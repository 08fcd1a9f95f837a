package projection

import (
	"fmt"
	"strings"
	"testing"
)

// The time that ingest takes for a row of Posts.
func BenchmarkAddLine(b *testing.B) {
	w, err := NewWriter(b.TempDir(), "key")
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	rest := "\t\\N\t5\t20\t" + strings.Repeat("<p>a body of text</p>", 50) + strings.Repeat("\t\\N", 6) + "\ttitle\t"
	id := 0
	var line []byte
	var parser LineParser
	b.ReportAllocs()
	for b.Loop() {
		id++
		line = append(fmt.Appendf(line[:0], "%d\t1\t%d\t\\N\t2008-07-31 21:42:52.667", id, id+2), rest...)
		line = fmt.Appendf(line, "|c#|tag%d|%d|\t1\t2\t\\N\t\\N\t\\N\tCC BY-SA 4.0", id%99, id%4000)
		if err := w.Add(parser.Parse(line)); err != nil {
			b.Fatal(err)
		}
	}
}
