package dump

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"s2g/ingest/sample"
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

// postsDocument returns a document like a real Posts.xml: mean row of 1.6 kB, HTML
// with code, one post in five with characters outside ASCII.
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
		c := ScanConfig{Name: bench.table + ".xml", Root: bench.root, Columns: columns(t)}
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

func countRows(r io.Reader, c ScanConfig, workers int) (int, error) {
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

// BenchmarkScanner reads Posts.xml of a sample with the scanner, on one core and on
// two, and with xmllint --stream, which only reads with libxml2. x-xmllint is the
// ratio of the fastest runs' times; x-xmllint-cpu is the ratio of the processor
// times, which other work on the machine disturbs less.
func BenchmarkScanner(b *testing.B) {
	folder := b.TempDir()
	stats, err := sample.Write(b.Context(), sample.Options{Posts: 60_000, Out: folder})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(folder, "Posts.xml")
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	var reference cost
	b.Run("xmllint", func(b *testing.B) {
		xmllint, err := exec.LookPath("xmllint")
		if err != nil {
			b.Skip("program xmllint is not installed")
		}
		b.SetBytes(info.Size())
		reference = cheapest(b, syscall.RUSAGE_CHILDREN, func() error {
			return exec.Command(xmllint, "--stream", "--noout", path).Run()
		})
	})
	t, _ := schema.TableByName("Posts")
	c := ScanConfig{Name: "Posts.xml", Root: "posts", Columns: columns(t)}
	for _, cores := range []int{1, 2} {
		b.Run(fmt.Sprintf("cores=%d", cores), func(b *testing.B) {
			if cores > runtime.NumCPU() {
				b.Skip("the machine has fewer cores")
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			b.ReportAllocs()
			b.SetBytes(info.Size())
			best := cheapest(b, syscall.RUSAGE_SELF, func() error {
				file, err := os.Open(path)
				if err != nil {
					return err
				}
				defer file.Close()
				rows, err := countRows(file, c, cores)
				if err == nil && int64(rows) != stats.Posts {
					err = fmt.Errorf("%d rows, want %d", rows, stats.Posts)
				}
				return err
			})
			b.ReportMetric(float64(stats.Posts)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			if reference.wall > 0 {
				b.ReportMetric(float64(reference.wall)/float64(best.wall), "x-xmllint")
				b.ReportMetric(float64(reference.cpu)/float64(best.cpu), "x-xmllint-cpu")
			}
		})
	}
}

// BenchmarkDecode reads all tables of a sample in each format, with the installed
// programs and with the built-in decoders. MB/s count XML.
func BenchmarkDecode(b *testing.B) {
	from := b.TempDir()
	stats, err := sample.Write(b.Context(), sample.Options{Posts: 10_000, Out: from})
	if err != nil {
		b.Fatal(err)
	}
	for _, dressing := range sample.Dressings() {
		switch dressing.Name {
		case "gz", "bz2", "zst", "xz", "site.7z, solid, with junk", "site.7z, bzip2", "site.7z, PPMd", "7z of site-Table.7z":
		default:
			continue
		}
		path := dress(b, dressing, from)
		for _, builtIn := range []bool{false, true} {
			if builtIn && !strings.Contains(dressing.Name, "7z") && dressing.Name != "xz" {
				continue // they have no program
			}
			b.Run(fmt.Sprintf("%s/builtin=%v", dressing.Name, builtIn), func(b *testing.B) {
				b.SetBytes(stats.Bytes)
				for b.Loop() {
					d, err := Find(path, Options{builtIn: builtIn, Tmp: b.TempDir()})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := readAll(b.Context(), d); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A cost is the time of a run.
type cost struct{ wall, cpu time.Duration }

// cheapest repeats work and returns its least cost. who selects whose processor time
// is measured, as in getrusage: this process's or its children's.
func cheapest(b *testing.B, who int, work func() error) cost {
	b.Helper()
	least := cost{1 << 62, 1 << 62}
	for b.Loop() {
		wall, cpu := time.Now(), processorTime(b, who)
		if err := work(); err != nil {
			b.Fatal(err)
		}
		least.wall = min(least.wall, time.Since(wall))
		least.cpu = min(least.cpu, processorTime(b, who)-cpu)
	}
	return least
}

func processorTime(b *testing.B, who int) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
