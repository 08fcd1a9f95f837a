package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"s2g/ingest/dump"
	"s2g/schema"
)

// document is like a table of a real dump.
func document(table string, rows int) []byte {
	var b bytes.Buffer
	root := strings.ToLower(table)
	fmt.Fprintf(&b, "<%s>\n", root)
	text := strings.Repeat(`&lt;p&gt;You can keep the values in a map and look each of them up when it is needed; that is one pass over the file and &lt;code&gt;O(n)&lt;/code&gt; memory.&lt;/p&gt;&#xA;&#xA;&lt;pre&gt;&lt;code&gt;for k, v := range m {&#xA;    fmt.Println(k, &quot;\n&quot;, v)&#xA;}&#xA;&lt;/code&gt;&lt;/pre&gt;&#xA;`, 6)
	for i := range rows {
		switch table {
		case "Posts":
			fmt.Fprintf(&b, `  <row Id="%d" PostTypeId="2" ParentId="%d" CreationDate="2017-05-16T18:08:41.067" Score="4" Body="%s" OwnerUserId="73" LastActivityDate="2017-08-27T02:19:55.020" CommentCount="0" ContentLicense="CC BY-SA 3.0" />`+"\n", i+1, i/2+1, text)
		case "Votes":
			fmt.Fprintf(&b, `  <row Id="%d" PostId="%d" VoteTypeId="2" CreationDate="2017-08-27T00:00:00.000" />`+"\n", i+1, i/3+1)
		}
	}
	fmt.Fprintf(&b, "</%s>", root)
	return b.Bytes()
}

// BenchmarkConvert scans documents and makes TSV of them on one core: all that
// ingest does to a row but sending it.
func BenchmarkConvert(b *testing.B) {
	for table, rows := range map[string]int{"Posts": 20_000, "Votes": 200_000} {
		b.Run(table, func(b *testing.B) {
			doc := document(table, rows)
			t, _ := schema.TableByName(table)
			c := newConverter(t, table+".xml")
			config := dump.ScanConfig{Name: table, Root: strings.ToLower(table), Columns: c.attributes()}
			out := &batch{}
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				s := dump.NewScanner(bytes.NewReader(doc), config)
				for n := 0; s.Scan(); n++ {
					if n%1000 == 0 {
						out.reset()
					}
					c.add(out, s.Record())
				}
				if err := s.Err(); err != nil || len(out.tally.Counts) > 0 {
					b.Fatal(err, out.tally.String())
				}
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func TestConvertAllocations(t *testing.T) {
	table, _ := schema.TableByName("Posts")
	c := newConverter(table, "Posts.xml")
	s := dump.NewScanner(bytes.NewReader(document("Posts", 1)), dump.ScanConfig{Root: "posts", Columns: c.attributes()})
	if !s.Scan() {
		t.Fatal(s.Err())
	}
	b := &batch{}
	b.reset()
	n := testing.AllocsPerRun(100, func() {
		b.reset()
		c.add(b, s.Record())
	})
	if n != 0 || len(b.rows) != 1 {
		t.Errorf("%v allocations a row, want none; bad rows: %s", n, b.tally.String())
	}
}
