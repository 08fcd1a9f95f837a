package vectors

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"s2g/schema/manifest"
	"s2g/vectors/search"
)

// benchPosts makes n questions of made-up words, as frequent as words are.
func benchPosts(n int) (rows []row, size int64) {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 4, 30_000)
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%xq ", zipf.Uint64())
		}
		return b.String()
	}
	for id := range n {
		var b strings.Builder
		for range 3 {
			fmt.Fprintf(&b, "<p>%s <code>%s</code> %s</p>\n<pre><code>%s</code></pre>\n", words(30), words(2), words(20), strings.ReplaceAll(words(30), " w1", "\n    w1"))
		}
		q := question(id+1, []string{"|python|", "|java|", "|c#|java|", "|python|numpy|"}[id%4], words(8), b.String())
		rows = append(rows, q)
		size += int64(len(fmt.Sprint(q["Title"], q["Body"])))
	}
	return rows, size
}

// BenchmarkRun takes rows in MariaDB to Parquet on the disk, the fit of the
// dense embedder included.
func BenchmarkRun(b *testing.B) {
	const questions = 20_000
	posts, size := benchPosts(questions)
	db := load(b, map[string][]row{"Posts": posts})
	o := smallOptions()
	o.Window, o.Overlap = 0, nil
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		dir, err := manifest.Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		if err := Run(b.Context(), dir, db, o); err != nil {
			b.Fatal(err)
		}
		dir.Close()
	}
	b.ReportMetric(float64(questions*b.N)/b.Elapsed().Seconds(), "questions/s")
}

func BenchmarkSearch(b *testing.B) {
	const questions = 20_000
	posts, _ := benchPosts(questions)
	out := b.TempDir()
	if err := Run(b.Context(), openDir(b, out), load(b, map[string][]row{"Posts": posts}), smallOptions()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := search.Search(b.Context(), out, search.Options{Slugs: []string{"python"}, Query: "w1q w2q w99q"}); err != nil {
			b.Fatal(err)
		}
	}
}
