package embed

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Both together give what each gives alone.
func TestDocuments(t *testing.T) {
	texts := append(synthetic(200), "", "the", "…")
	m, f := fit(t, texts, LSAOptions{Dims: 16}), newFake(t)
	remote := open(t, options(t, nil), specOf("", f))
	for _, d := range []Dense{m, remote} {
		before := m.Unknown()
		dense, sparse, err := Documents(context.Background(), d, NewBM25(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if n := m.Unknown() - before; d == Dense(m) && n != 3 {
			t.Errorf("%d unknown", n)
		}
		if diff := cmp.Diff(documents(t, d, texts...), dense); diff != "" {
			t.Errorf("%T: %s", d, diff)
		}
		want, err := NewBM25().Documents(context.Background(), texts)
		if diff := cmp.Diff(want, sparse); err != nil || diff != "" {
			t.Errorf("%T: %v %s", d, err, diff)
		}
	}
	f.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Documents(ctx, m, NewBM25(), texts); err == nil {
		t.Error("a context that has ended is no error")
	}
	if _, _, err := Documents(ctx, remote, NewBM25(), texts); err == nil || !strings.Contains(err.Error(), "vectors: ") {
		t.Errorf("%v", err)
	}
}

// What both cost together, after each alone.
func BenchmarkDocuments(b *testing.B) {
	texts := bodies(b, "bioinformatics.stackexchange.com")
	m, s := fit(b, texts, LSAOptions{}), NewBM25()
	b.ReportAllocs()
	cpu := cpuTime()
	for b.Loop() {
		if _, _, err := Documents(context.Background(), m, s, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(len(texts)*b.N), "cpu-µs/doc")
}

func BenchmarkLSADump(b *testing.B) {
	texts := bodies(b, "bioinformatics.stackexchange.com")
	m := fit(b, texts, LSAOptions{})
	cpu := cpuTime()
	for b.Loop() {
		documents(b, m, texts...)
	}
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(len(texts)*b.N), "cpu-µs/doc")
}
