package embed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"s2g/ingest/sample"
	"s2g/schema/schematest"
)

func BenchmarkBM25(b *testing.B) { benchmarkBM25(b, synthetic(1000)) }

func BenchmarkBM25Dump(b *testing.B) {
	benchmarkBM25(b, bodies(b, "bioinformatics.stackexchange.com"))
}

func BenchmarkBM25Sample(b *testing.B) {
	folder := b.TempDir()
	if _, err := sample.Write(b.Context(), sample.Options{Posts: 5000, Out: folder}); err != nil {
		b.Fatal(err)
	}
	benchmarkBM25(b, schematest.Bodies(b, folder))
}

func benchmarkBM25(b *testing.B, texts []string) {
	e, words, bytes := NewBM25(), 0, 0
	for _, text := range texts {
		words += len(e.analyzer.lexicon.appendWords(nil, text))
		bytes += len(text)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		if _, err := e.Documents(context.Background(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(words*b.N)/1e6/(cpuTime()-cpu).Seconds(), "Mtokens/cpu-s")
}

func BenchmarkFitLSA(b *testing.B) {
	texts := synthetic(20_000)
	b.ReportAllocs()
	for b.Loop() {
		fit(b, texts, 0)
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkLSADocuments(b *testing.B) {
	texts := synthetic(2000)
	m := fit(b, texts, 0)
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		documents(b, m, texts...)
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(len(texts)*b.N), "cpu-µs/doc")
}

func BenchmarkLSADump(b *testing.B) {
	texts := bodies(b, "bioinformatics.stackexchange.com")
	m := fit(b, texts, 0)
	cpu := cpuTime()
	for b.Loop() {
		documents(b, m, texts...)
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(len(texts)*b.N), "cpu-µs/doc")
}

// BenchmarkDocuments measures both builtin embedders together; BenchmarkBM25Dump and BenchmarkLSADump measure each alone.
func BenchmarkDocuments(b *testing.B) {
	texts := bodies(b, "bioinformatics.stackexchange.com")
	m, s := fit(b, texts, 0), NewBM25()
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		if _, _, err := Documents(context.Background(), m, s, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(len(texts)*b.N), "cpu-µs/doc")
}

// BenchmarkRemote has two endpoints that take 50 ms a batch, and two callers, as the stage has. It reports the share of the
// time in which each endpoint works, and the processor time of a text, the servers' part included.
func BenchmarkRemote(b *testing.B) {
	x, y := newFake(b), newFake(b)
	x.delay, y.delay = 50*time.Millisecond, 50*time.Millisecond
	d := open(b, options(b, nil), specOf("", x, y))
	texts := synthetic(256)
	const rounds = 16 // the share of start and end is then small, as in a build
	x.busy, y.busy = busyTime{}, busyTime{}
	cpu := cpuTime()
	var group errgroup.Group
	n := 0
	b.ReportAllocs()
	began := time.Now()
	for b.Loop() {
		for range 2 {
			n += rounds * len(texts)
			group.Go(func() error {
				for range rounds {
					time.Sleep(20 * time.Millisecond) // reads, cleans
					if _, err := d.Documents(context.Background(), texts); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began)
	b.ReportMetric(100*x.busy.total.Seconds()/took.Seconds(), "%busy-a")
	b.ReportMetric(100*y.busy.total.Seconds()/took.Seconds(), "%busy-b")
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(n), "cpu-µs/text")
}

// BenchmarkDecodeEmbeddings decodes an answer with a batch of vectors as long as those of a large model.
func BenchmarkDecodeEmbeddings(b *testing.B) {
	v := make([]float32, 3584)
	for i := range v {
		v[i] = float32(i%97)/97 - .5
	}
	for _, form := range []string{"base64", "float"} {
		data := make([]map[string]any, 32)
		for i := range data {
			data[i] = map[string]any{"index": i, "embedding": v}
			if form == "base64" {
				data[i]["embedding"] = toBase64(v)
			}
		}
		answer := marshal(map[string]any{"model": "m", "data": data})
		b.Run(form, func(b *testing.B) {
			b.SetBytes(int64(len(answer)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := decodeEmbeddings(answer, 32); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(32*b.N), "µs/text")
		})
	}
}

// synthetic returns n texts of about 200 words each, on a few topics. The frequencies of words follow Zipf's law, as those
// of real texts do.
func synthetic(n int) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 8, 30_000)
	endings := []string{"", "s", "ing", "ed", "er", "ation"}
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		topic := rng.IntN(50)
		for range 150 + rng.IntN(100) {
			k := zipf.Uint64()
			if rng.IntN(4) == 0 {
				k = uint64(30_000 + 200*topic + rng.IntN(200))
			}
			fmt.Fprintf(&b, "W%s%s ", letters(k), endings[k%6])
			if rng.IntN(8) == 0 {
				b.WriteString("the (")
			}
		}
		texts[i] = b.String()
	}
	return texts
}

func letters(k uint64) string {
	var b []byte
	for ; k > 0; k /= 20 {
		b = append(b, "bcdeghiklmnoprstuvwy"[k%20])
	}
	return string(b)
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
