package ingest

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/dump"
	"s2g/ingest/sample"
	"s2g/schema"
	"s2g/schema/schematest"
)

// document returns a document like those of real dumps.
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

// BenchmarkConvert scans documents and converts them to TSV on one core: all work on
// a row except sending it.
func BenchmarkConvert(b *testing.B) {
	for table, rows := range map[string]int{"Posts": 20_000, "Votes": 200_000} {
		b.Run(table, func(b *testing.B) {
			doc := document(table, rows)
			t, _ := schema.TableByName(table)
			c := newConverter(t, table+".xml")
			config := scanConfig(t, table+".xml")
			out := &rowBatch{}
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				s := dump.NewScanner(bytes.NewReader(doc), config)
				for n := 0; s.Scan(); n++ {
					if n%1000 == 0 {
						out.reset()
					}
					c.appendRow(out, s.Record())
				}
				if err := s.Err(); err != nil || len(out.rejects.Counts) > 0 {
					b.Fatal(err, out.rejects.String())
				}
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func TestConvertAllocations(t *testing.T) {
	table, _ := schema.TableByName("Posts")
	c := newConverter(table, "Posts.xml")
	s := dump.NewScanner(bytes.NewReader(document("Posts", 1)), scanConfig(table, "Posts.xml"))
	if !s.Scan() {
		t.Fatal(s.Err())
	}
	b := &rowBatch{}
	b.reset()
	n := testing.AllocsPerRun(100, func() {
		b.reset()
		c.appendRow(b, s.Record())
	})
	if n != 0 || len(b.rows) != 1 {
		t.Errorf("%v allocations a row, want none; bad rows: %s", n, b.rejects.String())
	}
}

// benchPosts is the environment variable that sets the size of BenchmarkIngest's
// sample, in posts.
const benchPosts = "BENCH_POSTS"

// BenchmarkIngest ingests a sample. As a lower bound, MariaDB loads prepared TSV
// files of the same rows. Both build the indexes. x-load-data is the ratio of the
// fastest runs' times; x-load-data-cpu is the ratio of the processor times of client
// and server, which other work on the machine disturbs less.
func BenchmarkIngest(b *testing.B) {
	posts := schematest.EnvInt(b, benchPosts, 25_000)
	xml, tsv := b.TempDir(), b.TempDir()
	stats, err := sample.Write(b.Context(), sample.Options{Posts: posts, Out: xml})
	if err != nil {
		b.Fatal(err)
	}
	writeTSV(b, xml, tsv)
	g := privateTarget(b, b.TempDir())
	b.Cleanup(g.close)
	rows := stats.Posts + stats.Comments + stats.Votes + stats.PostLinks + stats.Tags
	measure := func(b *testing.B, work func() error) cost {
		best := cost{math.Inf(1), math.Inf(1)}
		b.SetBytes(stats.Bytes)
		for b.Loop() {
			begun, before := time.Now(), schematest.CPUSeconds(g.dir.Out())
			if err := work(); err != nil {
				b.Fatal(err)
			}
			best.wall = min(best.wall, time.Since(begun).Seconds())
			best.cpu = min(best.cpu, schematest.CPUSeconds(g.dir.Out())-before)
		}
		b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		b.ReportMetric(best.wall, "best-s")
		return best
	}
	var reference cost
	b.Run("load-data-tsv", func(b *testing.B) {
		reference = measure(b, func() error { return g.loadFiles(b, tsv) })
	})
	b.Run("s2g", func(b *testing.B) {
		b.ReportAllocs()
		c := measure(b, func() error { return g.run(Options{Dump: xml}) })
		if reference.wall > 0 { // else -bench does not select it
			b.ReportMetric(c.wall/reference.wall, "x-load-data")
			b.ReportMetric(c.cpu/reference.cpu, "x-load-data-cpu")
		}
	})
}

// A cost is in seconds.
type cost struct{ wall, cpu float64 }

// writeTSV converts the documents of a folder.
func writeTSV(b *testing.B, from, to string) {
	for _, t := range schema.Tables() {
		doc, err := os.ReadFile(filepath.Join(from, t.Name+".xml"))
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, t.Name+".tsv"), convertDocument(b, t, doc).tsv, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// convertDocument converts a document.
func convertDocument(t testing.TB, table schema.Table, doc []byte) *rowBatch {
	t.Helper()
	c := newConverter(table, table.Name+".xml")
	s := dump.NewScanner(bytes.NewReader(doc), scanConfig(table, c.file))
	b := &rowBatch{}
	b.reset()
	for s.Scan() {
		c.appendRow(b, s.Record())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return b
}

// loadFiles loads a folder's TSV files side by side and indexes each table.
func (g target) loadFiles(b *testing.B, folder string) error {
	group, ctx := errgroup.WithContext(b.Context())
	for _, t := range schema.Tables() {
		group.Go(func() error {
			if err := g.db.Stage(ctx, t); err != nil {
				return err
			}
			f, err := os.Open(filepath.Join(folder, t.Name+".tsv"))
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := g.db.Load(ctx, t, f); err != nil {
				return err
			}
			return g.db.Index(ctx, t)
		})
	}
	return group.Wait()
}
