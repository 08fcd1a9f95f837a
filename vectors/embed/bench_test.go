package embed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"s2g/ingest/sample"
	"s2g/schema/schematest"
)

// synthetic returns n texts of about 200 words each, of a few topics, whose words are as unevenly frequent as
// those of real texts.
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
		words += len(e.words.append(nil, text))
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

func BenchmarkLSADocuments(b *testing.B) {
	texts := synthetic(2000)
	m := fit(b, texts, LSAOptions{})
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		documents(b, m, texts...)
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(len(texts)*b.N), "cpu-µs/doc")
}

func BenchmarkFitLSA(b *testing.B) {
	texts := synthetic(20_000)
	b.ReportAllocs()
	for b.Loop() {
		fit(b, texts, LSAOptions{})
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "docs/s")
}
