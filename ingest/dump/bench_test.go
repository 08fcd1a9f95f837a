package dump

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"s2g/schema"
)

// columns returns the attributes of a table.
func columns(t schema.Table) []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// postsDocument is a document like a real Posts.xml: mean row of 1.6 kB, HTML
// with code, one post in five beyond ASCII.
func postsDocument(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<posts>\n")
	for i := range rows {
		fmt.Fprintf(&b, `  <row Id="%d" PostTypeId="2" ParentId="%d" CreationDate="2017-05-16T18:08:41.067" Score="4" Body="`, i+1, i/2+1)
		for range 6 {
			b.WriteString(`&lt;p&gt;You can keep the values in a map and look each of them up when it is needed; that is one pass over the file and &lt;code&gt;O(n)&lt;/code&gt; memory.&lt;/p&gt;&#xA;&#xA;`)
			b.WriteString(`&lt;pre&gt;&lt;code&gt;for k, v := range m {&#xA;    fmt.Println(k, &quot;=&quot;, v)&#xA;}&#xA;&lt;/code&gt;&lt;/pre&gt;&#xA;`)
		}
		if i%5 == 0 {
			b.WriteString(`&lt;p&gt;It’s “quoted”.&lt;/p&gt;`)
		}
		b.WriteString(`" OwnerUserId="73" LastActivityDate="2017-08-27T02:19:55.020" CommentCount="0" ContentLicense="CC BY-SA 3.0" />` + "\n")
	}
	b.WriteString("</posts>")
	return b.Bytes()
}

func votesDocument(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("<votes>\n")
	for i := range rows {
		fmt.Fprintf(&b, `  <row Id="%d" PostId="%d" VoteTypeId="2" CreationDate="2017-08-27T00:00:00.000" />`+"\n", i+1, i/3+1)
	}
	b.WriteString("</votes>")
	return b.Bytes()
}

func BenchmarkScan(b *testing.B) {
	for _, bench := range []struct {
		table string
		root  string
		doc   []byte
		rows  int
	}{
		{"Posts", "posts", postsDocument(40_000), 40_000},
		{"Votes", "votes", votesDocument(400_000), 400_000},
	} {
		t, _ := schema.TableByName(bench.table)
		c := Config{Name: bench.table + ".xml", Root: bench.root, Columns: columns(t)}
		report := func(b *testing.B, rows int) {
			if rows != bench.rows*b.N {
				b.Fatalf("%d rows, want %d", rows, bench.rows*b.N)
			}
			b.SetBytes(int64(len(bench.doc)))
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		}
		b.Run(bench.table+"/scanner", func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				s := NewScanner(bytes.NewReader(bench.doc), c)
				for s.Scan() {
					rows++
				}
			}
			report(b, rows)
		})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", bench.table, workers), func(b *testing.B) {
				b.ReportAllocs()
				rows := 0
				for b.Loop() {
					n, err := countRows(bytes.NewReader(bench.doc), c, workers)
					if err != nil {
						b.Fatal(err)
					}
					rows += n
				}
				report(b, rows)
			})
		}
	}
}

func countRows(r io.Reader, c Config, workers int) (int, error) {
	rows := 0
	err := Parallel(context.Background(), r, c, workers, func(s *Scanner) (int, error) {
		n := 0
		for s.Scan() {
			n++
		}
		return n, s.Err()
	}, func(n int) error {
		rows += n
		return nil
	})
	return rows, err
}
